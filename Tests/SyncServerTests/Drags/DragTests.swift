import ModelSupport
import SyncIO
import SyncLayout
import SyncModel
import SyncRoom
import SyncSim
import SyncWire
import Testing

/// What a server does with drags, as seen on the wire.
@Suite("Drags")
struct DragTests {
    private static let column = ViewLayout(.flow) {
        $0.itemSize = ListSize(width: 100, height: 50)
    }

    /// A room with ten items `i0`… in the section `main`, one a line, with lines 60 points apart.
    /// The section `locked` below has the item `x` and accepts no moves.
    private func world() throws -> (world: World, writer: RawClient, room: RoomHandle) {
        let world = try World()
        let (writer, room) = try world.join("writer", presence: true)
        let locked = ListSection(id: id("locked"), content: try SectionContent(flags: []))
        var operations: [ListOperation] = (0..<10).map { .insert("i\($0)") }
        operations.append(.insertSection(locked, to: Placement()))
        operations.append(.insert(Item(id: id("x")), to: Placement(section: id("locked"))))
        let fixed = Item(id: id("fixed"), content: try ItemContent(flags: []))
        operations.append(.insert(fixed, to: Placement(section: id("locked"))))
        writer.submit(1, in: room, operations)
        #expect(world.run { writer.revision(room) == 1 })
        return (world, writer, room)
    }

