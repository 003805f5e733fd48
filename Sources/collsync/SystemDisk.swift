import Glibc
import SyncStore

/// The disk that the store is on.
enum SystemDisk {
    /// How large a store in a folder may be so that a tenth of the disk stays free; `nil` if that
    /// can't be measured.
    static func mostBytes(for folder: String) -> UInt64? {
        var disk = statvfs()
        // The folder may not exist yet.
        var place = folder
        while statvfs(place, &disk) != 0 {
            guard errno == ENOENT else { return nil }
            guard let slash = place.lastIndex(of: "/"), slash != place.startIndex else {
                place = place.hasPrefix("/") ? "/" : "."
                guard statvfs(place, &disk) == 0 else { return nil }
                break
            }
            place = String(place[..<slash])
        }
        let block = UInt64(disk.f_frsize)
        let tenth = UInt64(disk.f_blocks) / 10
        let free = UInt64(disk.f_bavail) - min(UInt64(disk.f_bavail), tenth)
        return max(leastBytes, free * block + StoreFiles.bytes(in: folder))
    }

    private static let leastBytes: UInt64 = 1 << 20
}
