import Glibc

/// The file beside the database that has the number of the last commit.
///
/// The number is written after its commit is durable, over the one before, by one write that is not
/// synced. So the file may lag behind the database, and is never ahead of a database that has lost
/// nothing. If a write fails, the file lags until the next one.
///
///     file = "csyntail" number checksum     -- 8, 8 and 4 bytes, little-endian; the CRC-32 of both
final class TailFile {
    static let name = "collsync.tail"
    private static let mark: StaticString = "csyntail"
    private static let byteCount = 20

    /// What a file says.
    enum Reading: Equatable {
        case missing
        case unreadable
        case number(UInt64)
    }

    private let descriptor: Int32

    /// Opens the file for writing, and makes it if there is none; `nil` if the system refuses.
    init?(path: String) {
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Whatever else was there is no part of it.
        guard ftruncate(descriptor, off_t(Self.byteCount)) == 0 else { return nil }
    }

    deinit {
        // This also runs if the initializer fails.
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func write(_ number: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
            Self.mark.withUTF8Buffer { bytes.copyMemory(from: UnsafeRawBufferPointer($0)) }
            bytes.storeBytes(of: number.littleEndian, toByteOffset: 8, as: UInt64.self)
            let checksum = Checksum.extend(0, with: UnsafeRawBufferPointer(rebasing: bytes[..<16]))
            bytes.storeBytes(of: checksum.littleEndian, toByteOffset: 16, as: UInt32.self)
            _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
        }
    }

    static func read(path: String) -> Reading {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .unreadable }
        defer { Glibc.close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { bytes in
            guard pread(descriptor, bytes.baseAddress, byteCount, 0) == byteCount else {
                return .unreadable
            }
            let isMarked = mark.withUTF8Buffer { $0.elementsEqual(bytes[..<8]) }
            let checksum = Checksum.extend(0, with: UnsafeRawBufferPointer(rebasing: bytes[..<16]))
            guard isMarked,
                bytes.load(fromByteOffset: 16, as: UInt32.self) == checksum.littleEndian
            else { return .unreadable }
            return .number(UInt64(littleEndian: bytes.load(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}
