import Foundation
import Testing

@testable import collsync

/// How much of a disk a store may use without an option.
@Suite struct SystemDiskTests {
    private static let mebibyte: UInt64 = 1 << 20

    /// A store's own growth does not reduce what it may use. Other files in its folder, and the
    /// audit trail, give it no space.
    @Test(arguments: [
        ("collsync.db", true), ("collsync.db-wal", true), ("collsync.tail", true),
        ("revocations", false), ("audit", false), ("audit/audit-1.jsonl", false),
    ])
    func whatTheStoreHasIsItsOwn(name: String, isOfStore: Bool) throws {
        let folder = try TemporaryFolder()
        let before = try #require(SystemDisk.mostBytes(for: folder.url.path))
        // The file has a hole, so it uses no space on the disk.
        let file = folder.url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        let size: UInt64 = 1 << 38
        try FileHandle(forWritingTo: file).truncate(atOffset: size)
        let after = try #require(SystemDisk.mostBytes(for: folder.url.path))
        // Other programs write, too.
        let change = Int64(after) - Int64(before) - (isOfStore ? Int64(size) : 0)
        #expect(change.magnitude < 1 << 36)
    }

    @Test func aFolderThatIsStillToBeMadeIsOnTheDiskOfTheOneAround() throws {
        let folder = try TemporaryFolder()
        let most = try #require(SystemDisk.mostBytes(for: folder.path("data/of/mine")))
        let around = try #require(SystemDisk.mostBytes(for: folder.url.path))
        #expect(Int64(most) - Int64(around) < 1 << 36 && most >= Self.mebibyte)
        for path in ["/nowhere at all/data", "nowhere/at/all", "nowhere"] {
            #expect(try #require(SystemDisk.mostBytes(for: path)) >= Self.mebibyte)
        }
    }

    @Test func aDiskWithoutAnythingLeavesALittle() {
        #expect(SystemDisk.mostBytes(for: "/proc/self/task") == Self.mebibyte)
    }

    @Test func whatIsNoFolderIsNotMeasured() {
        #expect(SystemDisk.mostBytes(for: "/etc/passwd/data") == nil)
    }
}
