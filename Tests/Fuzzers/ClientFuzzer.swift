import SyncBytes
import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncSim
import SyncWire

/// A whole simulated client, whose server sends anything once it has let the client in.
///
/// - After each message the client's state of the room is consistent, and within its limits.
/// - Whatever was sent, a client that is still in the room gets the room from the next server that
///   follows the protocol.
enum ClientFuzzer {
    private static let maximumPieces = 40

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let world = ServedWorld(seed: UInt64(choices.below(8)))
        for _ in 0..<maximumPieces where !choices.isAtEnd {
            world.say(piece(&choices))
            world.simulation.run(forMilliseconds: 10)
            world.check()
        }
        world.expectService()
        world.end()
    }

    /// Bytes, bytes in a frame, or bytes as the body of a server's message.
    private static func piece(_ choices: inout InputBytes) -> [UInt8] {
        let kind = choices.below(3)
        let numbers = [3, 4, 5, 6, 7, 8, 10, 12, 14, 32, 33, 34, 35, 36, 37, 38, 42, 43]
        let number = numbers[choices.below(numbers.count)]
        var body: [UInt8] = []
        for _ in 0..<choices.byte() where !choices.isAtEnd { body.append(choices.byte()) }
        if kind == 0 { return body }
        var frame = ByteWriter()
        body.withUnsafeBytes { bytes in
            if kind == 1 {
                frame.write(contentsOf: bytes)
            } else {
                frame.write(field: number, bytes: bytes)
            }
        }
        var whole = ByteWriter()
        whole.write(varint: UInt64(frame.count))
        whole.write(contentsOf: frame.bytes)
        return whole.makeArray()
    }
}

