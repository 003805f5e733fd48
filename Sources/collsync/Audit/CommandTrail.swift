import ArgumentParser
import Glibc
import SyncIO
import SyncServer
import SyncStore

/// Where a command notes what it does to a store.
struct CommandTrailOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The folder of the audit trail, or 'off' (default: 'audit' in the folder of the store). As the server's --audit.
            """,
            valueName: "folder"))
    var audit: String?

    /// Opens the trail of a store that is locked; `nil` if there is none.
    ///
    /// - Parameter data: the folder of the store.
    func open(in data: String) throws(StoreError) -> CommandTrail? {
        let folder = audit ?? "\(data)/\(AuditOptions.usualName)"
        return folder == "off" ? nil : try CommandTrail(folder)
    }
}

/// The audit trail of a server that does not run, to which a command adds lines.
///
/// The command opens it before it changes the store. So it changes nothing that can't be noted.
final class CommandTrail {
    let folder: String
    private var files: AuditTrailFiles

    fileprivate init(_ folder: String) throws(StoreError) {
        // The server removes old lines, by its own limits.
        var policy = AuditPolicy()
        policy.bytes = .max
        self.folder = folder
        do throws(FileFailure) {
            files = try AuditTrailFiles(folder, policy, at: .now)
        } catch {
            guard error.code == EWOULDBLOCK else { throw .io("the audit trail, \(error)") }
            throw .locked("another process writes its audit trail into \(folder)")
        }
    }

    /// Writes events and syncs them.
    func write(_ events: [AuditEvent]) throws(StoreError) {
        let failures = [files.write(events, dropped: 0, at: .now), files.close()]
        if let failure = failures.lazy.compactMap({ $0 }).first {
            throw .io("what was done is not in the audit trail: \(failure)")
        }
    }
}
