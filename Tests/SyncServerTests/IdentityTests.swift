import ModelSupport
import SyncModel
import SyncWire
import Testing

/// How the server answers messages with revisions of a wrong origin.
@Suite("Identity")
struct IdentityTests {
    /// The origin of a room's revision, one of an epoch that the room does not know, and one of
    /// another room.
    private func origins(_ world: World) throws -> (right: Origin, past: Origin, room: Origin) {
        let right = try #require(world.identities["room"]).origin(of: 2)
        return (
            right, Origin(room: right.room, epoch: EpochID(value: right.epoch.value &+ 1)),
            Origin(room: RoomID(high: right.room.high, low: ~right.room.low), epoch: right.epoch)
        )
    }

    private func worldWithRoom() throws -> (World, RawClient, RoomHandle) {
        let world = try World()
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        anna.submit(2, in: room, [.insert("b")])
        #expect(world.run { anna.revision(room) == 2 })
        return (world, anna, room)
    }

    @Test("a read of another history's revisions is refused as roomChanged")
    func reads() throws {
        let (world, anna, _) = try worldWithRoom()
        let name = try #require(RoomName("room"))
        let origins = try origins(world)
        var request: RequestID = 100
        for (origin, isRight) in [
            (origins.right, true), (origins.past, false), (origins.room, false),
        ] {
            request += 2
            anna.send(
                .readSnapshot(
                    ReadSnapshot(request: request, room: name, revision: 1, origin: origin)))
            anna.send(
                .readHistory(
                    ReadHistory(request: request + 1, room: name, from: 0, until: 2, origin: origin)
                ))
            for request in [request, request + 1] {
                let subject = ErrorSubject.request(request)
                #expect(world.run { anna.done.contains(request) || anna.errors[subject] != nil })
                #expect(anna.done.contains(request) == isRight)
                #expect(anna.errors[subject]?.code == (isRight ? nil : .roomChanged))
            }
        }
    }

    @Test("transactions for another history are refused, and later ones are accepted")
    func transactionsInFlight() throws {
        let (world, _, _) = try worldWithRoom()
        let origins = try origins(world)
        for (name, origin) in [("past", origins.past), ("room", origins.room)] {
            let client = try world.greet(name)
            let room = try world.join(client, from: 2, origin: origin, counter: 5)
            #expect(client.joined.values.first?.changed == true)
            #expect(client.joined.values.first?.resumed == false)
            for counter in [3, 5, 6] as [UInt64] {
                client.submit(counter, in: room, base: 2, [.insert("\(name) \(counter)")])
            }
            #expect(world.run { client.replicas[room]?.answers.count == 3 })
            #expect(client.replicas[room]?.answer(3) == .reject(.roomChanged))
            #expect(client.replicas[room]?.answer(5) == .reject(.roomChanged))
            guard case .ack = client.replicas[room]?.answer(6) else {
                Issue.record("a new transaction is not accepted")
                continue
            }
        }
    }

    @Test("a room answers for the transactions that it knows, though it has lost later ones")
    func transactionsThatAreKnown() throws {
        let (world, anna, _) = try worldWithRoom()
        let origins = try origins(world)
        anna.close()
        world.run(forMilliseconds: 100)
        let again = try world.greet("anna")
        let room = try world.join(again, from: 3, origin: origins.right, counter: 3)
        #expect(again.joined.values.first?.changed == true)
        for counter in 1...3 as ClosedRange<UInt64> {
            again.submit(counter, in: room, base: 0, [.insert("again \(counter)")])
        }
        #expect(world.run { again.replicas[room]?.answers.count == 3 })
        #expect(again.replicas[room]?.answer(1) == .ack(Commit(revision: 1)))
        #expect(again.replicas[room]?.answer(2) == .ack(Commit(revision: 2)))
        #expect(again.replicas[room]?.answer(3) == .reject(.roomChanged))
    }

    @Test("an epoch without a record is no origin, so clients that were sent it still resume")
    func unloggedEpochs() throws {
        let (world, anna, former) = try worldWithRoom()
        let held = try #require(anna.replicas[former]?.snapshot)
        for number in 0..<3 {
            try world.crash()
            let client = try world.greet("c\(number)")
            _ = try world.join(client, holding: held)
            let joined = try #require(client.joined.values.first)
            #expect(joined.resumed && !joined.changed && joined.identity.epochs.count == 2)
        }
        let (writer, room) = try world.join("writer", holding: held)
        writer.submit(1, in: room, base: 2, [.insert("c")])
        #expect(world.run { writer.revision(room) == 3 })
        let newer = try #require(writer.replicas[room]?.snapshot)
        try world.crash()
        let late = try world.greet("late")
        _ = try world.join(late, holding: newer)
        #expect(late.joined.values.first?.resumed == true)
    }

    @Test("a room without stored records is a different room after a restart")
    func unloggedRoom() throws {
        let world = try World()
        let (_, _) = try world.join("anna")
        let former = try #require(world.identities["room"])
        try world.crash()
        let client = try world.greet("anna")
        _ = try world.join(client, from: 0, origin: former.origin(of: 0), counter: 1)
        let joined = try #require(client.joined.values.first)
        #expect(!joined.changed && joined.resumed && joined.identity.id != former.id)
    }
}
