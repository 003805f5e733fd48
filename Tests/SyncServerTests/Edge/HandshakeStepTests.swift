import SyncBytes
import SyncIO
import SyncServer
import SyncWire
import Testing

/// Steps of handshakes, which wait for a turn.
@Suite struct HandshakeStepTests {
    @Test("a step that is due when its connection has gone does nothing", arguments: [0, 1])
    func late(maximumConnections: Int) throws {
        let steps = Box(0)
        let world = try World {
            // A handshake is so long that a turn does one step.
            $0.security = UnsecuredSecurity(handshakeMicroseconds: 1_000_000) {
                HastyStream($0, counting: steps)
            }
            $0.maximumConnections = maximumConnections
        }
        let client = try world.connect()
        client.send(SharedBytes([1]))
        #expect(world.run { client.isClosed })
        world.run(forMilliseconds: 10_000)
        #expect(steps.value < HastyStream.dueSteps)
    }
}

/// A stream whose handshake is due many times at its first bytes, and which closes at once.
private final class HastyStream: UnsecuredStream {
    static let dueSteps = 20

    private let steps: Box<Int>

    init(_ below: any ByteStream, counting steps: Box<Int>) {
        self.steps = steps
        super.init(below)
    }

    override func continueHandshake() { steps.value += 1 }

    override func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        for _ in 0..<HastyStream.dueSteps { whenHandshakeIsDue?() }
        whenHandshakeIsDue = nil
        close()
    }
}
