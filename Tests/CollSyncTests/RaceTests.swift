import CollSync
import CollSyncUV
import Foundation
import ModelSupport
import SeededRandom
import ServerSupport
import SyncClient
import SyncIO
import SyncLoop
import SyncModel
import SyncServer
import SyncWire
import Synchronization
import Testing

/// All threads of a server at once: two loops, workers, readers and the store, over real sockets.
/// The thread sanitizer finds races here; without it the test checks that nothing is lost. For a
/// longer run:
///
///     COLLSYNC_RACE_STEPS=5000 deploy/test --sanitize thread --filter RaceTests
@Suite(.timeLimit(.minutes(30))) struct RaceTests {
    private static let rooms = ["room0", "room1", "room2"]
    private static let clientCount = 6

    private static var stepCount: Int {
        ProcessInfo.processInfo.environment["COLLSYNC_RACE_STEPS"].flatMap { Int($0) } ?? 60
    }

    /// The random actions of clients.
    private enum Action: Int, CaseIterable {
        case join
        case leave
        case edit
        /// More than the steps of a turn: a worker applies it.
        case paste
        case view
        case readSnapshot
        case readHistory
        case list
        case delete
    }

    /// How often each action was done.
    private final class Tally: Sendable {
        private let counts = Mutex([Int](repeating: 0, count: Action.allCases.count))

        func add(_ action: Action) {
            counts.withLock { $0[action.rawValue] += 1 }
        }

        func count(of action: Action) -> Int { counts.withLock { $0[action.rawValue] } }
    }

    /// A client that does random things in some rooms.
    private struct Visitor {
        let client: CollectionClient
        let name: String
        var random: SplitMix64
        var room: CollectionRoom?
        var edits = 0

        mutating func act(_ tally: Tally) async throws {
            let action = random.below(100) < 3 ? .delete : Action.allCases[random.below(8)]
            let room = RaceTests.rooms[random.below(RaceTests.rooms.count)]
            do {
                guard try await play(action, room) else { return }
                tally.add(action)
            } catch let error as CollectionError {
                // Another client may delete a room at any time.
                let expected = ["roomDeleted", "roomChanged", "roomNotFound", "closed"]
                #expect(expected.contains(error.code), "\(action): \(error)")
                self.room = nil
            }
        }

        /// - Returns: whether there was something to do.
        private mutating func play(
            _ action: Action, _ name: String
        ) async throws -> Bool {
            switch action {
            case .join:
                guard room == nil else { return false }
                room = try await client.join(name, options: JoinOptions(presence: true))
            case .leave:
                guard let room, random.below(3) == 0 else { return false }
                room.leave()
                self.room = nil
            case .edit, .paste:
                guard let room else { return false }
                _ = try await room.submit(inserts(action == .edit ? 3 : 2000))
            case .view:
                guard let room else { return false }
                let bounds = ListRect(width: 300, height: 500)
                let view = try await room.openView(LayoutSpec(kind: .waterfall), bounds: bounds)
                _ = try await view.screen()
                view.close()
            case .readSnapshot: _ = try await client.snapshot(of: name)
            case .readHistory: for try await _ in client.history(of: name, from: 0) {}
            case .list: _ = try await client.rooms()
            case .delete: try await client.deleteRoom(name)
            }
            return true
        }

        private mutating func inserts(_ count: Int) -> [ListOperation] {
            edits += 1
            return (0..<count).map { number in
                let id = ModelSupport.id("\(name)-\(edits)-\(number)")
                return .insert(Item(id: id), to: Placement(section: ModelSupport.id("main")))
            }
        }
    }

    @Test func allThreadsAtOnce() async throws {
        let server = try await LocalServer.start {
            $0.threads = 2
            $0.turnSteps = 1024
            $0.storage.snapshotRevisions = 20
            $0.storage.idleUnloadMilliseconds = 10
        }
        let tally = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<RaceTests.clientCount {
                var options = SessionOptions(address: try SocketAddress(parsing: server.address))
                if number % 2 == 0 { options.features.remove(.deflate) }
                let client = try await CollectionClient.connect(
                    options, platform: LoopPlatform())
                group.addTask {
                    var visitor = Visitor(
                        client: client, name: "c\(number)",
                        random: SplitMix64(seed: UInt64(number)))
                    for _ in 0..<RaceTests.stepCount { try await visitor.act(tally) }
                    client.close()
                }
            }
            try await group.waitForAll()
        }
        for action in Action.allCases { #expect(tally.count(of: action) > 0, "\(action)") }
        try await expectAgreement(server)
    }

    /// Checks that a join and a read give the same content.
    private func expectAgreement(_ server: LocalServer) async throws {
        let client = try await CollectionClient.connect(to: server.address)
        for name in RaceTests.rooms {
            let room = try await client.join(name)
            let held = try await room.snapshot()
            #expect(try await client.snapshot(of: name) == held)
        }
        client.close()
    }
}
