import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// A client that was away is sent the changes or the room, whichever is smaller.
@Suite("Catching up")
struct CatchUpTests {
    private static let turnSteps = 512
    private static let itemCount = 200

    /// A room, and the client that has made its items.
    private func makeRoom() throws -> (World, RawClient, RoomHandle) {
        let world = try World {
            $0.turnSteps = CatchUpTests.turnSteps
            $0.threads = 1
            $0.room.horizon = 10_000
            $0.room.maximumHorizon = 20_000
        }
        let (anna, room) = try world.join("anna")
        anna.submit(
            1, in: room, base: 0,
            try (0..<CatchUpTests.itemCount).map { number in
                .insert(
                    Item(id: id("i\(number)"), content: try ItemContent(fields: [try text(0)])),
                    to: Placement(section: id("main")))
            })
        #expect(world.run { anna.revision(room) == 1 })
        return (world, anna, room)
    }

    private func text(_ number: Int) throws -> Field {
        Field(
            name: id("text"), value: .text("\(number) " + String(repeating: "x", count: 100)))
    }

    /// Edits some of the items in turn, and moves each behind another if `moves` is set.
    private func edit(
        _ count: Int, of items: Int, moves: Bool, _ world: World, _ anna: RawClient,
        _ room: RoomHandle
    ) throws {
        let first = UInt64(anna.replicas[room]?.answers.count ?? 0) + 1
        for number in 0..<count / 10 {
            var operations: [ListOperation] = []
            for number in number * 10..<(number + 1) * 10 {
                let item = id("i\(number % items)")
                operations.append(.update(item, ItemPatch(set: [try text(number)])))
                let anchor = id("i\((number * 7 + 1) % items)")
                if moves, anchor != item {
                    operations.append(.move(item, to: Placement(position: .after(anchor))))
                }
            }
            anna.submit(first + UInt64(number), in: room, base: 1, operations)
        }
        let last = first + UInt64(count / 10) - 1
        #expect(world.run { anna.answer(last, in: room) != nil })
        #expect(world.run { anna.revision(room) == Revision(last) })
    }

    @Test("an item that is edited many times is in one batch, once")
    func oneBatch() throws {
        let (world, anna, room) = try makeRoom()
        let before = try #require(anna.replicas[room]?.snapshot)
        try edit(3000, of: 20, moves: false, world, anna, room)
        let (bert, same) = try world.join("bert", holding: before)
        let received = bert.receivedBytes
        #expect(world.run { bert.revision(same) == anna.revision(room) })
        let replica = try #require(bert.replicas[same])
        #expect(replica.snapshot == anna.replicas[room]?.snapshot)
        #expect((replica.batchCount, replica.snapshotCount) == (1, 0))
        // The texts have 20 × 100 bytes.
        #expect(bert.receivedBytes - received < 4000)
    }

    @Test("if all items were edited and moved the room is smaller, and is sent")
    func room() throws {
        let (world, anna, room) = try makeRoom()
        let before = try #require(anna.replicas[room]?.snapshot)
        try edit(1500, of: CatchUpTests.itemCount, moves: true, world, anna, room)
        let (bert, same) = try world.join("bert", holding: before)
        #expect(world.run { bert.revision(same) == anna.revision(room) })
        let replica = try #require(bert.replicas[same])
        #expect(replica.snapshot == anna.replicas[room]?.snapshot)
        #expect((replica.batchCount, replica.snapshotCount) == (0, 1))
    }

    @Test("many clients with as many different revisions share the snapshot of the room")
    func crowd() throws {
        let (world, anna, room) = try makeRoom()
        let before = try #require(anna.replicas[room]?.snapshot)
        var held = [before]
        for _ in 0..<36 {
            try edit(10, of: 20, moves: false, world, anna, room)
            held.append(try #require(anna.replicas[room]?.snapshot))
        }
        try edit(1500, of: 20, moves: false, world, anna, room)
        // All clients join at the same time.
        let clients = try held.map { try world.greet("c\($0.revision)") }
        var requests: [(RawClient, RequestID)] = []
        for (client, snapshot) in zip(clients, held) {
            let origin = world.identities["room"]?.origin(of: snapshot.revision)
            requests.append(
                (client, client.join("room", holding: snapshot, secret: [1], origin: origin)))
        }
        #expect(
            world.run {
                requests.allSatisfy { client, request in
                    guard let same = client.joined[request]?.handle else { return false }
                    return client.revision(same) == anna.revision(room)
                }
            })
        var snapshots = 0
        for (client, request) in requests {
            let same = try #require(client.joined[request]?.handle)
            #expect(client.replicas[same]?.snapshot == anna.replicas[room]?.snapshot)
            snapshots += client.replicas[same]?.snapshotCount ?? 0
        }
        // A few may have been served before the others joined.
        #expect(snapshots > requests.count / 2, "\(snapshots)")
    }
}
