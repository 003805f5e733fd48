import Foundation

/// A server's disk that fails on command: a library, preloaded into the server, stands between SQLite
/// and the system.
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
    }

    /// What a server is to be started with.
    var environment: [String: String] {
        get throws {
            ["LD_PRELOAD": try Program.faultyDisk.path, "FAULTY_DISK": folder.path("fault")]
        }
    }

    func begin(_ fault: Fault) throws {
        _ = try folder.write(fault.rawValue, to: "fault")
    }

    func end() throws {
        try FileManager.default.removeItem(atPath: folder.path("fault"))
    }
}
