import Glibc
import SyncIO
import SyncLoop

/// The keys that a person presses on a terminal. A thread of its own reads them until ``finish()``.
final class Keyboard: Sendable {
    /// How long to wait for the rest of a sequence. An escape without a rest is the escape key.
    private static let patienceMilliseconds: Int32 = 50

    /// The most keys that are queued where each moves something on the screen. A person does not
    /// type as many, but may paste them.
    private static let mostWaiting = 4_096

    /// The keys, until the terminal is gone. If a bounded queue is full, new keys are dropped.
    let keys: AsyncStream<Key>
    private let input: InputWait
    private let worker: any Worker

    /// - Parameter losesNone: whether all keys count, as in a text, also if many are pasted.
    init(descriptor: Int32, losesNone: Bool = false) throws(IOError) {
        let (keys, continuation) = AsyncStream<Key>.makeStream(
            bufferingPolicy: losesNone ? .unbounded : .bufferingOldest(Keyboard.mostWaiting))
        let input = try InputWait()
        self.keys = keys
        self.input = input
        worker = try LoopPlatform().startWorker(named: "collsync-keys")
        worker.submit {
            Keyboard.read(descriptor, input) { continuation.yield($0) }
            continuation.finish()
        }
    }

    /// Ends the reading, and waits until its thread has ended.
    func finish() {
        input.stop()
        worker.finish()
    }

    private static func read(
        _ descriptor: Int32, _ input: InputWait, _ pressed: (Key) -> Void
    ) {
        var decoder = KeyDecoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 10)
        while true {
            switch input.wait(
                for: descriptor, milliseconds: decoder.isPending ? patienceMilliseconds : -1)
            {
            case .stopped: return
            case .timedOut:
                decoder.flush().forEach(pressed)
                continue
            case .readable: break
            }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                decoder.take(buffer[..<count]).forEach(pressed)
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                return
            }
        }
    }
}
