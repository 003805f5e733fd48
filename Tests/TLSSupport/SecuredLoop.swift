package import SyncIO

/// A loop on another one, whose connections are all secured, or otherwise streams on streams.
package final class SecuredLoop: EventLoop {
    private let below: any EventLoop
    private let layer: Layer
    private let client: any ClientSecurity

    /// Makes a stream of one that a server has accepted.
    package typealias Layer = @Sendable (any ByteStream, any EventLoop) -> any ByteStream

    package init(
        _ below: any EventLoop, accepting layer: @escaping Layer,
        connecting client: any ClientSecurity
    ) {
        self.below = below
        self.layer = layer
        self.client = client
    }

    package convenience init(
        _ below: any EventLoop, _ server: any ServerSecurity, _ client: any ClientSecurity
    ) {
        self.init(below, accepting: { server.secure($0, on: $1) }, connecting: client)
    }

    package func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        // The port keeps the loop.
        try below.openPort(address) { [self] in
            incoming(SecuredIncoming(below: $0, layer: layer))
        }
    }

    package func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        client.connect(to: address, on: below, completion: completion)
    }

    package var nowMilliseconds: UInt64 { below.nowMilliseconds }
    package var clockMicroseconds: UInt64 { below.clockMicroseconds }
    package var wallClockMilliseconds: UInt64 { below.wallClockMilliseconds }
    package var mailbox: any Mailbox { below.mailbox }
    package func random() -> UInt64 { below.random() }

    @discardableResult
    package func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        below.schedule(afterMilliseconds: delay, action)
    }

    package func atEndOfTurn(_ action: @escaping () -> Void) {
        below.atEndOfTurn(action)
    }

    package func stop() {
        below.stop()
    }

    private struct SecuredIncoming: IncomingStream {
        let below: any IncomingStream
        let layer: Layer

        func take(on loop: any EventLoop, _ accept: (any ByteStream) -> Void) {
            let loop = (loop as? SecuredLoop)?.below ?? loop
            below.take(on: loop) { accept(layer($0, loop)) }
        }
    }
}
