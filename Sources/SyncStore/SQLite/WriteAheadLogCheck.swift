import Glibc

/// Distinguishes damage in SQLite's write-ahead log from the torn end that a loss of power leaves.
///
/// SQLite reads its log up to the first invalid frame, and regards the rest as an unfinished
/// commit. So damage in the middle would silently undo commits that were synced and acknowledged.
/// But each commit is synced before the next one begins. If a commit ends and another begins after
/// the first invalid frame, that frame had been synced, and is damaged.
///
/// Damage within the very last commit looks like a torn end. If commits are not synced
/// (``SyncMode/relaxed``), nothing of this holds.
///
/// The format is <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct WriteAheadLogCheck {
    private typealias Sum = (UInt32, UInt32)

    private struct Frame {
        var salt: UInt64
        /// Whether a commit ends with it.
        var isCommit: Bool
        /// As stored in the frame; the next frame's checksum continues it.
        var sum: Sum
        /// Whether it is valid as the successor of the frame before.
        var isWhole: Bool
    }

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    private let descriptor: Int32
    private let size: Int
    private let isBigEndian: Bool
    private let pageBytes: Int
    private let salt: UInt64
    private let headerSum: Sum

    /// - Throws: ``StoreError/corrupt(room:what:)`` if the log at `path` is damaged. A missing log
    ///   is not damaged.
    static func run(path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        // The header is synced before the first frame is written.
        guard size > headerBytes else { return }
        guard let check = WriteAheadLogCheck(descriptor, size: size) else {
            throw .corrupt(room: nil, what: "the head of the write-ahead log")
        }
        if let frame = check.firstDamagedFrame() {
            throw .corrupt(room: nil, what: "frame \(frame) of the write-ahead log")
        }
    }

    /// Reads the header; `nil` if it is not valid.
    private init?(_ descriptor: Int32, size: Int) {
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return nil }
        self.descriptor = descriptor
        self.size = size
        let words = header.withUnsafeBytes { bytes in
            (0..<8).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self).bigEndian }
        }
        guard words[0] & ~1 == 0x377F_0682 else { return nil }
        isBigEndian = words[0] & 1 == 1
        pageBytes = Int(words[2])
        salt = UInt64(words[4]) << 32 | UInt64(words[5])
        headerSum = (words[6], words[7])
        let sum = header.withUnsafeBytes { bytes in
            Self.extend((0, 0), with: bytes[..<24], isBigEndian: words[0] & 1 == 1)
        }
        guard sum == headerSum, (512...65536).contains(pageBytes),
            pageBytes & (pageBytes - 1) == 0
        else { return nil }
    }

    private func firstDamagedFrame() -> Int? {
        var previous = Frame(salt: salt, isCommit: false, sum: headerSum, isWhole: true)
        var firstBad: Int?
        let frameBytes = Self.frameHeaderBytes + pageBytes
        var buffer = [UInt8](repeating: 0, count: frameBytes)
        for index in 0..<((size - Self.headerBytes) / frameBytes) {
            let offset = Self.headerBytes + index * frameBytes
            guard pread(descriptor, &buffer, frameBytes, off_t(offset)) == frameBytes else {
                return nil
            }
            let frame = buffer.withUnsafeBytes { self.frame($0, after: previous.sum) }
            if firstBad == nil, !frame.isWhole { firstBad = index }
            if let firstBad, index > firstBad, previous.salt == salt, previous.isCommit,
                frame.isWhole
            {
                return firstBad
            }
            previous = frame
        }
        return nil
    }

    private func frame(_ bytes: UnsafeRawBufferPointer, after sum: Sum) -> Frame {
        func word(_ index: Int) -> UInt32 {
            bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self).bigEndian
        }
        let frameSalt = UInt64(word(2)) << 32 | UInt64(word(3))
        let stored = (word(4), word(5))
        var computed = Self.extend(sum, with: bytes[..<8], isBigEndian: isBigEndian)
        computed = Self.extend(
            computed, with: bytes[Self.frameHeaderBytes...], isBigEndian: isBigEndian)
        return Frame(
            salt: frameSalt, isCommit: word(1) != 0, sum: stored,
            isWhole: frameSalt == salt && stored == computed)
    }

    /// SQLite's checksum of pairs of words.
    private static func extend(
        _ sum: Sum, with bytes: Slice<UnsafeRawBufferPointer>, isBigEndian: Bool
    ) -> Sum {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        var (first, second) = sum
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
            second &+= (isBigEndian ? other.bigEndian : other.littleEndian) &+ first
        }
        return (first, second)
    }
}
