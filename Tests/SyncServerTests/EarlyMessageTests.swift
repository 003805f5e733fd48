import ModelSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// Messages that name a room by its join may come together with that join.
@Suite("Messages before the join is answered")
struct EarlyMessageTests {
    private func submit(_ counter: UInt64, _ name: String) throws -> ClientMessage {
        let transaction = ListTransaction(base: 0, operations: [.insert(name)])
        return .submit(try Submit(room: 0, counter: counter, transaction: transaction))
    }

    @Test("joins, transactions, views and leaves run in order, whichever rooms must be opened")
    func oneFlight() throws {
        let world = try World()
        let anna = try world.greet("anna")
        let first = anna.join("room")
        anna.send(try submit(1, "a"), naming: first)
        let view = ViewRequest(
            room: 0, view: 1, layout: ViewLayout(.flow),
            bounds: ListRect(width: 100, height: 100))
        anna.send(.view(view), naming: first)
        let second = anna.join("other")
        anna.send(try submit(1, "b"), naming: second)
        anna.send(try submit(2, "c"), naming: first)
        #expect(world.run { anna.joined.count == 2 && anna.viewUpdates.count > 0 })
        let room = try #require(anna.joined[first]).handle
        let other = try #require(anna.joined[second]).handle
        #expect(world.run { anna.revision(room) == 2 && anna.revision(other) == 1 })
        #expect(anna.items(room) == ["a", "c"] && anna.items(other) == ["b"])
        #expect(anna.replicas[room]?.answers.map(\.counter) == [1, 2])
        #expect(anna.replicas[room]?.lateAnswers == 0)
        #expect(anna.viewUpdates.allSatisfy { $0.room == room })

        // The join still names the room as long as the client is a member.
        anna.send(try submit(3, "d"), naming: first)
        anna.send(.leave(Leave(request: 77, room: 0)), naming: first)
        anna.send(try submit(4, "e"), naming: first)
        let again = anna.join("room")
        anna.send(try submit(5, "f"), naming: again)
        #expect(world.run { anna.items(room) == ["a", "c", "d", "f"] })
        #expect(anna.done.contains(77))
        #expect(anna.answer(4, in: room) == nil)
        #expect(anna.errors.isEmpty)
    }

    @Test("messages that name a refused join are dropped, except for requests")
    func refused() throws {
        let world = try World()
        _ = try world.join("anna", secret: [1])
        let mallory = try world.greet("anna")
        let request = mallory.join("room", secret: [2])
        mallory.send(try submit(1, "a"), naming: request)
        mallory.send(.leave(Leave(request: 77, room: 0)), naming: request)
        mallory.send(.listRooms(ListRooms(request: 78)), naming: request)
        #expect(world.run { !mallory.roomLists.isEmpty })
        #expect(mallory.errors[.request(request)]?.code == .badSecret)
        #expect(mallory.errors[.request(77)]?.code == .unknownRoom)
        #expect(mallory.errors.count == 2)
        #expect(mallory.replicas.isEmpty && !mallory.isClosed)
    }

    @Test("an unreadable message is answered with the room's handle")
    func unreadable() throws {
        let world = try World()
        let anna = try world.greet("anna")
        let first = anna.join("room")
        // Both are unreadable: a transaction without operations, and a selection over the limit.
        let bad = try PackedTransaction(ListTransaction(base: 0, operations: []))
        anna.send(.submit(Submit(room: 0, counter: 0, transaction: bad)), naming: first)
        let ids = try (0...1000).map { try Identifier("i\($0)") }
        let state = PresenceState(selected: ids)
        anna.send(.presence(Presence(room: 0, state: state)), naming: first)
        #expect(world.run { anna.joined[first] != nil })
        let room = try #require(anna.joined[first]).handle
        #expect(world.run { anna.errors[.presence(in: room)] != nil })
        #expect(anna.errors[.presence(in: room)]?.code == .limitExceeded)
        #expect(world.run { anna.answer(0, in: room) == .reject(.forgotten) })
    }

    @Test("nothing more is read until the join is answered")
    func bounded() throws {
        let world = try World()
        let anna = try world.greet("anna")
        let first = anna.join("room")
        for counter in 1...50 as ClosedRange<UInt64> {
            anna.send(try submit(counter, "i\(counter)"), naming: first)
        }
        anna.send(.listRooms(ListRooms(request: 78)))
        #expect(world.run { !anna.roomLists.isEmpty })
        let room = try #require(anna.joined[first]).handle
        #expect(world.run { anna.revision(room) == 50 })
    }
}
