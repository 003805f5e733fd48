import SyncIO
import Synchronization

/// What others hold of a ``ServerLoop``: a way to have something done there.
final class LoopHandle: Sendable {
    let index: Int
    private let mailbox: any Mailbox
    /// How many connections the loop has, and is about to be given.
    let connections = Atomic<Int>(0)
    /// Used on the loop's own thread only, or when that has ended.
    private nonisolated(unsafe) var loop: ServerLoop?

    init(_ loop: ServerLoop, index: Int, mailbox: any Mailbox) {
        self.index = index
        self.loop = loop
        self.mailbox = mailbox
    }

    /// Has `work` done on the loop, after what was posted before; if the loop has ended, never.
    ///
    /// - Parameter message: the kind of message that it is done for, if it is for one.
    func post(
        for message: StaticString? = nil, _ work: @escaping @Sendable (ServerLoop) -> Void
    ) {
        mailbox.post { [self] in
            guard let loop else { return }
            loop.perform(.posted, for: message) { work(loop) }
        }
    }

    /// Lets the loop go; called when its thread has ended.
    func release() {
        loop?.abandon()
        loop = nil
    }
}
