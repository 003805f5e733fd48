import ModelSupport
import SyncModel
import SyncRoom
import SyncSim
import SyncWire
import Testing

@Suite("Presence")
struct PresenceTests {
    private func selecting(_ ids: String...) -> PresenceState {
        PresenceState(selected: ids.map { id($0) })
    }

    @Test("members that asked for presence get that of others, and the rest do not")
    func receivers() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna", presence: true)
        let (bert, _) = try world.join("bert", presence: true)
        let (cora, _) = try world.join("cora")
        #expect(world.run { anna.others.keys.sorted() == ["bert"] })
        #expect(world.run { bert.others.keys.sorted() == ["anna"] })
        // Messages of one write are applied in order, so the item exists when it is selected.
        anna.submit(1, in: room, base: 0, [.insert("a")])
        anna.send(.presence(Presence(room: room, state: selecting("a", "b", "a"))))
        #expect(world.run { bert.others["anna"] == selecting("a") })
        anna.send(.presence(Presence(room: room)))
        #expect(world.run { bert.others["anna"] == PresenceState() })
        cora.send(.presence(Presence(room: room, state: selecting("a"))))
        #expect(world.run { cora.errors[.presence(in: room)]?.code == .notAllowed })
        #expect(cora.others.isEmpty && bert.others.keys.sorted() == ["anna"])
        #expect(anna.errors.isEmpty && bert.errors.isEmpty)
    }

    @Test("unselectable and unhighlightable items are left out")
    func flags() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna", presence: true)
        let (bert, _) = try world.join("bert", presence: true)
        let (fixed, dull) = (
            ItemFlags.all.subtracting(.selectable), ItemFlags.all.subtracting(.highlightable)
        )
        let main = Placement(section: id("main"))
        anna.submit(
            1, in: room, base: 0,
            [
                .insert(Item(id: id("a"), content: try ItemContent(flags: fixed)), to: main),
                .insert(Item(id: id("b"), content: try ItemContent(flags: dull)), to: main),
                .insert(Item(id: id("c"), content: ItemContent()), to: main),
            ])
        let all = [id("a"), id("b"), id("c")]
        anna.send(
            .presence(
                Presence(room: room, state: PresenceState(selected: all, highlighted: all))))
        // An item that can't be highlighted can't be selected.
        let shown = PresenceState(selected: [id("c")], highlighted: [id("a"), id("c")])
        #expect(world.run { bert.others["anna"] == shown })
        #expect(anna.errors.isEmpty)
    }

    @Test("a member that loses its socket, leaves or is replaced is gone at once")
    func departure() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna", presence: true)
        let (bert, _) = try world.join("bert", presence: true)
        let (cora, _) = try world.join("cora", presence: true)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { bert.items(room) == ["a"] })
        bert.send(.presence(Presence(room: room, state: selecting("a"))))
        #expect(world.run { anna.others["bert"] == selecting("a") })
        // On a new connection its presence starts empty, and others do not see it leave.
        let (newBert, _) = try world.join("bert", presence: true)
        #expect(world.run { anna.others["bert"] == PresenceState() })
        // The network decides which of the two connections is notified first.
        #expect(world.run { bert.errors[.room(room)]?.code == .replaced })
        #expect(!anna.presenceUpdates.contains { $0.left })
        newBert.close()
        #expect(world.run(limitMilliseconds: 1000) { anna.others.keys.sorted() == ["cora"] })
        cora.send(.leave(Leave(request: cora.makeRequest(), room: room)))
        #expect(world.run(limitMilliseconds: 1000) { anna.others.isEmpty })
        #expect(anna.presenceUpdates.filter(\.left).map { $0.client?.text } == ["bert", "cora"])
    }

    @Test("presence over a limit, or for no room, is refused, and the connection goes on")
    func refusals() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna", presence: true)
        let (bert, _) = try world.join("bert", presence: true)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        anna.send(.presence(Presence(room: room, state: selecting("a"))))
        #expect(world.run { bert.others["anna"] == selecting("a") })
        let many = PresenceState(
            selected: (0...PresenceLimits.mostItems).map { id("i\($0)") })
        anna.send(.presence(Presence(room: room, state: many)))
        #expect(world.run { anna.errors[.presence(in: room)]?.code == .limitExceeded })
        anna.send(.presence(Presence(room: room + 1, state: selecting("a"))))
        #expect(world.run { anna.errors[.presence(in: room + 1)]?.code == .unknownRoom })
        world.run(forMilliseconds: 100)
        #expect(bert.others["anna"] == selecting("a"))
        #expect(!anna.isClosed && anna.connectionError == nil)
    }
}
