/// Bytes that never change and are shared without a copy: one frame serves every receiver.
public final class SharedBytes: Sendable {
    /// The memory lives exactly as long as this object and is never written after `init`.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// The number of bytes.
    public let count: Int
    /// The owner of the memory, if these are a part of other bytes.
    private let owner: SharedBytes?

    /// Makes bytes of a known size.
    ///
    /// - Parameter initialize: gets the memory, uninitialized, and must fill all of it.
    package init(count: Int, initialize: (UnsafeMutableRawBufferPointer) -> Void) {
        base = .allocate(byteCount: max(count, 1), alignment: 8)
        self.count = count
        owner = nil
        initialize(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// Makes a copy of bytes. O(n).
    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Makes a copy of bytes. O(n).
    public convenience init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { memory in
            bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
        }
    }

    /// Makes a view of a part of other bytes, without a copy. It keeps all of them in memory.
    package init(partOf bytes: SharedBytes, _ range: Range<Int>) {
        precondition(
            0 <= range.lowerBound && range.upperBound <= bytes.count,
            "a part lies within the whole")
        base = bytes.base + range.lowerBound
        count = range.count
        owner = bytes.owner ?? bytes
    }

    /// Makes a view of the end of other bytes, without a copy. It keeps all of them in memory.
    package convenience init(endOf bytes: SharedBytes, from offset: Int) {
        precondition((0...bytes.count).contains(offset), "a part lies within the whole")
        self.init(partOf: bytes, offset..<bytes.count)
    }

    deinit {
        if owner == nil { base.deallocate() }
    }

    /// Calls `body` with the bytes, which are valid only during the call. O(1).
    ///
    /// - Throws: what `body` throws.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }

    /// A copy of the bytes, made anew each time. O(n).
    public var array: [UInt8] {
        withBytes { [UInt8]($0) }
    }

    /// The bytes, valid while this object lives. Use this only where the object is stored elsewhere
    /// for as long as the bytes are read. With a local variable or the result of a call, Swift may
    /// free the object too early: use ``withBytes(_:)``.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }
}

extension SharedBytes: Equatable {
    /// Whether both have the same bytes. O(n), and O(1) for an object and itself.
    public static func == (left: SharedBytes, right: SharedBytes) -> Bool {
        left === right || left.bytes.elementsEqual(right.bytes)
    }
}

extension SharedBytes {
    /// Whether both have the same bytes.
    package func hasSameBytes(as other: SharedBytes) -> Bool {
        bytes.hasSameBytes(as: other.bytes)
    }
}
