import ArgumentParser
import Glibc
import SyncIO
import SyncLoop
import SyncServer
import SyncTerminal

/// What a server notes of who came, who was refused, and what admins did.
struct AuditOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The folder of the audit trail, which 'collsync audit' reads, or 'off' (default: 'audit' in the folder of --data; \
            off with --memory).
            """,
            valueName: "folder"))
    var audit: String?

    @Option(help: "How large the trail may become; then its oldest files are removed.")
    var auditBytes = SizeArgument(bytes: AuditPolicy().bytes)

    @Option(help: "How many days the trail is kept.")
    var auditDays = 90

    @Option(
        help: "How long the trail has addresses of clients; 0s for none. Later, they are removed.")
    var keepAddresses = DurationArgument(milliseconds: AuditPolicy().addressAge)

    func validate() throws {
        guard auditBytes.bytes >= 1 << 20 else {
            throw ValidationError("--audit-bytes must be at least 1M")
        }
        guard (1...36_500).contains(auditDays) else {
            throw ValidationError("--audit-days must be from 1 to 36500")
        }
        guard keepAddresses.milliseconds == 0 || keepAddresses.milliseconds >= 3_600_000 else {
            throw ValidationError("--keep-addresses must be 0s, or at least 1h")
        }
    }

    var policy: AuditPolicy {
        var policy = AuditPolicy()
        policy.bytes = auditBytes.bytes
        policy.age = UInt64(auditDays) * 86_400_000
        policy.addressAge = keepAddresses.milliseconds
        return policy
    }

    /// The name of the trail's folder in that of a store.
    static let usualName = "audit"

    /// Opens the trail; `nil` if there is none.
    ///
    /// - Parameter data: the folder of the store; `nil` if it is in memory.
    func open(
        in data: String?, on platform: LoopPlatform, _ log: CommandLog
    ) throws -> AuditWriter? {
        guard let folder = audit ?? data.map({ "\($0)/\(AuditOptions.usualName)" }),
            folder != "off"
        else { return nil }
        let trail: AuditTrailFiles
        do throws(FileFailure) {
            trail = try AuditTrailFiles(folder, policy, at: .now)
        } catch {
            guard error.code == EWOULDBLOCK else {
                throw fail("the audit trail can't be opened: \(error)", .inputOutput)
            }
            throw fail("another server writes its audit trail into \(folder)", .tryAgain)
        }
        return AuditWriter(trail, worker: try platform.startWorker(named: "audit"), log: log)
    }
}
