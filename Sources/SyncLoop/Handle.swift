import CUV
import SyncIO

/// A libuv handle: memory on the heap that libuv knows by its address, from `adopt` until the close
/// callback, and not a moment less.
///
/// While libuv knows the memory, its `data` holds a strong reference to this object, so neither can
/// go before the other: an open handle lives without anyone else holding it.
class Handle {
    enum State {
        /// libuv does not know the memory.
        case unknown
        case open
        /// Closing was asked for; the callback is to come.
        case closing
        /// libuv has forgotten the memory.
        case closed
    }

    private let memory: UnsafeMutableRawPointer
    private(set) var state = State.unknown

    init(_ type: uv_handle_type) {
        memory = .allocate(byteCount: uv_handle_size(type), alignment: 16)
    }

    deinit {
        precondition(state == .unknown || state == .closed, "a handle is closed before it goes")
        memory.deallocate()
    }

    /// The memory as the struct it holds: `uv_poll_t`, or what that begins with.
    @inline(__always)
    final func raw<Struct>(_ type: Struct.Type = Struct.self) -> UnsafeMutablePointer<Struct> {
        memory.assumingMemoryBound(to: type)
    }

    /// Takes note of what libuv's `init` function for this handle said.
    final func adopt(_ status: UVStatus) throws(IOError) {
        guard status >= 0 else { throw .system("libuv refuses a handle: \(describe(status))") }
        raw(uv_handle_t.self).pointee.data = Unmanaged.passRetained(self).toOpaque()
        state = .open
    }

    /// Closes the handle, at once as far as its user is concerned; ``didClose()`` follows from the
    /// loop.
    func close() {
        guard state == .open else { return }
        state = .closing
        uv_close(raw(), handleDidClose)
    }

    /// The last libuv does with the handle. Nothing of it is used any more.
    func didClose() {}

    fileprivate final func finishClosing() {
        state = .closed
        didClose()
    }

    /// The object whose memory this is, if it is of that class.
    @inline(__always)
    static func of<Owner: Handle>(
        _ data: UnsafeMutableRawPointer?, as type: Owner.Type = Owner.self
    ) -> Owner? {
        data.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func handleDidClose(_ raw: UnsafeMutablePointer<uv_handle_t>?) {
    guard let data = raw?.pointee.data else { return }
    Unmanaged<Handle>.fromOpaque(data).takeRetainedValue().finishClosing()
}

/// Closes one of a loop's handles, for `uv_walk`.
func closeHandle(
    _ raw: UnsafeMutablePointer<uv_handle_t>?, _ context: UnsafeMutableRawPointer?
) {
    Handle.of(raw?.pointee.data, as: Handle.self)?.close()
}
