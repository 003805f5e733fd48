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
        let length = bytes.isEmpty ? 0 : Int(bytes[0])
        id = UnsafeRawBufferPointer(rebasing: bytes.dropFirst().prefix(length))
        content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(1 + length))
    }

    @inline(__always)
    func hasID(_ other: UnsafeRawBufferPointer) -> Bool {
        guard id.count == other.count, let left = id.baseAddress, let right = other.baseAddress
        else { return false }
        return memcmp(left, right, other.count) == 0
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
