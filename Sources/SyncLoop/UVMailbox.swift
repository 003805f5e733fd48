import CUV
import SyncIO

/// A loop's letter box: a locked array, and a `uv_async` that wakes the loop for its first letter.
///
/// Two arrays take turns, so that in the long run posting allocates nothing.
final class UVMailbox: Mailbox, @unchecked Sendable {
    // Sendable: `box` is locked; `opened` belongs to the loop's thread.
    private struct Box {
        var letters: [@Sendable () -> Void] = []
        /// The handle that wakes the loop; `nil` when the loop has stopped. It is used only under
        /// the lock, so that it can't go while another thread uses it.
        var bell: Handle?
    }

    private let box = Monitor(Box())
    private var opened: [@Sendable () -> Void] = []

    func post(_ work: @escaping @Sendable () -> Void) {
        box.withLock { box in
            guard let bell = box.bell else { return }
            box.letters.append(work)
            if box.letters.count == 1 { uv_async_send(bell.raw()) }
        }
    }

    /// Connects the box to its loop.
    func open(on raw: UnsafeMutablePointer<uv_loop_t>) throws(IOError) {
        let bell = Handle(UV_ASYNC)
        try bell.adopt(uv_async_init(raw, bell.raw(), bellDidRing))
        box.withLock { $0.bell = bell }
    }

    /// Drops what is in the box and all that will come.
    func close() {
        let left = box.withLock { box in
            defer { box = Box() }
            return box
        }
        left.bell?.close()
    }

    /// Does what the letters say that came before this call.
    func deliver() {
        box.withLock { swap(&$0.letters, &opened) }
        for work in opened { work() }
        opened.removeAll(keepingCapacity: true)
    }
}

private func bellDidRing(_ raw: UnsafeMutablePointer<uv_async_t>?) {
    UVLoop.of(raw?.pointee.loop)?.deliverMail()
}
