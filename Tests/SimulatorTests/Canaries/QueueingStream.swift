import SyncBytes
import SyncIO

/// Accepts every write at once, and queues without bound what the system does not accept yet.
final class QueueingStream: ForwardingStream {
    private var queue: [SharedBytes] = []

    override var isWriting: Bool { false }

    override func write(_ parts: [SharedBytes]) {
        queue += parts
        flush()
        loop.atEndOfTurn { [weak self] in self?.handler?.streamDidDrain() }
    }

    private func flush() {
        guard !stream.isWriting, !queue.isEmpty else { return }
        let parts = queue
        queue = []
        stream.write(parts)
    }

    override func streamDidDrain() { flush() }
}
