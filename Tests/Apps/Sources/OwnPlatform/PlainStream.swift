import Foundation
import SyncIO

/// A socket that does not block.
final class PlainStream: ByteStream {
    let descriptor: Int32
    let peer: String
    private unowned let loop: PlainLoop
    private var handler: (any ByteStreamHandler)?
    private var unsent: [UInt8] = []
    private(set) var isWriting = false
    private var isClosed = false
    var isReadingPaused = false

    init(_ descriptor: Int32, _ peer: String, _ loop: PlainLoop) {
        self.descriptor = descriptor
        self.peer = peer
        self.loop = loop
    }

    var unsentBytes: Int { unsent.count }

    /// What it waits for.
    var awaited: Int16 {
        Int16(isReadingPaused ? 0 : POLLIN) | Int16(isWriting ? POLLOUT : 0)
    }

    func open(_ handler: any ByteStreamHandler) { self.handler = handler }

    func write(_ parts: [SharedBytes]) {
        guard !isClosed else { return }
        unsent = parts.flatMap(\.array)
        isWriting = true
    }

    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { close(nil) }

    private func close(_ error: IOError?) {
        guard !isClosed else { return }
        isClosed = true
        loop.forget(self)
        _ = Glibc.close(descriptor)
        let handler = handler
        loop.atEndOfTurn { handler?.streamDidClose(error) }
        self.handler = nil
    }

    /// The socket can be read, or written.
    func isReady() {
        if isWriting { send() }
        if !isReadingPaused { receive() }
    }

    private func send() {
        let count = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_NOSIGNAL))
        if count < 0, errno != EAGAIN { return close(.connectionLost(peer)) }
        unsent.removeFirst(max(count, 0))
        guard unsent.isEmpty else { return }
        isWriting = false
        handler?.streamDidDrain()
    }

    private func receive() {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count == 0 { return close(nil) }
        guard count > 0 else { return errno == EAGAIN ? () : close(.connectionLost(peer)) }
        bytes.withUnsafeBytes { handler?.streamDidReceive(.init(rebasing: $0[..<count])) }
    }
}
