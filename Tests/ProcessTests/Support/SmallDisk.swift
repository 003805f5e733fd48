import Foundation
import Glibc

/// A small file system in memory.
final class SmallDisk {
    private let folder: TemporaryFolder

    /// - Throws: ``TestFailure`` if nobody may mount one, as in most containers.
    init(mebibytes: Int) throws {
        folder = try TemporaryFolder()
        let result = mount(
            "collsync-test", folder.url.path, "tmpfs", UInt(MS_NOSUID),
            "size=\(mebibytes)m")
        guard result == 0 else { throw TestFailure("could not mount: error \(errno)") }
    }

    deinit {
        umount2(folder.url.path, Int32(MNT_DETACH))
    }

    static var isAvailable: Bool { (try? SmallDisk(mebibytes: 1)) != nil }

    func path(_ name: String) -> String { folder.path(name) }

    /// Uses up all free space.
    func fill() throws {
        let descriptor = open(path("ballast"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw TestFailure("no ballast: error \(errno)") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
    }

    func makeRoom() throws {
        try FileManager.default.removeItem(atPath: path("ballast"))
    }
}
