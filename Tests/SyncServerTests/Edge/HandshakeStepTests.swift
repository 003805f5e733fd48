import SyncBytes
import SyncIO
import SyncServer
import SyncWire
import Testing

/// Steps of handshakes, which wait for a turn.
@Suite struct HandshakeStepTests {
    @Test("a step that is due when its connection has gone does nothing", arguments: [0, 1])
    func late(maximumConnections: Int) throws {
        let security = HastySecurity()
        let world = try World {
            $0.security = security
            $0.maximumConnections = maximumConnections
        }
        let client = try world.connect()
        client.send(SharedBytes([1]))
        #expect(world.run { client.isClosed })
        world.run(forMilliseconds: 10_000)
        #expect(security.steps.value < HastyStream.dueSteps)
    }
}

/// Secures nothing, but has handshakes so long that a turn does one step.
private final class HastySecurity: ServerSecurity {
    /// How many steps were done.
    let steps = Box(0)
    let handshakeMicroseconds = 1_000_000

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        HastyStream(stream, counting: steps)
    }
}

/// A stream whose handshake is due many times at its first bytes, and which closes at once.
private final class HastyStream: SecuredStream {
    static let dueSteps = 20

    private let below: any ByteStream
    private let steps: Box<Int>
    private var handler: (any ByteStreamHandler)?
    var whenHandshakeIsDue: (() -> Void)?
    let certificate: PeerCertificate? = nil
    let memoryBytes = 0

    func takeRecordCount() -> Int { 0 }

    init(_ below: any ByteStream, counting steps: Box<Int>) {
        self.below = below
        self.steps = steps
    }

    func continueHandshake() { steps.value += 1 }

    var peer: String { below.peer }
    var isWriting: Bool { below.isWriting }
    var unsentBytes: Int { below.unsentBytes }
    var isReadingPaused: Bool {
        get { below.isReadingPaused }
        set { below.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        below.open(self)
    }

    func write(_ parts: [SharedBytes]) { below.write(parts) }
    func finishWriting() { below.finishWriting() }
    func close() { below.close() }
}

extension HastyStream: ByteStreamHandler {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        for _ in 0..<HastyStream.dueSteps { whenHandshakeIsDue?() }
        whenHandshakeIsDue = nil
        close()
    }

    func streamDidDrain() { handler?.streamDidDrain() }

    func streamDidClose(_ error: IOError?) {
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }
}
