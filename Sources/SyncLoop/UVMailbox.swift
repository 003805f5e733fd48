import CUV
import SyncIO

/// A loop's mailbox: a locked array of posted work, the *letters*, and a `uv_async` handle that
/// wakes the loop for the first of them.
///
/// Two arrays are swapped, so in the long run posting allocates nothing.
final class UVMailbox: Mailbox, @unchecked Sendable {
    // Sendable: `box` is locked; `opened` belongs to the loop's thread.
    private struct Box {
        var letters: [@Sendable () -> Void] = []
        /// The handle that wakes the loop; `nil` when the loop has stopped. It is used only under
        /// the lock, so that it is not freed while another thread uses it.
        var bell: Handle?
    }

    private let box = Monitor(Box())
    private var opened: [@Sendable () -> Void] = []
    /// How many of the opened letters have run.
    private var next = 0
    /// How many letters a turn runs at most.
    private static let lettersPerTurn = 256

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

    /// Drops the letters in the box and all that are posted later.
    func close() {
        let left = box.withLock { box in
            defer { box = Box() }
            return box
        }
        left.bell?.close()
        opened = []
        next = 0
    }

    /// Runs the letters that were posted before this call, up to `lettersPerTurn`, and wakes the
    /// loop again for the others.
    func deliver() {
        let hadLeft = next < opened.count
        if !hadLeft { box.withLock { swap(&$0.letters, &opened) } }
        let end = min(opened.count, next + UVMailbox.lettersPerTurn)
        while next < end {
            let work = opened[next]
            next += 1
            work()
        }
        if next == opened.count {
            opened.removeAll(keepingCapacity: true)
            next = 0
        }
        // If some were left, this call was their bell. The box was not opened, so it needs another
        // one.
        guard hadLeft || !opened.isEmpty else { return }
        box.withLock { box in
            if let bell = box.bell { uv_async_send(bell.raw()) }
        }
    }
}

private func bellDidRing(_ raw: UnsafeMutablePointer<uv_async_t>?) {
    UVLoop.of(raw?.pointee.loop)?.deliverMail()
}