    /// A member that views the whole room.
    private func viewer(_ world: World, _ name: String, presence: Bool = true) throws -> RawClient {
        let viewer = try world.greet(name)
        let request = viewer.join("room", viewOnly: true, presence: presence)
        #expect(world.run { viewer.joined[request] != nil })
        let room = try #require(viewer.joined[request]?.handle)
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: DragTests.column,
                    bounds: ListRect(width: 150, height: 1000))))
        #expect(world.run { screen(viewer).count == 12 })
        return viewer
    }

    private func send(
        _ step: Drag.Step, by client: RawClient, in room: RoomHandle, number: DragNumber = 1
    ) {
        client.send(.drag(Drag(room: room, number: number, step)))
    }

    private func begin(_ item: String, shared isShared: Bool = false) -> Drag.Step {
        .begin(id(item), view: 1, isShared: isShared)
    }

    /// The items of a screen that shows all of them, from top to bottom.
    private func screen(_ client: RawClient) -> [String] {
        var shown: [UInt32: (id: String, y: Double)] = [:]
        for update in client.viewUpdates {
            for gone in update.disappeared { shown[gone.key] = nil }
            for changed in update.changed {
                if let frame = changed.to.frame { shown[changed.key]?.y = frame.y }
            }
            for entry in update.appeared {
                shown[entry.key] = (entry.id.text, entry.element.frame.y)
            }
        }
        return shown.values.sorted { $0.y < $1.y }.map(\.id)
    }

    private var order: [String] { (0..<10).map { "i\($0)" } + ["x", "fixed"] }
    private var moved: [String] {
        ["i1", "i2", "i3", "i0", "i4", "i5", "i6", "i7", "i8", "i9", "x", "fixed"]
    }

    /// A drag update over the fourth item on the screen.
    private var overFourth: Drag.Step { .update(ListPoint(x: 75, y: 206), number: 1, seen: 0) }
    private var behindThird: DropTarget { DropTarget(section: id("main"), after: id("i3")) }

    @Test("begin, update, end: neighbours make room, one move, and no way back in between")
    func drop() throws {
        let (world, writer, room) = try world()
        let anna = try viewer(world, "anna")
        let bert = try viewer(world, "bert")
        send(begin("i0"), by: anna, in: room)
        #expect(world.run { anna.dragTargets == [DragTarget(room: room, number: 1)] })
        #expect(world.run { writer.presenceUpdates.last?.dragged == DraggedItem(item: id("i0")) })
        send(overFourth, by: anna, in: room)
        #expect(
            world.run {
                anna.dragTargets.last
                    == DragTarget(room: room, number: 1, update: 1, target: behindThird)
            })
        #expect(screen(anna) == moved)
        #expect(screen(bert) == order, "others do not see a private drag")
        let held = anna.viewUpdates.last?.changed.first { $0.to.zIndex != nil }
        #expect(held?.to.zIndex == HeldItem.zIndex)
        #expect(held?.to.frame == ListRect(x: 25, y: 181, width: 100, height: 50))
        let before = anna.viewUpdates.count
        anna.submit(1, in: room, base: 1, [.move(id("i0"), to: behindThird.placement)])
        send(.end(counter: 1), by: anna, in: room)
        #expect(world.run { writer.revision(room) == 2 })
        world.run(forMilliseconds: 200)
        #expect(writer.items(room) == Array(moved.prefix(10)))
        #expect(screen(anna) == moved && screen(bert) == moved)
        let last = anna.viewUpdates[before...].flatMap(\.changed)
        #expect(last.count { $0.to.frame != nil } == 1, "only the dragged item goes to its place")
        #expect(writer.presenceUpdates.last?.dragged == nil)
        #expect(anna.errors.isEmpty)
    }

    @Test("a drag whose move is to be seen already is over when it ends")
    func lateEnd() throws {
        let (world, writer, room) = try world()
        let anna = try viewer(world, "anna")
        send(begin("i0"), by: anna, in: room)
        send(overFourth, by: anna, in: room)
        #expect(world.run { anna.dragTargets.last?.target == behindThird })
        anna.submit(1, in: room, base: 1, [.move(id("i0"), to: behindThird.placement)])
        #expect(world.run { writer.revision(room) == 2 && screen(anna) == moved })
        world.run(forMilliseconds: 200)
        #expect(writer.presenceUpdates.last?.dragged != nil)
        send(.end(counter: 1), by: anna, in: room)
        #expect(world.run(limitMilliseconds: 1000) { writer.presenceUpdates.last?.dragged == nil })
        #expect(screen(anna) == moved)
    }

    @Test("cancel, a closed view, leaving and a lost socket put everything back")
    func cancel() throws {
        let (world, writer, room) = try world()
        let bert = try viewer(world, "bert")
        let ways: [(String, (RawClient) -> Void)] = [
            ("cancel", { send(.cancel, by: $0, in: room) }),
            ("close", { $0.send(.view(ViewRequest(room: room, view: 1, isClosed: true))) }),
            ("leave", { $0.send(.leave(Leave(request: $0.makeRequest(), room: room))) }),
            ("socket", { $0.close() }),
            ("no move", { send(.end(counter: 7), by: $0, in: room) }),
        ]
        for (name, end) in ways {
            let anna = try viewer(world, name)
            send(begin("i0", shared: true), by: anna, in: room)
            send(overFourth, by: anna, in: room)
            #expect(world.run { screen(bert) == moved }, "\(name): the drag is shared")
            #expect(
                world.run {
                    writer.presenceUpdates.last?.dragged
                        == DraggedItem(item: id("i0"), target: behindThird)
                }, "\(name)")
            end(anna)
            #expect(world.run { screen(bert) == order }, "\(name)")
            #expect(world.run { writer.presenceUpdates.last?.dragged == nil }, "\(name)")
            if name == "cancel" { #expect(world.run { screen(anna) == order }) }
        }
        #expect(writer.revision(room) == 1)
    }

    @Test("a member without presence is visible while it drags, again with each drag")
    func draggingWithoutPresence() throws {
        let (world, writer, room) = try world()
        let anna = try viewer(world, "anna", presence: false)
        for number: DragNumber in 1...2 {
            send(begin("i0"), by: anna, in: room, number: number)
            #expect(
                world.run {
                    writer.presenceUpdates.last?.client == id("anna")
                        && writer.presenceUpdates.last?.dragged == DraggedItem(item: id("i0"))
                })
            #expect(writer.presenceUpdates.last?.left == false)
            send(.cancel, by: anna, in: room, number: number)
            #expect(world.run { writer.presenceUpdates.last?.left == true })
            #expect(writer.presenceUpdates.last?.dragged == nil)
        }
        send(begin("i0"), by: anna, in: room, number: 3)
        #expect(world.run { writer.presenceUpdates.last?.left == false })
        anna.close()
        #expect(world.run { writer.presenceUpdates.last?.left == true })
        // The member itself is sent no presence.
        #expect(anna.presenceUpdates.isEmpty)
    }

    @Test("others' edits are merged into the preview, and a deleted item ends it")
    func edits() throws {
        let (world, writer, room) = try world()
        let anna = try viewer(world, "anna")
        let bert = try viewer(world, "bert")
        send(begin("i0", shared: true), by: anna, in: room)
        send(overFourth, by: anna, in: room)
        #expect(world.run { screen(bert) == moved })
        writer.submit(2, in: room, [.insert("new", after: "i3"), .delete(id("i9"))])
        var merged = moved
        merged.insert("new", at: 4)
        merged.removeAll { $0 == "i9" }
        #expect(world.run { screen(bert) == merged && screen(anna) == merged })
        writer.submit(3, in: room, [.delete(id("i0"))])
        #expect(world.run { anna.errors[.drag(1, in: room)] != nil })
        #expect(anna.errors[.drag(1, in: room)]?.code == .badDrag)
        merged.removeAll { $0 == "i0" }
        #expect(world.run { screen(bert) == merged && screen(anna) == merged })
        // Late steps of the ended drag are ignored, and the next drag begins.
        send(overFourth, by: anna, in: room)
        send(begin("i1"), by: anna, in: room, number: 2)
        #expect(world.run { anna.dragTargets.last?.number == 2 })
    }

    @Test("a target behind the last item stays at the end of its section when that item is deleted")
    func deletedTarget() throws {
        let (world, writer, room) = try world()
        let anna = try viewer(world, "anna")
        let bert = try viewer(world, "bert")
        send(begin("i0", shared: true), by: anna, in: room)
        send(.update(ListPoint(x: 75, y: 566), number: 1, seen: 0), by: anna, in: room)
        var expected = (1...9).map { "i\($0)" } + ["i0", "x", "fixed"]
        #expect(world.run { screen(anna) == expected && screen(bert) == expected })
        #expect(anna.dragTargets.last?.target == DropTarget(section: id("main"), after: id("i9")))
        writer.submit(2, in: room, [.delete(id("i9"))])
        expected.removeAll { $0 == "i9" }
        // Anna's own screen differs: her item stays under the point, which is among other items
        // now.
        #expect(world.run { screen(bert) == expected })
        #expect(
            world.run {
                anna.dragTargets.last?.target == DropTarget(section: id("main"), after: id("i8"))
            })
        #expect(anna.errors.isEmpty)
    }

    @Test("flags are respected: immovable items stay, and some sections accept no moves")
    func flags() throws {
        let (world, _, room) = try world()
        let anna = try viewer(world, "anna")
        send(begin("fixed"), by: anna, in: room)
        #expect(world.run { anna.errors[.drag(1, in: room)]?.code == .notAllowed })
        send(begin("i0"), by: anna, in: room, number: 2)
        send(.update(ListPoint(x: 75, y: 620), number: 5, seen: 0), by: anna, in: room, number: 2)
        #expect(world.run { anna.dragTargets.last?.update == 5 })
        #expect(anna.dragTargets.last?.target == nil)
    }

    @Test("meaningless steps are refused, and the connection goes on")
    func refusals() throws {
        let (world, _, room) = try world()
        let anna = try viewer(world, "anna")
        let bert = try viewer(world, "bert")
        func refusal(_ step: Drag.Step, _ number: DragNumber) throws -> ErrorCode {
            send(step, by: anna, in: room, number: number)
            #expect(world.run { anna.errors[.drag(number, in: room)] != nil })
            return try #require(anna.errors[.drag(number, in: room)]?.code)
        }
        #expect(try refusal(begin("none"), 1) == .badDrag)
        #expect(try refusal(.begin(id("i1"), view: 9, isShared: false), 2) == .badDrag)
        send(begin("i1"), by: anna, in: room, number: 3)
        #expect(try refusal(begin("i2"), 4) == .badDrag)
        #expect(
            try refusal(.update(ListPoint(x: .nan, y: 0), number: 1, seen: 0), 3) == .badDrag)
        send(begin("i1"), by: bert, in: room + 1)
        #expect(world.run { bert.errors[.drag(1, in: room + 1)]?.code == .unknownRoom })
        for number: DragNumber in 5..<13 {
            let other = try viewer(world, "c\(number)")
            send(begin("i1", shared: true), by: other, in: room)
            #expect(world.run { other.dragTargets.count == 1 })
        }
        #expect(try refusal(begin("i1", shared: true), 13) == .limitExceeded)
        #expect(!anna.isClosed && !bert.isClosed && screen(anna) == order)
    }

    @Test("a flood of updates is conflated, and the last one counts")
    func flood() throws {
        let (world, _, room) = try world()
        let anna = try viewer(world, "anna")
        send(begin("i0"), by: anna, in: room)
        anna.stream?.isReadingPaused = true
        for number in 1...5000 {
            send(
                .update(ListPoint(x: 75, y: Double(number % 500)), number: UInt64(number), seen: 0),
                by: anna, in: room)
        }
        send(.update(ListPoint(x: 75, y: 206), number: 5001, seen: 0), by: anna, in: room)
        world.run(forMilliseconds: 1000)
        anna.stream?.isReadingPaused = false
        #expect(world.run { anna.dragTargets.last?.update == 5001 })
        #expect(anna.dragTargets.last?.target == behindThird && screen(anna) == moved)
        #expect(anna.viewUpdates.count < 2500, "\(anna.viewUpdates.count)")
    }
}
