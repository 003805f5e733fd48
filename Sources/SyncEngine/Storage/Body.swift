import Glibc
import SyncBytes

/// A thing's id and content as they lie in one blob: a byte of length, the id, the content.
struct Body {
    /// The id's bytes.
    let id: UnsafeRawBufferPointer
    /// The content's canonical bytes.
    let content: UnsafeRawBufferPointer

    /// Takes a blob apart.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else {
            id = UnsafeRawBufferPointer(start: nil, count: 0)
            content = id
            return
        }
        let length = Int(base.load(as: UInt8.self))
        id = UnsafeRawBufferPointer(start: base + 1, count: length)
        content = UnsafeRawBufferPointer(
            start: base + 1 + length, count: bytes.count - 1 - length)
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}

extension UnsafeRawPointer {
    /// Whether the same bytes are at another place. It is made for ids: most have 16 bytes or less,
    /// and comparing these takes less time than calling `memcmp`.
    @inline(__always)
    fileprivate func hasSameBytes(_ count: Int, as other: UnsafeRawPointer) -> Bool {
        if count > 16 { return memcmp(self, other, count) == 0 }
        if count >= 8 {
            // The two words may overlap.
            return isSame(UInt64.self, at: 0, as: other)
                && isSame(UInt64.self, at: count - 8, as: other)
        }
        if count >= 4 {
            return isSame(UInt32.self, at: 0, as: other)
                && isSame(UInt32.self, at: count - 4, as: other)
        }
        if count == 0 { return true }
        return isSame(UInt8.self, at: 0, as: other) && isSame(UInt8.self, at: count / 2, as: other)
            && isSame(UInt8.self, at: count - 1, as: other)
    }

    @inline(__always)
    private func isSame<Word: FixedWidthInteger & BitwiseCopyable>(
        _ type: Word.Type, at offset: Int, as other: UnsafeRawPointer
    ) -> Bool {
        loadUnaligned(fromByteOffset: offset, as: type)
            == other.loadUnaligned(fromByteOffset: offset, as: type)
    }
}

extension BlobStore {
    /// Whether a body has this id; `false` for reference 0.
    @inline(__always)
    func isBody(_ reference: Reference, of id: UnsafeRawBufferPointer) -> Bool {
        guard reference != 0, let wanted = id.baseAddress else { return false }
        let start = UnsafeRawPointer(start(of: reference))
        guard Int(start.load(as: UInt8.self)) == id.count else { return false }
        return (start + 1).hasSameBytes(id.count, as: wanted)
    }

    /// Makes a body. Neither part may lie in this store, since making a blob may move its memory.
    @inline(__always)
    func makeBody(
        id: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, tag: UInt8
    ) -> Reference {
        let reference = make(length: 1 + id.count + content.count, tag: tag)
        fill(reference, id, content)
        return reference
    }

    /// Makes a body with the id that another one has. The content may not lie in this store.
    @inline(__always)
    func makeBody(
        idOf other: Reference, content: UnsafeRawBufferPointer, tag: UInt8
    ) -> Reference {
        let length = Body(bytes(other)).id.count
        let reference = make(length: 1 + length + content.count, tag: tag)
        fill(reference, Body(bytes(other)).id, content)
        return reference
    }

    @inline(__always)
    private func fill(
        _ reference: Reference, _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer
    ) {
        let start = start(of: reference)
        start.storeBytes(of: UInt8(truncatingIfNeeded: id.count), as: UInt8.self)
        if let source = id.baseAddress {
            (start + 1).copyMemory(from: source, byteCount: id.count)
        }
        if let source = content.baseAddress {
            (start + 1 + id.count).copyMemory(from: source, byteCount: content.count)
        }
    }
}