/// A client in simulated time that has joined a room, and its server.
private final class ServedWorld: @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    static let roomBytes = 20_000
    /// The revision of an honest server.
    private static let honestRevision: Revision = 1_000_000

    let simulation: Simulation
    private var session: ClientSession?
    private var membership: Membership?
    private let observer = EndObserver()
    private let server = FalseServer()

    init(seed: UInt64) {
        simulation = Simulation(seed: seed)
        let address = SocketAddress(host: "127.0.0.1", port: 7420)
        var options = SessionOptions(address: address, agent: "fuzzed")
        options.limits.roomBytes = ServedWorld.roomBytes
        options.limits.presenceBytes = 5_000
        options.limits.viewBytes = 5_000
        options.limits.viewElements = 20
        let (chosen, server) = (options, self.server)
        do {
            try simulation.makePlatform(named: "server").startLoop(named: "server") { loop in
                _ = try? loop.listen(on: address) { server.accept($0) }
            }
            simulation.runUntilIdle()
            try simulation.makePlatform(named: "client").startLoop(named: "client") { [self] loop in
                enter(ClientSession(options: chosen, loop: loop))
            }
        } catch {
            finding("the client's loop does not start: \(error)")
        }
        let hasJoined = simulation.run(limitMilliseconds: 10_000) { [self] in
            observer.hasJoined
        }
        expect(hasJoined, "the client can't join")
    }

    private func enter(_ session: ClientSession) {
        self.session = session
        session.start { _ in }
        var options = Membership.Options()
        options.presence = true
        membership = session.join(named("room"), options: options, observer: observer)
        session.ask(.rooms) { _ in }
        session.ask(.history(named("room"), from: 0, until: nil, everyRevision: false)) { _ in }
        guard let membership else { return }
        _ = session.openView(
            of: membership, layout: ViewLayout(.flow), bounds: ListRect(), overscan: 0)
        session.submit([.delete(name("x"))], to: membership) { _ in }
    }

    func say(_ bytes: [UInt8]) {
        server.say(bytes)
    }

    func check() {
        membership?.replica.checkInvariants()
        let held = membership?.replica.byteCount ?? 0
        expect(
            held <= ServedWorld.roomBytes,
            "the client's replica takes \(held) bytes, above its limit")
    }

    /// Reconnects to a server that follows the protocol, and checks that it serves the client.
    func expectService() {
        server.isHonest = true
        server.close()
        let isServed = simulation.run(limitMilliseconds: 600_000) { [self] in
            observer.hasEnded || membership?.revision == ServedWorld.honestRevision
        }
        expect(isServed, "the client has not reconnected")
        check()
    }

    func end() {
        session?.close()
        simulation.end()
    }

    private func named(_ text: String) -> RoomName {
        guard let name = RoomName(text) else { finding("'\(text)' is no room name") }
        return name
    }

    /// A server that lets clients in and sends what it is given.
    private final class FalseServer: @unchecked Sendable {
        var isHonest = false
        private var connection: FalseConnection?

        func accept(_ stream: any ByteStream) {
            connection?.close()
            connection = FalseConnection(stream, isHonest: isHonest)
        }

        func close() {
            connection?.close()
        }

        func say(_ bytes: [UInt8]) {
            connection?.say(SharedBytes(bytes))
        }
    }

    private final class FalseConnection: ByteStreamHandler {
        private let isHonest: Bool
        private var stream: (any ByteStream)?
        private var outgoing: [SharedBytes] = []
        private var frames = FrameDecoder()
        private let decoder = MessageDecoder()
        private let encoder = MessageEncoder()

        init(_ stream: any ByteStream, isHonest: Bool) {
            self.isHonest = isHonest
            self.stream = stream
            stream.open(self)
        }

        func close() {
            stream?.close()
        }

        func say(_ bytes: SharedBytes) {
            outgoing.append(bytes)
            flush()
        }

        private func say(_ message: ServerMessage) {
            say(encoder.encode(message).plain)
        }

        private func flush() {
            guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
            let parts = outgoing
            outgoing = []
            stream.write(parts)
        }

        private func answer(_ message: ClientMessage) {
            switch message {
            case .hello:
                say(
                    .welcome(
                        Welcome(
                            version: 1, features: .all, agent: "false",
                            heartbeatMilliseconds: 60_000, limits: WireLimits())))
            case .join(let join): admit(join)
            case .submit(let submit) where isHonest:
                let rejection = Rejection(code: .unknownItem, message: "no")
                say(
                    .reject(Reject(room: 1, counter: submit.counter, rejection: rejection)))
            default: break
            }
        }

        private func admit(_ join: Join) {
            let revision = isHonest ? ServedWorld.honestRevision : 5
            let identity = RoomIdentity(
                RoomID(high: 0, low: 1), Epoch(EpochID(value: 1), first: 0))
            say(
                .joined(
                    Joined(
                        request: join.request, handle: 1, room: join.room, client: join.client,
                        user: "", role: .editor, revision: revision, resumed: false,
                        identity: identity)))
            say(
                .snapshot(
                    SnapshotPart(
                        channel: .room(1), revision: revision, pieces: [], isFirst: true,
                        isLast: true, totalItems: 0)))
        }

        func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
            var rest = bytes
            do throws(WireError) {
                while let frame = try frames.next(&rest) {
                    answer(try decoder.clientMessage(frame))
                }
            } catch {
                finding("the client sent an unreadable message: \(error)")
            }
        }

        func streamDidDrain() {
            flush()
        }

        func streamDidClose(_ error: IOError?) {
            stream = nil
        }
    }

    private final class EndObserver: MembershipObserver {
        private(set) var hasJoined = false
        private(set) var hasEnded = false

        func membershipDidJoin(_ joined: Joined) {
            hasJoined = true
        }

        func membershipDidLoad(_ snapshot: Snapshot) {}
        func membershipDidApply(_ batch: Batch) {}
        func membershipDidAnswer(_ counter: UInt64, _ answer: Answer) {}
        func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange) {}
        func membershipDidEnd(_ view: ViewNumber, _ error: ClientError) {}
        func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {}
        func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {}
        func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {}
        func membershipWasInterrupted(
            _ error: ClientError, retryAfterMilliseconds delay: UInt64
        ) {}

        func membershipDidEnd(_ error: ClientError) {
            hasEnded = true
        }
    }
}
