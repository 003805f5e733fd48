import SyncBytes
import SyncIO
import SyncSim
import SyncTLS
import TLSSupport

/// A secured stream of a server, whose client sends records cut anywhere, changed ones, key updates
/// and bytes that are no records.
///
/// - What is received is what the client has encrypted, from its beginning. Nothing that was
///   changed on the way is received.
/// - The memory is bounded. While the stream is paused, nothing is received.
/// - Each write is followed by one drain, or the end. Nothing follows the end.
enum SecuredFuzzer {
    private static let maximumSteps = 60

    /// Without and with certificates of clients. Made once, since the keys do not matter.
    private static let servers: [TLSServer] = {
        guard let authority = try? TestAuthority() else { return [] }
        return [false, true].compactMap { try? authority.makeServer(asksForCertificates: $0) }
    }()

    static func run(_ input: UnsafeRawBufferPointer) {
        guard servers.count == 2 else { finding("there are no certificates") }
        var choices = InputBytes(input)
        let world = SecuredWorld(servers[choices.below(8) == 7 ? 1 : 0])
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            world.play(&choices)
            world.check()
        }
        world.end()
    }
}

/// A secured stream, its handler, and the client at its other side.
private final class SecuredWorld: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    private static let maximumMemoryBytes = 400 << 10

    private let simulation = Simulation(seed: 1)
    private let below: ScriptedStream
    private let stream: any SecuredStream
    private let peer: BarePeer
    /// What the client has encrypted, what of it was received, and the calls that came.
    private var sent: [UInt8] = []
    private var received = 0
    private var writes = 0
    private var drains = 0
    private var hasEnded = false
    private var isStepDue = false

    init(_ server: TLSServer) {
        nonisolated(unsafe) var made: (any EventLoop)?
        _ = try? simulation.makePlatform(named: "server").startLoop(named: "server") { made = $0 }
        simulation.runUntilIdle()
        guard let loop = made, let peer = try? BarePeer() else { finding("nothing can be made") }
        self.peer = peer
        below = ScriptedStream(on: loop)
        stream = server.secure(below, on: loop)
        stream.whenHandshakeIsDue = { [unowned self] in isStepDue = true }
        stream.open(self)
        peer.receive([])
    }

    func play(_ choices: inout InputBytes) {
        switch choices.below(12) {
        case 0: peer.updateKeys()
        case 1: pass(choices.list(below: 40) { $0.byte() })
        case 2: stream.isReadingPaused.toggle()
        case 3: change(&choices)
        case 4: write(choices.below(256) * choices.below(256))
        case 5: step()
        case 6: choices.oneIn(4) ? stream.close() : peer.end()
        case 7: encrypt(choices.below(256) * choices.below(128), &choices)
        default:
            encrypt(choices.below(64), &choices)
            exchange(cutting: choices.below(256))
        }
        simulation.run(forMilliseconds: 1)
    }

    private func encrypt(_ count: Int, _ choices: inout InputBytes) {
        let bytes = [UInt8](repeating: choices.byte(), count: count)
        if count > 0, peer.write(bytes) { sent += bytes }
    }

    /// Passes on what both sides send.
    ///
    /// - Parameter length: how many bytes come at a time; 0 for all.
    private func exchange(cutting length: Int) {
        for _ in 0..<4 {
            pass(peer.takeOutput(), cutting: length)
            simulation.run(forMilliseconds: 1)
            step()
            simulation.run(forMilliseconds: 1)
            peer.receive(below.takeWritten())
        }
    }

    private func pass(_ bytes: [UInt8], cutting length: Int = 0) {
        guard length > 0 else { return below.send([bytes]) }
        below.send(
            stride(from: 0, to: bytes.count, by: length).map {
                Array(bytes[$0..<min($0 + length, bytes.count)])
            })
    }

    /// Changes a byte on the way. What is encrypted later does not come any more.
    private func change(_ choices: inout InputBytes) {
        var bytes = peer.takeOutput()
        guard !bytes.isEmpty else { return }
        bytes[min(choices.below(256), bytes.count - 1)] ^= 1 << UInt8(choices.below(8))
        pass(bytes, cutting: choices.below(64))
    }

    private func write(_ count: Int) {
        guard !stream.isWriting, !hasEnded else { return }
        let part = SharedBytes([UInt8](repeating: 7, count: count))
        stream.write([part, part])
        if stream.isWriting { writes += 1 }
    }

    private func step() {
        guard isStepDue else { return }
        isStepDue = false
        stream.continueHandshake()
    }

    func check() {
        let memory = stream.memoryBytes
        expect(memory <= SecuredWorld.maximumMemoryBytes, "the stream takes \(memory) bytes")
        expect(drains <= writes, "\(writes) writes have \(drains) drains")
    }

    func end() {
        below.close()
        simulation.run(forMilliseconds: 2000)
        expect(hasEnded, "the stream has not ended")
        stream.whenHandshakeIsDue = nil
        simulation.end()
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        expect(!hasEnded, "bytes come behind the end")
        expect(!stream.isReadingPaused, "bytes come while the stream is paused")
        let expected = sent.dropFirst(received).prefix(bytes.count)
        expect(bytes.elementsEqual(expected), "bytes come that the client has not encrypted")
        received += bytes.count
    }

    func streamDidDrain() {
        expect(!hasEnded, "a drain comes behind the end")
        drains += 1
    }

    func streamDidClose(_ error: IOError?) {
        expect(!hasEnded, "the stream has ended twice")
        hasEnded = true
    }
}
