import Foundation
import SyncWire
import Testing

@testable import collsync_bench

/// The benchmark of the server at tiny sizes: it does its work, whatever the figures.
@Suite struct CrowdTests {
    private let programs: Programs
    private let scratch: ScratchFolder

    init() throws {
        programs = try Programs.besideThis(cores: .shared)
        scratch = try ScratchFolder(in: nil)
    }

    @Test func everyMemberOfABroadcastGetsEveryFrame() throws {
        let broadcaster = try programs.startBroadcaster(log: "\(scratch.path)/log")
        let crowd = try Crowd(members: 5, writers: 2, port: broadcaster.port) {
            try BroadcastMember(entering: $0, number: $1, of: 5)
        }
        #expect(try crowd.run(.init(window: 7, edits: 1000)).edits == 1000)
        #expect(try crowd.latencies(edits: 3).count == 3)
        let size = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/log")[.size]
        // The first frame of each member, and all edits.
        #expect(size as? Int == (5 + 1000 + 3) * BroadcastMember.frameBytes)
    }

    @Test func everyMemberOfARoomGetsEveryEdit() throws {
        let server = try programs.startServer(data: "\(scratch.path)/data")
        let room = try CollsyncMember.Room(filledWith: 50, on: server.port)
        let crowd = try Crowd(members: 5, writers: 2, port: server.port) {
            try CollsyncMember(entering: $0, number: $1, room: room)
        }
        #expect(try crowd.run(.init(window: 7, edits: 1000)).edits == 1000)
        #expect(try crowd.latencies(edits: 3).count == 3)
        let talk = Talk(try Socket(port: server.port))
        try talk.hello()
        let joined = try talk.join(room.name, as: "another")
        #expect(joined.revision == room.revision + 1003)
    }

    @Test func bothSidesDoTheSameByTurns() throws {
        let duel = try Duel(programs, folder: scratch.path, members: 4, writers: 2, items: 20)
        for exercise in [Duel.Exercise.rate(seconds: 0.02, window: 5), .latency(edits: 3)] {
            let rounds = try duel.play(exercise, rounds: 3)
            #expect(rounds.count == 3)
            #expect(rounds.allSatisfy { $0.collsync.value > 0 && $0.broadcaster.value > 0 })
        }
    }

    @Test func idleConnectionsAndAStoredRoomAreMeasured() throws {
        let bytes = try IdleBenchmark.bytesPerMember(programs, folder: scratch.path, count: 20)
        #expect(bytes >= 0)
        let opening = try OpeningBenchmark(programs, folder: scratch.path, items: 2500)
        #expect(try opening.seconds() > 0)
    }

    /// The server, or a rival, has its core and the generator has another, whatever was started
    /// before.
    @Test(.enabled(if: Cores.apart.areApart))
    func serverAndGeneratorKeepTheirCores() async throws {
        let cores: [String] = try await withCheckedThrowingContinuation { caller in
            // On a thread of its own, because that thread stays bound to a core.
            Thread.detachNewThread {
                caller.resume(
                    with: Result {
                        try (0..<2).flatMap { _ in
                            [
                                try Cores.apart.forServer { try CrowdTests.allowedCores() },
                                try CrowdTests.allowedCores(),
                            ]
                        }
                    })
            }
        }
        #expect(cores[0] == cores[2] && cores[1] == cores[3])
        #expect(cores[0] != cores[1])
    }

    /// The cores that this thread may run on, as the system lists them.
    private static func allowedCores() throws -> String {
        let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        return try #require(
            status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list") }.map(
                String.init))
    }

    @Test func aServerThatDoesNotStartIsSaidSo() throws {
        #expect(throws: BenchError.self) {
            try programs.startServer(data: "\(scratch.path)/no/such/folder")
        }
    }
}
