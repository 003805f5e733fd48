import Foundation

/// The classes that protoc generates from `Protocol/collsync.proto`, and a Python that can use
/// them.
final class PythonClasses {
    private let folder: TemporaryFolder
    private let python: String

    /// - Parameter modules: what else the Python has to have.
    init(with modules: [String] = []) throws {
        folder = try TemporaryFolder()
        let schema = Python.root.appending(path: "Protocol").path
        let made = try Python.run(
            ["protoc", "--python_out=\(folder.url.path)", "-I", schema, "collsync.proto"])
        guard made else { throw TestFailure("protoc makes no classes; is it installed?") }
        python = try Python.named(importing: ["google.protobuf"] + modules)
    }

    /// Starts a program in a folder of `Tests`. It can import the modules of the client beside its
    /// own.
    func start(
        _ program: String, in directory: String = "PythonClient", _ arguments: [String] = []
    ) throws -> ChildProcess {
        let tests = Python.root.appending(path: "Tests").path
        let path = "PYTHONPATH=\(folder.url.path):\(tests)/PythonClient"
        let words = [path, python, "-B", "\(tests)/\(directory)/\(program)"]
        return try ChildProcess(Python.environment, words + arguments)
    }
}

/// The Pythons of this machine.
enum Python {
    static let environment = URL(filePath: "/usr/bin/env")

    fileprivate static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// One that has these modules. The first one on the path may not be the one with the system's
    /// packages.
    static func named(importing modules: [String]) throws -> String {
        let imports = "import " + modules.joined(separator: ", ")
        let found = try ["python3", "/usr/bin/python3"].first {
            try run([$0, "-c", imports])
        }
        guard let found else {
            throw TestFailure(
                "no Python has \(modules): apt-get install what deploy/packages-for-tests names")
        }
        return found
    }

    /// Runs a command; whether it ended with 0.
    fileprivate static func run(_ words: [String]) throws -> Bool {
        try ChildProcess(environment, words).wait() == .exit(0)
    }
}
