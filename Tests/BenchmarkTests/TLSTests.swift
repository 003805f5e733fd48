import SyncWire
import TLSSupport
import Testing

@testable import collsync_bench

/// The benchmark of TLS at tiny sizes: it does its work, whatever the figures.
@Suite struct TLSTests {
    private let programs: Programs
    private let scratch: ScratchFolder
    private let authority: TestAuthority
    private let issued: TestAuthority.Issued

    init() throws {
        programs = try Programs.besideThis(cores: .shared)
        scratch = try ScratchFolder(in: nil)
        authority = try TestAuthority(keys: .p256)
        issued = try authority.issue("server", for: TestAuthority.hosts)
    }

    @Test func everySecuredMemberGetsEveryEdit() throws {
        let duel = try StreamDuel(
            programs, folder: scratch.path,
            ServerDoor(options: issued.serverOptions, connect: SecuredSockets().connect),
            members: 4, writers: 2, items: 20)
        for exercise in [Duel.Exercise.rate(seconds: 0.02, window: 5), .latency(edits: 3)] {
            let rounds = try duel.play(exercise, rounds: 3)
            #expect(rounds.count == 3)
            #expect(rounds.allSatisfy { $0.plain.value > 0 && $0.other.value > 0 })
        }
    }

    /// More than a socket takes at once, and answers of many records.
    @Test func longMessagesPassASecuredSocket() throws {
        let server = try programs.startServer(
            data: "\(scratch.path)/data", issued.serverOptions)
        let sockets = try SecuredSockets()
        let room = try CollsyncMember.Room(
            filledWith: 20_000, on: sockets.connect(to: server.port))
        let talk = Talk(try sockets.connect(to: server.port))
        try talk.hello()
        let joined = try talk.join(room.name, as: "another")
        #expect(joined.revision == room.revision)
        var items = 0
        while items < 20_000 {
            guard case .snapshot(let part) = try talk.receive() else { continue }
            items += part.pieces.reduce(0) { $0 + $1.items.count }
        }
        #expect(items == 20_000)
    }

    @Test func aSecuredServerIsNotReadByAPlainSocket() throws {
        let server = try programs.startServer(
            data: "\(scratch.path)/data", issued.serverOptions)
        #expect(throws: (any Error).self) { try Talk(Socket(port: server.port)).hello() }
    }

    @Test func idleSecuredConnectionsAreMeasured() throws {
        let server = try programs.startServer(
            data: "\(scratch.path)/idle", issued.serverOptions)
        let sockets = try SecuredSockets()
        let bytes = try IdleBenchmark.bytes(of: server, 20, connect: sockets.connect) { talk, _ in
            try talk.hello()
        }
        #expect(bytes >= 0)
    }

    /// The driver itself checks that handshakes are of the kind that is measured.
    @Test(arguments: [false, true])
    func handshakesAreDone(resumed: Bool) throws {
        let server = try programs.startServer(
            data: "\(scratch.path)/handshakes", issued.serverOptions)
        let driver = try HandshakeDriver(port: server.port, resumes: resumed)
        var count = 0
        while count < 20 { count += try driver.run(seconds: 0.05) }
    }
}
