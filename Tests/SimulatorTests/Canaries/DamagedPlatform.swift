import SyncIO

/// A platform that wraps each connection of the server in another stream.
final class DamagedPlatform: Platform {
    typealias Damage = @Sendable (any ByteStream, any EventLoop) -> any ByteStream

    private let platform: any Platform
    private let damage: Damage

    init(_ platform: any Platform, _ damage: @escaping Damage) {
        self.platform = platform
        self.damage = damage
    }

    func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        try platform.startLoop(named: name) { [damage] loop in
            body(DamagedLoop(loop, damage))
        }
    }

    func startWorker(named name: String) throws(IOError) -> any Worker {
        try platform.startWorker(named: name)
    }
}

private final class DamagedLoop: EventLoop {
    fileprivate let loop: any EventLoop
    private let damage: DamagedPlatform.Damage

    init(_ loop: any EventLoop, _ damage: @escaping DamagedPlatform.Damage) {
        self.loop = loop
        self.damage = damage
    }

    func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        let damage = damage
        return try loop.openPort(address) {
            incoming(DamagedIncoming(incoming: $0, damage: damage))
        }
    }

    var nowMilliseconds: UInt64 { loop.nowMilliseconds }
    var clockMicroseconds: UInt64 { loop.clockMicroseconds }
    var wallClockMilliseconds: UInt64 { loop.wallClockMilliseconds }
    var mailbox: any Mailbox { loop.mailbox }

    func random() -> UInt64 { loop.random() }

    func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        loop.schedule(afterMilliseconds: delay, action)
    }

    func atEndOfTurn(_ action: @escaping () -> Void) { loop.atEndOfTurn(action) }

    func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        loop.connect(to: address, completion: completion)
    }

    func stop() { loop.stop() }
}

/// Wraps the stream when a loop accepts it.
private struct DamagedIncoming: IncomingStream {
    let incoming: any IncomingStream
    let damage: DamagedPlatform.Damage

    func take(on loop: any EventLoop, _ accept: (any ByteStream) -> Void) {
        guard let loop = (loop as? DamagedLoop)?.loop else { return }
        incoming.take(on: loop) { accept(damage($0, loop)) }
    }
}
