/// The parts of a write, in their order. Long parts are shared; short ones are copied together,
/// since a part of its own costs a write more than to copy some bytes.
package struct GatheredParts {
    private var parts: [SharedBytes] = []
    /// What follows the parts.
    private var short: [UInt8] = []
    /// How many bytes all of it has.
    package private(set) var byteCount = 0

    /// A part of at most so many bytes is short.
    package static let shortBytes = 512

    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    /// How many bytes of memory it takes, with parts that are shared.
    package var memoryBytes: Int {
        byteCount - short.count + short.capacity + parts.count * GatheredParts.bytesOfPart
    }

    /// What a part uses beside its bytes: an object, and its place in the list.
    private static let bytesOfPart = 96

    package mutating func append(_ bytes: SharedBytes) {
        guard bytes.count > GatheredParts.shortBytes else {
            return bytes.withBytes { append(copying: $0) }
        }
        endShort()
        parts.append(bytes)
        byteCount += bytes.count
    }

    /// Appends a part of other bytes.
    package mutating func append(_ range: Range<Int>, of bytes: SharedBytes) {
        if range.count > GatheredParts.shortBytes {
            append(range.count == bytes.count ? bytes : SharedBytes(partOf: bytes, range))
        } else {
            bytes.withBytes { append(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
    }

    package mutating func append(copying bytes: UnsafeRawBufferPointer) {
        short.append(contentsOf: bytes)
        byteCount += bytes.count
    }

    private mutating func endShort() {
        if short.isEmpty { return }
        parts.append(SharedBytes(short))
        short.removeAll(keepingCapacity: true)
    }

    /// Removes and returns all parts.
    package mutating func take() -> [SharedBytes] {
        endShort()
        defer { self = GatheredParts() }
        return parts
    }
}
