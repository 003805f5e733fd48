import ModelSupport
import SyncLayout
import SyncModel
import SyncServer
import SyncStore
import SyncWire
import Testing

@testable import SyncRoom

/// A client gets an error for each request that it may not make, and the request has no other
/// effect.
@Suite("A gate")
struct GateTests {
    private final class TestGate: Gate, @unchecked Sendable {
        // Sendable, as a simulation has one thread.
        var denied: RequestKind?
        var user: String?
        private(set) var requests: [GateRequest] = []

        func user(at peer: String) -> String? { user }

        func allows(_ request: GateRequest) -> Bool {
            requests.append(request)
            return request.kind != denied
        }
    }

    @Test("denies requests of any kind", arguments: RequestKind.allCases)
    func denial(kind: RequestKind) throws {
        let gate = TestGate()
        let world = try World { $0.gate = gate }
        let (anna, room) = try world.join("anna", presence: true)
        let (bert, _) = try world.join("bert", presence: true)
        anna.submit(1, in: room, [.insert("a")])
        anna.send(.view(GateTests.view(of: room, width: 100)))
        #expect(world.run { bert.items(room) == ["a"] && anna.viewUpdates.count == 1 })
        gate.denied = kind
        let request = anna.makeRequest()
        anna.send(try message(kind, request, room))
        anna.submit(2, in: room, [.insert("b", after: "a")])
        #expect(world.run { anna.answer(2, in: room) != nil })
        world.run(forMilliseconds: 500)
        let answer = anna.answer(2, in: room)
        if kind == .submit {
            #expect(answer == .reject(.notAllowed))
        } else {
            let subject: ErrorSubject =
                switch kind {
                case .view: .view(1, in: room)
                case .drag: .drag(1, in: room)
                case .presence: .presence(in: room)
                default: .request(request)
                }
            #expect(anna.errors[subject]?.code == .notAllowed)
        }
        #expect(bert.items(room) == (kind == .submit ? ["a"] : ["a", "b"]))
        #expect(!anna.isClosed && !bert.isClosed && bert.errors.isEmpty)
        #expect(anna.joined.count == 1 && anna.stats.isEmpty && anna.roomLists.isEmpty)
        #expect(anna.done.isEmpty && anna.snapshots.isEmpty && anna.batches.isEmpty)
        #expect(bert.others["anna"]?.selected.isEmpty != false)
        let last = try #require(gate.requests.last { $0.kind == kind })
        #expect(last.user.isEmpty && last.role == .admin)
        #expect(last.room?.text == (kind == .listRooms ? nil : kind == .join ? "other" : "room"))
    }

    @Test(
        "is asked for a client's user, whose name rooms, logs and requests have", arguments: [0, 1])
    func users(isNamed: Int) throws {
        let gate = TestGate()
        gate.user = isNamed == 1 ? "Anna" : nil
        let world = try World { $0.gate = gate }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        let joined = try #require(anna.joined.values.first)
        #expect(joined.user == gate.user ?? "" && joined.role == .admin)
        #expect(gate.requests.allSatisfy { $0.user == gate.user ?? "" })
        let stored = try #require(try world.storage.open(room: "room"))
        let record = try #require(stored.records.first)
        let state = RoomState()
        try state.apply(
            LogRecord(
                sequence: record.sequence, firstRevision: record.firstRevision,
                lastRevision: record.lastRevision,
                wallClockMilliseconds: record.wallClockMilliseconds, body: record.body))
        let author = try #require(state.author(id("anna")))
        #expect(state.authors[author].user == gate.user ?? "")
    }

    @Test("is asked once for a run of transactions")
    func runs() throws {
        let gate = TestGate()
        let world = try World { $0.gate = gate }
        let (anna, room) = try world.join("anna")
        for counter in 1...200 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.answer(200, in: room) != nil })
        let count = gate.requests.count { $0.kind == .submit }
        #expect(count > 0 && count < 100)
    }

    @Test("is asked once for a transaction, on whatever loop its room is")
    func loops() throws {
        let gate = TestGate()
        let world = try World {
            $0.gate = gate
            $0.threads = 2
        }
        let client = try world.greet("anna")
        var loops: Set<RoomHandle> = []
        for number in 1...8 as ClosedRange<UInt64> {
            let room = try world.join(client, "room \(number)")
            loops.insert(room % 2)
            client.submit(1, in: room, base: 0, [.insert("a")])
            #expect(world.run { client.answer(1, in: room) != nil })
            #expect(gate.requests.count { $0.kind == .submit } == Int(number))
        }
        #expect(loops.count == 2)
    }

    private static func view(of room: RoomHandle, width: Double) -> ViewRequest {
        ViewRequest(
            room: room, view: 1, layout: ViewLayout(.flow),
            bounds: ListRect(width: width, height: 100))
    }

    private func message(
        _ kind: RequestKind, _ request: RequestID, _ room: RoomHandle
    ) throws -> ClientMessage {
        let name = try #require(RoomName("room"))
        return switch kind {
        case .join:
            .join(
                Join(
                    request: request, room: try #require(RoomName("other")), client: id("anna"),
                    secret: [1]))
        case .submit: .heartbeat(Heartbeat())
        case .view: .view(GateTests.view(of: room, width: 200))
        case .drag: .drag(Drag(room: room, number: 1, .begin(id("a"), view: 1, isShared: false)))
        case .presence:
            .presence(Presence(room: room, state: PresenceState(selected: [id("a")])))
        case .readSnapshot: .readSnapshot(ReadSnapshot(request: request, room: name))
        case .readHistory: .readHistory(ReadHistory(request: request, room: name, from: 0))
        case .readStats: .readStats(RoomRequest(request: request, room: name))
        case .deleteRoom: .deleteRoom(RoomRequest(request: request, room: name))
        case .listRooms: .listRooms(ListRooms(request: request))
        }
    }
}
