import SyncWire
import Testing

@testable import collsync_bench

/// The benchmark of WebSockets at tiny sizes: it does its work, whatever the figures.
@Suite struct HTTPTests {
    private let programs: Programs
    private let scratch: ScratchFolder

    init() throws {
        programs = try Programs.besideThis(cores: .shared)
        scratch = try ScratchFolder(in: nil)
    }

    @Test func everyMemberByWebSocketGetsEveryEdit() throws {
        let (sockets, port) = (WebSocketSockets(), try MeasuredProcess.freePort())
        let way = StreamDuel.Way(
            options: ["--http", "127.0.0.1:\(port)"], port: port, connect: sockets.connect)
        let duel = try StreamDuel(
            programs, folder: scratch.path, way, members: 4, writers: 2, items: 20)
        for exercise in [Duel.Exercise.rate(seconds: 0.02, window: 5), .latency(edits: 3)] {
            let rounds = try duel.play(exercise, rounds: 3)
            #expect(rounds.count == 3)
            #expect(rounds.allSatisfy { $0.plain.value > 0 && $0.other.value > 0 })
        }
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
}
