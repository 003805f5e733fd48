import SeededRandom
import SyncBytes
import SyncIO
import SyncSim
import Testing

@testable import SyncWebSocket

/// A side of a WebSocket between two simulated loops: it writes random messages, and pauses and
/// resumes at random.
private final class Talker: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.
    private let loop: any EventLoop
    private var generator: SplitMix64
    private let kind: WebSocketProtocol
    let stream: WebSocketStream
    private var writesLeft = 12
    /// What it has written and received.
    private(set) var sent: [UInt8] = []
    private(set) var received: [UInt8] = []
    private(set) var drains = 0
    private(set) var writes = 0
    private(set) var closes: [IOError?] = []
    private(set) var mostMemory = 0

    init(
        on below: any ByteStream, _ kind: WebSocketProtocol, isServer: Bool, loop: any EventLoop,
        seed: UInt64
    ) {
        self.loop = loop
        self.kind = kind
        generator = SplitMix64(seed: seed)
        stream = WebSocketStream(on: below, kind, isServer: isServer, loop: loop)
        below.open(stream)
        stream.open(self)
        act()
    }

    private func act() {
        guard closes.isEmpty else { return }
        mostMemory = max(mostMemory, stream.memoryBytes)
        if isDone {
            stream.isReadingPaused = false
        } else if generator.chance(20) {
            stream.isReadingPaused.toggle()
        }
        if !stream.isWriting, writesLeft > 0 { write() }
        loop.schedule(afterMilliseconds: UInt64(generator.below(20))) { [self] in act() }
    }

    /// Whether all is written.
    var isDone: Bool { writesLeft == 0 && !stream.isWriting }

    /// Ends its output, and reads on.
    func finish() {
        writesLeft = 0
        stream.isReadingPaused = false
        stream.finishWriting()
    }

    private func write() {
        writesLeft -= 1
        writes += 1
        let parts = (0..<generator.below(4)).map { _ in
            let length = generator.below([2, 200, 200, 5000, 5000, 70_000][generator.below(6)])
            return [UInt8](repeating: byte(), count: length / 2)
                + (0..<length / 2).map { _ in byte() }
        }
        sent += parts.flatMap { $0 }
        stream.write(parts.map { SharedBytes($0) })
    }

    private func byte() -> UInt8 {
        guard kind == .lines else { return UInt8(truncatingIfNeeded: generator.next()) }
        return generator.chance(2) ? UInt8(ascii: "\n") : 0x20 + UInt8(generator.below(90))
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        #expect(!stream.isReadingPaused)
        received += bytes
    }

    func streamDidDrain() { drains += 1 }
    func streamDidClose(_ error: IOError?) { closes.append(error) }
}

@Suite("Messages between both sides")
struct MessageTests {
    @Test(
        "what is written arrives as it was, with pauses and slow readers",
        arguments: WebSocketProtocol.allCases, [UInt64](1...20))
    func exchange(_ kind: WebSocketProtocol, seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        defer { simulation.end() }
        if seed.isMultiple(of: 2) {
            simulation.conditions.pieceBytes = 1...40
            simulation.conditions.pieceGapMicroseconds = 0...0
        }
        if seed.isMultiple(of: 3) { simulation.conditions.socketBufferBytes = 3000 }
        let server = try #require(try SceneLoop(in: simulation).loop)
        let client = try #require(try SceneLoop(in: simulation).loop)
        var talkers: [Talker] = []
        let address = SocketAddress(host: "host", port: 80)
        let listener = try server.listen(on: address) { stream in
            talkers.append(Talker(on: stream, kind, isServer: true, loop: server, seed: seed))
        }
        client.connect(to: listener.address) { result in
            guard let stream = try? result.get() else { return }
            talkers.append(Talker(on: stream, kind, isServer: false, loop: client, seed: ~seed))
        }
        let isDone = simulation.run {
            talkers.count == 2 && talkers.allSatisfy(\.isDone)
                && talkers[0].received.count == talkers[1].sent.count
                && talkers[1].received.count == talkers[0].sent.count
        }
        try #require(isDone)
        talkers[Int(seed % 2)].finish()
        talkers[1 - Int(seed % 2)].stream.isReadingPaused = false
        #expect(simulation.run { talkers.allSatisfy { !$0.closes.isEmpty } })
        for (side, other) in [(talkers[0], talkers[1]), (talkers[1], talkers[0])] {
            let isSame = side.received == other.sent
            #expect(isSame)
            #expect(side.closes == [nil])
            #expect(side.drains == side.writes)
        }
    }
}
