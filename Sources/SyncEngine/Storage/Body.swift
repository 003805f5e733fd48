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

extension BlobStore {
    /// Makes a body. Neither part may lie in this store: making a blob may move it.
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
