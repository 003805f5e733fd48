import Glibc
import SyncIO
import SyncLoop

/// The keys that a person presses on a terminal, read on a thread of its own.
enum Keyboard {
    /// How long the rest of a key's sequence may take to come: an escape after which nothing came is the
    /// escape key.
    private static let patienceMilliseconds: Int32 = 50

    /// The keys from now on, until the terminal is gone. They wait for their reader; a person does not
    /// press many.
    static func keys(from descriptor: Int32) throws(IOError) -> AsyncStream<Key> {
        let (keys, continuation) = AsyncStream<Key>.makeStream()
        let worker = try LoopPlatform().startWorker(named: "collsync-keys")
        worker.submit {
            read(descriptor) { continuation.yield($0) }
            continuation.finish()
        }
        return keys
    }

    private static func read(_ descriptor: Int32, _ pressed: (Key) -> Void) {
        var decoder = KeyDecoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 10)
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, decoder.isPending ? patienceMilliseconds : -1)
            if ready == 0 { decoder.flush().forEach(pressed) }
            if ready < 0, errno != EINTR { return }
            guard ready > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                decoder.take(buffer[..<count]).forEach(pressed)
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                return
            }
        }
    }
}
