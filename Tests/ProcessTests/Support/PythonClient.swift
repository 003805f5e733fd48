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
    }

    private let classes: PythonClasses
    private let process: ChildProcess

    /// Starts the client and waits until it has the room.
    ///
    /// - Parameters:
    ///   - classes: what ``PythonClasses`` made of the schema.
    ///   - options: `--plain`, `--every-revision`.
    init(
        _ classes: PythonClasses, room: String, at server: ServerProcess, seed: UInt64,
        _ options: [String] = []
    ) throws {
        self.classes = classes
        process = try classes.start("main.py", ["\(server.port)", room, "\(seed)"] + options)
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

/// The classes that protoc generates from `Protocol/collsync.proto`, and a Python that can use
/// them.
final class PythonClasses {
    private let folder: TemporaryFolder
    private let python: String

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        folder = try TemporaryFolder()
        let schema = PythonClasses.root.appending(path: "Protocol").path
        let made = try PythonClasses.run(
            ["protoc", "--python_out=\(folder.url.path)", "-I", schema, "collsync.proto"])
        guard made else { throw TestFailure("protoc makes no classes; is it installed?") }
        // The first Python on the path may not be the one with the system's packages.
        let candidates = ["python3", "/usr/bin/python3"]
        let found = try candidates.first {
            try PythonClasses.run([$0, "-c", "import google.protobuf"])
        }
        guard let found else {
            throw TestFailure(
                "no Python has protobuf: apt-get install python3-protobuf, or pip install protobuf")
        }
        python = found
    }

    /// Starts one of the programs in `Tests/PythonClient`.
    func start(_ program: String, _ arguments: [String] = []) throws -> ChildProcess {
        let path = PythonClasses.root.appending(path: "Tests/PythonClient/\(program)").path
        let words = ["PYTHONPATH=\(folder.url.path)", python, "-B", path]
        return try ChildProcess(PythonClasses.environment, words + arguments)
    }

    private static let environment = URL(filePath: "/usr/bin/env")

    private static func run(_ words: [String]) throws -> Bool {
        try ChildProcess(environment, words).wait() == .exit(0)
    }
}
