import Foundation
import Glibc

/// A `collsync-cli join` as a program uses it: JSON lines in and out. It records the content of the
/// lines, and fails on lines that must not come.
final class JoinProcess {
    let name: String
    private let process: ChildProcess
    /// The room according to the printed lines.
    private(set) var replica: RoomReplica?
    private(set) var welcomes: [JSON] = []
    private(set) var snapshotCount = 0
    /// The revisions that were acknowledged, by transaction.
    private(set) var acknowledged: [Int: Int] = [:]
    /// Lost operations, by transaction.
    private(set) var superseded: [Int: JSON] = [:]
    private(set) var rejected: [Int: JSON] = [:]
    private(set) var errors: [JSON] = []
    private(set) var nearLimits: [JSON] = []
    private(set) var clipboards: [JSON] = []
    private(set) var pasted: [JSON] = []
    /// The last printed presence of the other members, by client id.
    private(set) var others: [String: JSON] = [:]
    /// The authors of revisions, as far as they were printed.
    private(set) var authors: [Int: JSON] = [:]
    /// Whether an acknowledgement may come after its batch. It may for transactions in flight when
    /// a connection was lost.
    private let mayLoseConnection: Bool
    private(set) var sent = 0

    /// Joins a room and waits for its snapshot.
    init(
        _ name: String, room: String, at address: String, mayLoseConnection: Bool = false,
        _ options: [String] = []
    ) throws {
        self.name = name
        self.mayLoseConnection = mayLoseConnection
        process = try ChildProcess(Program.client, ["--server", address, "join", room] + options)
        try read(until: "the snapshot") { $0.replica != nil }
    }

    var transcript: String { "client \(name): \(process.transcript)" }

    var unanswered: Int { sent - acknowledged.count - rejected.count }

    var revision: Int { replica?.revision ?? -1 }

    /// The client's id.
    var client: String? { welcomes.first?["client"]?.text }

    /// The room as printed so far.
    var room: RoomReplica {
        get throws {
            guard let replica else { throw TestFailure("there was no snapshot: \(transcript)") }
            return replica
        }
    }

    /// Sends operations as one transaction and returns its number.
    @discardableResult
    func submit(_ operations: [JSON]) throws -> Int {
        try submit(line: JSON.object(["ops": .list(operations)]).line)
    }

    /// Sends a transaction as a line, and returns its number unless the line itself names one.
    @discardableResult
    func submit(line: String) throws -> Int {
        sent += 1
        try write(line: line)
        return sent
    }

    /// Sends a line of any kind.
    func write(line: String) throws {
        try process.write(line + "\n")
    }

    /// Applies the available lines, without waiting.
    func readAvailable() throws {
        while let line = process.output.nextIfThere() { try take(line) }
    }

    /// Applies lines until a condition is true.
    func read(
        until what: String, within seconds: Double = Deadline.usual,
        _ holds: (JoinProcess) throws -> Bool
    ) throws {
        while try !holds(self) {
            do {
                guard let line = try process.output.next(within: seconds) else {
                    throw TestFailure("the program has ended")
                }
                try take(line)
            } catch {
                throw TestFailure("waiting for \(what): \(error)\n\(transcript)")
            }
        }
    }

    func readUntilAnswered() throws {
        try read(until: "answers") { $0.unanswered == 0 }
    }

    func read(untilRevision revision: Int) throws {
        try read(until: "revision \(revision)") { $0.revision >= revision }
    }

    /// Sends a signal, for example to stop or continue the program.
    func send(signal: Int32) {
        process.send(signal: signal)
    }

    /// Kills the program, and applies what it had printed.
    func kill() throws {
        process.send(signal: SIGKILL)
        let ending = try process.wait()
        guard ending == .signal(SIGKILL) else {
            throw TestFailure("the client had ended by itself, \(ending): \(transcript)")
        }
        try readAvailable()
    }

    /// Closes the input, applies the rest, and returns how the program ended.
    func finish() throws -> ProcessLife.Ending {
        process.closeInput()
        let ending = try process.wait()
        try readAvailable()
        return ending
    }

