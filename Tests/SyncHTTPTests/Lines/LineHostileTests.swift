import SeededRandom
import SyncBytes
import SyncJSON
import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

/// Lines of strangers.
@Suite("Hostile lines")
struct LineHostileTests {
    private static let lines = [
        #"{"ops":[{"insert":{"item":{"id":"a","fields":{"t":1}},"to":{"section":"main"}}}]}"#,
        #"{"tx":9007199254740991,"base":3,"ops":[{"move":{"id":"a","to":{"after":"b"}}}]}"#,
        #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":300,"height":400}}}"#,
        #"{"view":{"id":"v","close":true}}"#, #"{"view":{"id":"v","bounds":{"y":1e308}}}"#,
        #"{"drag":{"begin":{"id":"a","view":"v","shared":true}}}"#, #"{"drag":{"end":{}}}"#,
        #"{"drag":{"update":{"x":-1e308,"y":5}}}"#, #"{"drag":{"cancel":{}}}"#,
        #"{"presence":{"selected":["a"],"custom":[null,{"b":2}]}}"#,
        #"{"paste":{"clipboard":{"room":"r","items":[{"id":"a"}]},"to":{"section":"main"}}}"#,
        #"{"ops":[],"base":1,"id":"00","epoch":"zz"}"#, #"{"copy":{"ids":["a"]}}"#, "{}",
    ]

    @Test("whatever lines say, a session can read what comes of them", arguments: [UInt64](1...60))
    func frames(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let member = try LineHostileTests.member()
        for _ in 0..<200 {
            var line = Array(
                LineHostileTests.lines[random.below(LineHostileTests.lines.count)].utf8)
            while random.chance(50), !line.isEmpty {
                let index = random.below(line.count)
                switch random.below(3) {
                case 0: line[index] = UInt8(random.below(256))
                case 1: line.remove(at: index)
                default: line.insert(line[random.below(line.count)], at: index)
                }
            }
            _ = line.withUnsafeBytes { member.receive(line: $0) }
            for frame in member.takeFrames() {
                var frames = FrameDecoder()
                var rest = frame.bytes
                let body = try #require(try frames.next(&rest))
                do throws(WireError) {
                    _ = try MessageDecoder().clientMessage(body)
                } catch {
                    if case .broken = error { Issue.record("seed \(seed): \(error)") }
                }
            }
            for piece in member.takePieces() {
                #expect(piece.beginsLine && piece.endsLine)
                _ = try ServerLine(line: piece.bytes.bytes)
            }
            #expect(member.ending == nil)
        }
    }

    @Test("after the last number of all, a line without a number is refused by its own number")
    func noNumberIsLeft() throws {
        let member = try LineHostileTests.member()
        for line in [LineHostileTests.lines[1], LineHostileTests.lines[0]] {
            _ = Array(line.utf8).withUnsafeBytes { member.receive(line: $0) }
        }
        let pieces = member.takePieces()
        #expect(pieces.count == 1)
        let piece = try #require(pieces.first)
        guard case .error(let failure) = try ServerLine(line: piece.bytes.bytes) else {
            Issue.record("the line has no error")
            return
        }
        #expect(failure.code == "malformed" && failure.line == 2)
    }

    @Test("lines before the room is shown are refused, and no line after the end is answered")
    func outsideOfTheRoom() throws {
        let member = try LineHostileTests.member(isShown: false)
        let line = Array(LineHostileTests.lines[0].utf8)
        _ = line.withUnsafeBytes { member.receive(line: $0) }
        #expect(member.takeFrames().isEmpty && member.takePieces().count == 1)
        member.receive(
            MessageEncoder().encode(.error(ErrorMessage(.roomDeleted, "", about: .room(4)))).plain)
        #expect(member.takePieces().count == 1)
        _ = line.withUnsafeBytes { member.receive(line: $0) }
        #expect(member.takeFrames().isEmpty && member.takePieces().isEmpty)
    }

    private static func member(isShown: Bool = true) throws -> LineMember {
        var options = LineOptions(room: try #require(RoomName("r")))
        options.presence = true
        let member = LineMember(options, random: { 1 })
        member.begin()
        let identity = RoomIdentity(RoomID(high: 1, low: 2), Epoch(EpochID(value: 3), first: 0))
        var messages: [ServerMessage] = [
            .welcome(
                Welcome(
                    version: 1, features: .all, agent: "", heartbeatMilliseconds: 1000,
                    limits: WireLimits())),
            .joined(
                Joined(
                    request: 1, handle: 4, room: options.room, client: member.identity.client,
                    user: "", role: .admin, revision: 1, resumed: false, identity: identity)),
        ]
        if isShown {
            messages.append(
                .snapshot(
                    SnapshotPart(
                        channel: .room(4), revision: 1, pieces: [], isFirst: true, isLast: true,
                        totalItems: 0)))
        }
        for message in messages {
            member.receive(MessageEncoder().encode(message).bytes(by: LineEncoder()))
        }
        _ = member.takeFrames()
        _ = member.takePieces()
        return member
    }
}
