import SyncBytes
import SyncJSON
import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

/// What comes between the parts of a line.
@Suite("Lines within lines")
struct LineInterruptionTests {
    private let member: LineMember
    private let encoder = LineEncoder()
    private let identity = RoomIdentity(
        RoomID(high: 1, low: 2), Epoch(EpochID(value: 3), first: 0))

    init() throws {
        let room = try #require(RoomName("r"))
        member = LineMember(LineOptions(room: room), random: { 1 })
        member.begin()
        give(
            .welcome(
                Welcome(
                    version: 1, features: .all, agent: "", heartbeatMilliseconds: 1000,
                    limits: WireLimits())))
        give(
            .joined(
                Joined(
                    request: 1, handle: 4, room: room, client: member.identity.client, user: "",
                    role: .admin, revision: 1, resumed: false, identity: identity)))
        #expect(lines().map { $0.hasPrefix(#"{"welcome""#) } == [true])
        #expect(!member.takesLines, "nothing is shown yet")
    }

    private func give(_ message: ServerMessage) {
        member.receive(MessageEncoder().encode(message).bytes(by: encoder))
    }

    private func part(isFirst: Bool = false, isLast: Bool = false) -> ServerMessage {
        let piece = SnapshotPart.Piece(section: ListSection(id: isFirst ? "a" : "b"))
        return .snapshot(
            SnapshotPart(
                channel: .room(4), revision: 1, pieces: [piece], isFirst: isFirst, isLast: isLast,
                totalItems: 0))
    }

    private let near = ServerMessage.nearLimit(
        NearLimit(room: 4, QuotaUse(.items, used: 1, limit: 2)))

    /// The whole lines that came since the last call.
    private func lines() -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        for piece in member.takePieces() {
            line += piece.bytes.array
            guard piece.endsLine else { continue }
            lines.append(String(decoding: line, as: UTF8.self))
            line = []
        }
        if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test("a line waits until the current one has ended")
    func deferred() throws {
        give(part(isFirst: true))
        give(near)
        give(.error(ErrorMessage(.limitExceeded, "no", about: .presence(in: 4))))
        let begun = lines()
        #expect(begun.count == 1 && begun[0].hasPrefix(#"{"snapshot":{"room":"r""#))
        #expect(member.memoryBytes > 2048)
        give(part(isLast: true))
        let rest = lines()
        #expect(rest.count == 3 && rest[0].hasSuffix("]}}"))
        #expect(rest[1].hasPrefix(#"{"nearLimit""#) && rest[2].hasPrefix(#"{"error""#))
        #expect(member.takesLines && member.revision == 1)
        let whole = Snapshot(
            revision: 1,
            sections: [
                Snapshot.SectionState(section: ListSection(id: "a"), items: []),
                Snapshot.SectionState(section: ListSection(id: "b"), items: []),
            ])
        #expect(begun[0] + rest[0] == text(of: .snapshot(room: "r", whole)))
    }

    @Test("no more lines are read while many wait, and too many end it")
    func bounded() {
        give(part(isFirst: true, isLast: true))
        give(part(isFirst: true))
        #expect(member.takesLines)
        var (given, readBytes) = (0, 0)
        while member.ending == nil, given < 1 << 20 {
            give(near)
            given += 1
            if member.takesLines { readBytes = member.memoryBytes }
        }
        #expect(readBytes > 0 && readBytes < 128 << 10)
        #expect(member.ending == .overflow)
        #expect(member.memoryBytes < 2 * LineMember.maximumDeferredBytes)
    }

    @Test("a beat has the revision that was shown")
    func beat() throws {
        give(part(isFirst: true, isLast: true))
        _ = member.takeFrames()
        member.beat()
        let frames = member.takeFrames()
        #expect(frames.count == 1)
        let body = UnsafeRawBufferPointer(rebasing: frames[0].bytes[1...])
        let expected = Heartbeat.Entry(room: 4, revision: 1, origin: identity.origin(of: 1))
        #expect(
            try MessageDecoder().clientMessage(body) == .heartbeat(Heartbeat(rooms: [expected])))
    }

    @Test("several frames, and frames in pieces, are read as they come")
    func split() {
        var bytes: [UInt8] = []
        for message in [part(isFirst: true, isLast: true), near, near] {
            bytes += MessageEncoder().encode(message).bytes(by: encoder).array
        }
        member.receive(SharedBytes(Array(bytes[..<20])))
        member.receive(SharedBytes(Array(bytes[20...])))
        #expect(lines().count == 3)
        #expect(member.ending == nil)
    }

    @Test("lines for one client are one piece, and keep their place")
    func ownLines() {
        give(part(isFirst: true, isLast: true))
        _ = member.takePieces()
        let refused = ServerMessage.error(
            ErrorMessage(.limitExceeded, "no", about: .presence(in: 4)))
        give(refused)
        give(refused)
        let batch = Batch(from: 1, to: 2, stages: [], sections: 1)
        member.receive(MessageEncoder().encode(batch, on: .room(4))[0].bytes(by: encoder))
        give(refused)
        let pieces = lines()
        #expect(pieces.map { $0.split(separator: "\n").count } == [2, 1, 1])
        #expect(pieces.map { $0.hasPrefix(#"{"batch""#) } == [false, true, false])
    }

    @Test("the text of a frame is sent without a copy")
    func shared() throws {
        give(part(isFirst: true, isLast: true))
        _ = member.takePieces()
        let batch = Batch(from: 1, to: 2, stages: [], sections: 1)
        let frame = MessageEncoder().encode(batch, on: .room(4))[0].bytes(by: encoder)
        member.receive(frame)
        let piece = try #require(member.takePieces().first)
        let end = try #require(frame.bytes.baseAddress) + frame.count
        #expect(try #require(piece.bytes.bytes.baseAddress) + piece.bytes.count == end)
        #expect(piece.beginsLine && piece.endsLine)
        #expect(member.revision == 2)
    }
}
