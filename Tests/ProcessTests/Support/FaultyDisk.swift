import Foundation

/// A server's disk that fails on command: a library, preloaded into the server, stands between
/// SQLite and the system.
final class FaultyDisk {
    /// What fails, named as the library knows it.
    enum Fault: String, CaseIterable {
        /// What is written gets there by half, and then there is no room.
        case full
        case write
        /// What is written may or may not be there after a loss of power.
        case sync
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../FaultyDisk/FaultyDisk.c").standardized
        let compiler = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            ["clang", "-shared", "-fPIC", "-o", folder.path("faulty-disk.so"), source.path, "-ldl"])
        guard try compiler.wait() == .exit(0) else {
            throw TestFailure("the faulty disk does not compile: \(compiler.transcript)")
        }
    }

    /// What a server is to be started with.
    var environment: [String: String] {
        ["LD_PRELOAD": folder.path("faulty-disk.so"), "FAULTY_DISK": folder.path("fault")]
    }

    func begin(_ fault: Fault) throws {
        _ = try folder.write(fault.rawValue, to: "fault")
    }

    func end() throws {
        try FileManager.default.removeItem(atPath: folder.path("fault"))
    }
}