    private func take(_ line: String) throws {
        let json = try JSON(line)
        let keys = json.keys
        guard keys.count == 1, let body = json[keys[0]] else {
            throw TestFailure("client \(name) printed a line of another form: \(line)")
        }
        switch keys[0] {
        case "welcome": welcomes.append(body)
        case "snapshot":
            snapshotCount += 1
            let taken = try RoomReplica(snapshot: body)
            let isAnotherRoom = welcomes.last?["changed"] == true
            if let replica, taken.revision < replica.revision, !isAnotherRoom {
                throw TestFailure("client \(name) was given an older snapshot")
            }
            replica = taken
        case "batch":
            do {
                try replica?.apply(body)
            } catch {
                throw TestFailure("client \(name): \(error)")
            }
        case "authors":
            for author in body.list ?? [] {
                let revision = try author.index("revision")
                guard authors.updateValue(author, forKey: revision) == nil, revision > self.revision
                else { throw TestFailure("client \(name) was told late of \(line)") }
            }
        case "ack": try acknowledge(body)
        case "reject":
            let transaction = try body.index("tx")
            try checkUnanswered(transaction)
            rejected[transaction] = body
        case "presence": try see(body)
        case "clipboard": clipboards.append(body)
        case "pasted": pasted.append(body)
        case "nearLimit": nearLimits.append(body)
        case "error": errors.append(body)
        default: throw TestFailure("client \(name) printed \(line)")
        }
    }

    private func see(_ presence: JSON) throws {
        guard let client = presence["client"]?.text, client != self.client else {
            throw TestFailure("client \(name) was told of nobody: \(try presence.line)")
        }
        if presence["left"] == true {
            guard others.removeValue(forKey: client) != nil else {
                throw TestFailure("client \(name) was told twice that \(client) left")
            }
        } else {
            others[client] = presence
        }
    }

    private func acknowledge(_ ack: JSON) throws {
        let transaction = try ack.index("tx")
        let revision = try ack.index("revision")
        try checkUnanswered(transaction)
        acknowledged[transaction] = revision
        superseded[transaction] = ack["superseded"]
        guard mayLoseConnection || revision > self.revision else {
            throw TestFailure("client \(name) got its batch before: \(try ack.line)")
        }
    }

    private func checkUnanswered(_ transaction: Int) throws {
        guard acknowledged[transaction] == nil, rejected[transaction] == nil else {
            throw TestFailure("client \(name): transaction \(transaction) is answered twice")
        }
    }
}

/// The result of a `collsync-cli` that has ended.
struct CommandResult {
    let ending: ProcessLife.Ending
    let output: [String]
    let errors: [String]

    /// The output, as one JSON value a line.
    var json: [JSON] {
        get throws { try output.map { try JSON($0) } }
    }

    static func client(
        _ arguments: [String], at server: ServerProcess? = nil, input: String = ""
    ) throws -> CommandResult {
        try run(Program.client, (server.map { ["--server", $0.address] } ?? []) + arguments, input)
    }

    static func server(_ arguments: [String], input: String = "") throws -> CommandResult {
        try run(Program.server, arguments, input)
    }

    /// Runs a line of the shell with the server's program as `$0`.
    static func shell(_ line: String, _ arguments: [String]) throws -> CommandResult {
        try run(URL(filePath: "/bin/sh"), ["-c", line, Program.server.path] + arguments, "")
    }

    private static func run(
        _ program: URL, _ arguments: [String], _ input: String
    ) throws -> CommandResult {
        let process = try ChildProcess(program, arguments)
        try process.write(input)
        process.closeInput()
        return CommandResult(
            ending: try process.wait(), output: try process.output.all(),
            errors: try process.errors.all())
    }
}

extension ServerProcess {
    /// The output of `export` for a room.
    func export(_ room: String, _ options: [String] = []) throws -> RoomReplica {
        let result = try CommandResult.client(["export", room] + options, at: self)
        guard result.ending == .exit(0) else {
            throw TestFailure("export ended with \(result.ending): \(result.errors)")
        }
        return try RoomReplica(snapshot: JSON(result.output.joined(separator: "\n")))
    }
}
