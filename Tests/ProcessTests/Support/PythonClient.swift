import Foundation

/// The client in `Tests/PythonClient`, which uses only what `Protocol/` documents. It runs as a
/// program that edits a room at random on command.
final class PythonClient {
    /// The results of its transactions.
    struct Report: Decodable {
        let sent: Int
        /// The revisions of its transactions.
        let acknowledged: [Int]
        let rejected: [String]
        let reconnections: Int
        /// How many of its transactions had a base older than its revision.
        let stale: Int
        /// How many answers about guards it has compared with the batches, and how many of them
        /// reported a change.
        let guardsChecked: Int
        let guardsChanged: Int
    }

    private let classes: PythonClasses
    private let process: ChildProcess

    /// Starts the client and waits until it has the room.
    ///
    /// - Parameters:
    ///   - classes: what ``PythonClasses`` made of the schema.
    ///   - options: `--plain`, `--every-revision`, `--websocket`.
    init(
        _ classes: PythonClasses, room: String, at server: ServerProcess, seed: UInt64,
        _ options: [String] = []
    ) throws {
        self.classes = classes
        let port = options.contains("--websocket") ? server.httpPort ?? 0 : server.port
        process = try classes.start("main.py", ["\(port)", room, "\(seed)"] + options)
        _ = try export()
    }

    var transcript: String { process.transcript }

    /// Has it submit transactions, without waiting for their answers.
    func edit(_ count: Int) throws {
        _ = try answer(to: "edit \(count)")
    }

    /// Has it lose its connection and make a new one.
    func cut() throws {
        _ = try answer(to: "cut")
    }

    /// Waits until all is answered and it has a revision.
    func settle(at revision: Int = 0) throws -> Report {
        let line = try answer(to: "settle \(revision)")
        return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }

    /// The room of the client.
    func export() throws -> RoomReplica {
        try RoomReplica(snapshot: JSON(answer(to: "export")))
    }

    /// Closes the input, and returns how the program ended.
    func finish() throws -> ProcessLife.Ending {
        process.closeInput()
        return try process.wait()
    }

    private func answer(to command: String) throws -> String {
        try process.write(command + "\n")
        guard let line = try process.output.next() else {
            // The program has ended, and its output is complete only now.
            _ = try process.wait()
            throw TestFailure("no answer to \(command): \(transcript)")
        }
        return line
    }
}
