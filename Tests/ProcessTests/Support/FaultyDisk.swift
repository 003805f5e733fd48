import Foundation

/// A server's disk that fails on command: a library, preloaded into the server, intercepts the
/// calls of SQLite to the system.
final class FaultyDisk {
    /// What fails, by the library's names.
    enum Fault: String, CaseIterable {
        /// Half of a write succeeds, and then the disk is full.
        case full
        case write
        /// Written data may or may not survive a loss of power.
        case sync
    }

    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = try folder.compileLibrary("FaultyDisk")
    }

    /// The environment for a server on this disk.
    var environment: [String: String] {
        ["LD_PRELOAD": library, "FAULTY_DISK": folder.path("fault")]
    }

    func begin(_ fault: Fault) throws {
        _ = try folder.write(fault.rawValue, to: "fault")
    }

    /// From now on syncing takes longer than anybody waits.
    func hang() throws {
        _ = try folder.write("hang", to: "fault")
    }

    func end() throws {
        try FileManager.default.removeItem(atPath: folder.path("fault"))
    }
}

extension TemporaryFolder {
    /// Compiles a library of `Tests/FaultyDisk` for `LD_PRELOAD`, and returns its path.
    func compileLibrary(_ name: String) throws -> String {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../FaultyDisk/\(name).c").standardized
        let library = path("\(name).so")
        let compiler = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            ["clang", "-shared", "-fPIC", "-o", library, source.path, "-ldl"])
        guard try compiler.wait() == .exit(0) else {
            throw TestFailure("\(name).c does not compile: \(compiler.transcript)")
        }
        return library
    }
}
