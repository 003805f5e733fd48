import ArgumentParser
import Foundation

/// `collsync-bench attacks`
struct AttacksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacks",
        abstract: "What strangers do to a server to stop it, and how long others wait meanwhile.",
        discussion: """
            Each attack has a server of its own with the default limits. An innocent member of another room on the \
            same loop sends requests and edits by turns. The report has its longest wait for an answer, lost \
            connections of others, and the greatest growth of the server's memory, which must be within its \
            accounts × 1.25 + 64 MiB. Server and generator have a core each. The attackers run at a lower priority \
            than the innocent member, whose own wait for a core is listed separately. The exit code is 1 if \
            anything exceeds its limit.
            """)

    @Argument(help: "Which attacks; all but the herds, if none is named. --list names them.")
    var names: [String] = []

    @Flag(help: "Name the attacks and end.")
    var list = false

    @Flag(
        help: "All connections are by TLS and have tokens; the attackers are users at one address.")
    var secured = false

    @Option(help: "How many users the attackers are, with --secured.")
    var users = 100

    @Option(help: "A part of the full size, for a short look.")
    var scale = 1.0

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    func validate() throws {
        let known = AttacksCommand.attacks(scale: 1).map(\.name)
        for name in names where !known.contains(name) {
            throw ValidationError("there is no attack '\(name)'; --list names them")
        }
        for attack in AttacksCommand.attacks(scale: 1)
        where attack.needsUsers && !secured && names.contains(attack.name) {
            throw ValidationError("the attack '\(attack.name)' needs --secured")
        }
        guard (1...10_000).contains(users) else {
            throw ValidationError("--users is from 1 to 10000")
        }
        guard scale > 0, scale <= 1 else {
            throw ValidationError("--scale is above 0, and 1 at most")
        }
    }

    static func attacks(scale: Double) -> [Attack] {
        MergeAttacks(scale: scale).all + RequestAttacks(scale: scale).all
            + ViewAttacks(scale: scale).all + ConnectionAttacks(scale: scale).all
            + FeedAttacks(scale: scale).all + ShareAttacks(scale: scale).all
            + HTTPAttacks(scale: scale).all + HTTPReadAttacks(scale: scale).all
            + TextAttacks(scale: scale).all + TokenAttacks(scale: scale).all
            + WebSocketAttacks(scale: scale).all
            + Herds(scale: scale).all
    }

    func run() throws {
        let attacks = AttacksCommand.attacks(scale: scale)
        if list {
            for attack in attacks { Report.say("\(attack.name): \(attack.what)") }
            return
        }
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        let scratch = try ScratchFolder(in: folder)
        IdleBenchmark.allowOpenFiles(30_000)
        let door =
            secured ? try Door(users: users, programs, folder: scratch.path) : Door()
        var report = Report(["attack", "longest wait", "reach", "beside"])
        let chosen = attacks.filter {
            names.isEmpty
                ? !Herds.names.contains($0.name) && (secured || !$0.needsUsers)
                : names.contains($0.name)
        }
        var excesses: [String] = []
        for attack in chosen {
            // Printed at once, because some attacks take long.
            Report.sayMeanwhile("\(attack.name) …")
            let result = Result { try attack.run(programs, door, folder: scratch.path) }
            report.add(attack, result)
            if let excess = AttacksCommand.excess(of: result) {
                excesses.append("\(attack.name): \(excess)")
            }
            try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(attack.name)")
        }
        report.print()
        guard excesses.isEmpty else {
            throw BenchError("over the reach: " + excesses.joined(separator: "; "))
        }
    }

    /// The limits that an attack exceeded; `nil` if none.
    static func excess(of result: Result<AttackOutcome, any Error>) -> String? {
        switch result {
        case .success(let outcome):
            outcome.excesses.isEmpty ? nil : outcome.excesses.joined(separator: ", ")
        case .failure(let error): "\(error)"
        }
    }
}

extension Report {
    fileprivate mutating func add(_ attack: Attack, _ result: Result<AttackOutcome, any Error>) {
        switch result {
        case .success(let outcome):
            let lost = outcome.waits.failure.map { "lost: \($0)" } ?? "none lost"
            func mebibytes(_ bytes: Int, _ format: String = "%.1f") -> String {
                String(format: "\(format) MiB", Double(bytes) / 1_048_576)
            }
            func wait(_ wait: Innocent.Wait, _ what: String) -> String {
                let core = Report.milliseconds(wait.coreSeconds)
                return "\(what) \(Report.milliseconds(wait.seconds)), \(core) of it for a core"
            }
            let growth = mebibytes(outcome.growthBytes, "%+.1f")
            let accounts =
                "\(mebibytes(outcome.peakBytes)) \(outcome.isWithinAccounts ? "within" : "ABOVE")"
                + " accounts of \(mebibytes(outcome.accountedBytes))"
            add(
                attack.name, Report.milliseconds(outcome.waits.longest), "≤ 100 ms",
                ([
                    lost, growth, accounts, String(format: "%.1f s", outcome.seconds),
                    "\(outcome.waits.answers) answers", wait(outcome.waits.longestPing, "figures"),
                    wait(outcome.waits.longestEdit, "an edit"),
                ]
                    + outcome.remarks + outcome.failures).joined(separator: ", "))
        case .failure(let error): add(attack.name, "no end", "≤ 100 ms", "\(error)")
        }
    }
}
