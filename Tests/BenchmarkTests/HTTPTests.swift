import SyncWire
import TLSSupport
import Testing

@testable import collsync_bench

/// The benchmark of HTTP at tiny sizes: it does its work, whatever the figures.
@Suite struct HTTPTests {
    private let programs: Programs
    private let scratch: ScratchFolder

    init() throws {
        programs = try Programs.besideThis(cores: .shared)
        scratch = try ScratchFolder(in: nil)
    }

    @Test func everyMemberByWebSocketGetsEveryEdit() throws {
        try play(
            StreamDuel(
                programs, folder: scratch.path, .webSocket(), members: 4, writers: 2, items: 20))
    }

    @Test func everyMemberThatSpeaksJSONGetsEveryEdit() throws {
        try play(
            StreamDuel(
                plain: ServedCrowd(
                    programs, data: "\(scratch.path)/plain", members: 4, writers: 2, items: 20),
                other: ServedCrowd(
                    speakingJSONTo: programs, data: "\(scratch.path)/json", members: 4,
                    writers: 2, items: 20)))
    }

    @Test(arguments: [false, true]) func everyListenerGetsEveryEdit(compressed: Bool) throws {
        try play(
            StreamDuel(
                plain: ServedCrowd(
                    programs, data: "\(scratch.path)/plain", members: 4, writers: 1, items: 20),
                other: ServedCrowd(
                    listeningTo: programs, data: "\(scratch.path)/events", listeners: 3,
                    items: 20, compressed: compressed)))
    }

    private func play<Other: CrowdMember>(_ duel: StreamDuel<CollsyncMember, Other>) throws {
        for exercise in [Duel.Exercise.rate(seconds: 0.02, window: 5), .latency(edits: 3)] {
            let rounds = try duel.play(exercise, rounds: 3)
            #expect(rounds.count == 3)
            #expect(rounds.allSatisfy { $0.plain.value > 0 && $0.other.value > 0 })
        }
    }

    @Test func webSocketsOverTLSAreMeasured() throws {
        let port = try MeasuredProcess.freePort()
        let authority = try TestAuthority(keys: .p256)
        let issued = try authority.issue("server", for: TestAuthority.hosts)
        let server = try programs.startServer(
            data: "\(scratch.path)/data", ["--http", "127.0.0.1:\(port)"] + issued.serverOptions)
        withExtendedLifetime(authority) {}
        let (sockets, secured) = (WebSocketSockets(), try SecuredSockets())
        let talk = Talk(try sockets.connect(over: secured.connect(to: port)))
        try talk.hello()
        #expect(talk.hasReadAll)
        try server.end()
    }

    /// More than a socket takes at once, and frames with long lengths.
    @Test func longMessagesPassAWebSocket() throws {
        let (sockets, port) = (WebSocketSockets(), try MeasuredProcess.freePort())
        let server = try programs.startServer(
            data: "\(scratch.path)/data", ["--http", "127.0.0.1:\(port)"])
        let room = try CollsyncMember.Room(filledWith: 20_000, on: sockets.connect(to: port))
        let talk = Talk(try sockets.connect(to: port))
        try talk.hello()
        let joined = try talk.join(room.name, as: "another")
        #expect(joined.revision == room.revision)
        var items = 0
        while items < 20_000 {
            guard case .snapshot(let part) = try talk.receive() else { continue }
            items += part.pieces.reduce(0) { $0 + $1.items.count }
        }
        #expect(items == 20_000)
        try server.end()
    }

    @Test(.enabled(if: Wrk.isThere))
    func transactionsArePostedByTurns() throws {
        let duel = try PostDuel(programs, folder: scratch.path, connections: 4, items: 20)
        let rounds = try duel.play(rounds: 1, seconds: 1)
        #expect(rounds.allSatisfy { $0.server.outcome > 0 && $0.answerer.outcome > 0 })
        var report = Report()
        report.addPosts(rounds, connections: 4, least: 0)
        #expect(report.missed.isEmpty)
    }

    @Test func aRoomIsReadBesideAMember() throws {
        let benchmark = try ReadBenchmark(programs, folder: scratch.path, items: 20_000)
        let reading = try benchmark.read()
        #expect(reading.bytes > 20_000 * 40 && reading.firstByteSeconds > 0)
        #expect(reading.longestPing > 0 && reading.longestEdit > 0)
        #expect(try benchmark.quiet().bytes == 0)
    }
}
