import CUV
import SyncIO

/// A libuv handle. Libuv uses its heap memory from `adopt` until the close callback.
///
/// During that time the memory's `data` is a strong reference to this object. So an open handle
/// stays alive without other references, and its memory can't be freed too early.
class Handle {
    enum State {
        /// libuv does not know the memory.
        case unknown
        case open
        /// `uv_close` was called; its callback has not run yet.
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

    /// The memory as its libuv struct, such as `uv_poll_t`, or as a struct that this one begins
    /// with.
    @inline(__always)
    final func raw<Struct>(_ type: Struct.Type = Struct.self) -> UnsafeMutablePointer<Struct> {
        memory.assumingMemoryBound(to: type)
    }

    /// Opens the handle if `status`, the result of libuv's `init` function for it, is a success.
    final func adopt(_ status: UVStatus) throws(IOError) {
        guard status >= 0 else { throw .system("libuv refuses a handle: \(describe(status))") }
        raw(uv_handle_t.self).pointee.data = Unmanaged.passRetained(self).toOpaque()
        state = .open
    }

    /// Closes the handle. For its user it is closed at once; the loop calls ``didClose()`` later.
    func close() {
        guard state == .open else { return }
        state = .closing
        uv_close(raw(), handleDidClose)
    }

    /// Called when libuv has finished with the handle.
    func didClose() {}

    fileprivate final func finishClosing() {
        state = .closed
        didClose()
    }

    /// The object that a handle's `data` refers to; `nil` without one. Its class is not checked.
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
