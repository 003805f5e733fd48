import SyncBytes
import SyncIO
import SyncRoom
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

    /// Many connections of one address have steps due, and then one of another address has.
    @Test("addresses take turns, and each turn has a quarter for them")
    func turns() throws {
        let record = Box(HandshakeRecord())
        let world = try World {
            $0.turnSteps = 2048
            $0.security = UnsecuredSecurity(
                handshakeMicroseconds: HandshakeRecord.steps * WorkCost.stepNanoseconds / 1000 + 1
            ) { PatientStream($0, record) }
        }
        let server = try #require(world.server)
        record.value.turn = { server.turns.turns }
        let crowd = try (0..<20).map { try world.connect("c\($0)", from: "10.0.0.1") }
        let other = try world.connect("other", from: "10.0.0.2")
        for client in crowd { client.send(SharedBytes([100])) }
        #expect(world.run { record.value.done.count > 20 })
        other.send(SharedBytes([1]))
        #expect(world.run { record.value.done.count == 2001 })
        let done = record.value.done
        let place = try #require(done.firstIndex { $0.peer.hasPrefix("10.0.0.2") })
        #expect(place - (record.value.doneAtDue["10.0.0.2"] ?? 0) < 2)
        #expect(place < 1900, "all was done before")
        let most = Dictionary(grouping: done, by: \.turn).values.map(\.count).max() ?? 0
        // The last step may exceed the quarter.
        let quarter = 2048 / 4 / HandshakeRecord.steps
        #expect((quarter / 2...quarter + 1).contains(most), "\(most) of \(quarter)")
    }
}

/// The steps of handshakes that were done.
private struct HandshakeRecord {
    /// What one takes of a turn.
    static let steps = 32

    var turn: () -> Int = { 0 }
    var done: [(peer: String, turn: Int)] = []
    /// How many were done when the first step of a host was due.
    var doneAtDue: [String: Int] = [:]
}

/// A stream that has as many steps due as the first byte that it receives says.
private final class PatientStream: UnsecuredStream {
    private let record: Box<HandshakeRecord>

    init(_ below: any ByteStream, _ record: Box<HandshakeRecord>) {
        self.record = record
        super.init(below)
    }

    override func continueHandshake() {
        record.value.done.append((peer, record.value.turn()))
    }

    override func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        let host = peer.prefix { $0 != ":" }
        if record.value.doneAtDue[String(host)] == nil {
            record.value.doneAtDue[String(host)] = record.value.done.count
        }
        for _ in 0..<(bytes.first ?? 0) { whenHandshakeIsDue?() }
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
