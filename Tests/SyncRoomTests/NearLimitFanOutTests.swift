import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A warning that a room is nearly full goes to very many members within the budgets of turns.
@Suite("Warnings to a crowd")
struct NearLimitFanOutTests {
    private static let count: UInt64 = 10_000
    private static let turnSteps = 8192

    private let budget = TurnBudget(stepsPerTurn: NearLimitFanOutTests.turnSteps)
    private let encoder = MessageEncoder()

    /// A room with a crowd that has been sent its content. Each tenth member is a viewer.
    private func makeRoom() throws -> Room {
        let room = Room(
            RoomState(), opening: .test, handle: 1, policy: RoomPolicy(), budget: budget)
        for number in 1...Self.count {
            _ = try room.join(
                Admission(
                    member: ConnectionID(value: number), connection: number,
                    client: id("c\(number)"), role: number % 10 == 0 ? .viewer : .editor))
        }
        repeat { _ = compose(room) } while room.hasMoreToCompose
        for number in 1...Self.count { room.ready(ConnectionID(value: number)) }
        _ = compose(room)
        return room
    }

    /// Composes once.
    private func compose(_ room: Room) -> (told: [UInt64], frames: Set<ObjectIdentifier>) {
        budget.begin(.read)
        budget.begin(.compose)
        var told: [UInt64] = []
        var frames: Set<ObjectIdentifier> = []
        room.compose(with: encoder, at: 0) { sent, members in
            let warnings = sent.filter { frame in
                guard case .nearLimit = try? frame.message() else { return false }
                return true
            }
            if warnings.isEmpty { return }
            told += members.map(\.id.value)
            for frame in warnings { frames.insert(ObjectIdentifier(frame)) }
        }
        return (told, frames)
    }

    @Test("all are told once, turn by turn, with few frames")
    func crowd() throws {
        let room = try makeRoom()
        budget.begin(.read)
        room.warn(of: QuotaUse(.items, used: 80, limit: 100))
        var told: [UInt64] = []
        var frames: Set<ObjectIdentifier> = []
        var turns = 0
        repeat {
            let turn = compose(room)
            told += turn.told
            frames.formUnion(turn.frames)
            turns += 1
            #expect(budget.spent <= 2 * Self.turnSteps)
        } while room.hasMoreToCompose && turns < 100
        #expect(turns > 1 && turns < 10, "\(turns)")
        #expect(frames.count <= turns)
        #expect(told.sorted() == (1...Self.count).filter { $0 % 10 != 0 })
        // Nothing more, whoever becomes ready.
        for number in 1...Self.count { room.ready(ConnectionID(value: number)) }
        #expect(compose(room).told.isEmpty)
    }

    @Test("who is not ready is told the newest figures, or nothing once the quota is relieved")
    func slow() throws {
        let room = try makeRoom()
        room.warn(of: QuotaUse(.items, used: 80, limit: 100))
        room.warn(of: QuotaUse(.sections, used: 8, limit: 10))
        repeat { _ = compose(room) } while room.hasMoreToCompose
        // Now nobody is ready.
        for used in 81...99 as ClosedRange<UInt64> {
            room.relieve(.items)
            room.warn(of: QuotaUse(.items, used: used, limit: 100))
            #expect(compose(room).told.isEmpty)
        }
        room.warn(of: QuotaUse(.members, used: 8, limit: 10))
        room.update(QuotaUse(.items, used: 100, limit: 100))
        room.relieve(.members)
        room.ready(ConnectionID(value: 1))
        room.ready(ConnectionID(value: 10))
        var uses: [QuotaUse] = []
        room.compose(with: encoder, at: 0) { sent, members in
            #expect(members.map(\.id.value) == [1])
            for case .nearLimit(let near) in sent.compactMap({ try? $0.message() }) {
                uses.append(near.use)
            }
        }
        #expect(uses == [QuotaUse(.items, used: 100, limit: 100)])
    }
}
