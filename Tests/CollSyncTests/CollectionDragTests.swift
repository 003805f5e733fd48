import CollSync
import CollSyncUV
import ServerSupport
import SyncModel
import Testing

/// Dragging items with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct CollectionDragTests {
    /// A room of ten items, one a line of 50 points, and a client's view of it.
    private struct Stage {
        let server: LocalServer
        let writer: CollectionRoom
        let view: CollectionView

        init(items: Int = 10) async throws {
            server = try await LocalServer.start()
            writer = try await CollectionClient.connect(to: server.address).join("room")
            let main = Identifier("main")
            try await writer.submit(
                (0..<items).map { index in
                    .insert(
                        Item(id: try Identifier("i\(index)")), to: Placement(section: main))
                })
            view = try await Stage.view(server)
        }

        static func view(_ server: LocalServer) async throws -> CollectionView {
            try await view(at: server.address)
        }

        static func view(at address: String) async throws -> CollectionView {
            let room = try await CollectionClient.connect(to: address)
                .join("room", options: JoinOptions(viewOnly: true))
            var layout = LayoutSpec(kind: .flow)
            layout.options.minimumLineSpacing = 0
            layout.options.minimumInteritemSpacing = 0
            return try await room.openView(
                layout, bounds: ListRect(x: 0, y: 0, width: 50, height: 1000))
        }

        /// The items on the screen, from top to bottom.
        static func order(_ view: CollectionView) async throws -> [String] {
            try await view.screen().elements.sorted { $0.element.frame.y < $1.element.frame.y }
                .compactMap { element in
                    if case .item(let item) = element.content { item.id.text } else { nil }
                }
        }

        /// Waits until the screen has this order.
        static func wait(
            for order: [String], on view: CollectionView
        ) async throws {
            if try await self.order(view) == order { return }
            for await event in view.events {
                if case .ended(let error) = event { throw error }
                if try await self.order(view) == order { return }
            }
        }
    }

    private let order = (0..<10).map { "i\($0)" }
    private let moved = ["i1", "i2", "i3", "i0"] + (4..<10).map { "i\($0)" }

    @Test func whatIsDroppedIsMovedOnce() async throws {
        let stage = try await Stage()
        let other = try await Stage.view(stage.server)
        let (view, item) = (stage.view, Identifier("i0"))
        try await view.beginDrag(of: item, shared: true)
        view.drag(to: ListPoint(x: 25, y: 175))
        try await Stage.wait(for: moved, on: other)
        let held = try await view.screen().elements.first { $0.element.zIndex > 0 }
        #expect(held?.element.frame == ListRect(x: 0, y: 150, width: 50, height: 50))
        let commit = try await view.endDrag()
        #expect(commit?.revision == 2)
        try await Stage.wait(for: moved, on: view)
        let items = try await stage.writer.snapshot().sections[0].items
        // The writer may not have received the move yet.
        #expect([moved, order].contains(items.map(\.id.text)))
        try await Stage.wait(for: moved, on: other)
        // The next drag can begin at once, and its item stays where it is.
        try await view.beginDrag(of: item)
        #expect(try await view.endDrag() == nil)
        #expect(try await stage.writer.submit([]).revision == 3, "there was one move")
    }

    /// An end that came before its move would put the item back first.
    @Test func theMoveIsSentBeforeTheEnd() async throws {
        let stage = try await Stage()
        let tap = try FrameTap(to: stage.server.address)
        let view = try await Stage.view(at: tap.address)
        try await view.beginDrag(of: Identifier("i0"))
        view.drag(to: ListPoint(x: 25, y: 175))
        #expect(try await view.endDrag()?.revision == 2)
        // What the client sends next comes behind the end.
        try await view.beginDrag(of: Identifier("i1"))
        let kinds = tap.messages.compactMap { message -> String? in
            switch message {
            case .submit: "move"
            case .drag(let drag): if case .end = drag.step { "end" } else { nil }
            default: nil
            }
        }
        #expect(kinds == ["move", "end"])
        #expect(try await stage.writer.submit([]).revision == 3, "there was one move")
    }

    @Test func whatIsCancelledGoesBack() async throws {
        let stage = try await Stage()
        let view = stage.view
        try await view.beginDrag(of: Identifier("i0"))
        view.drag(to: ListPoint(x: 25, y: 175))
        try await Stage.wait(for: moved, on: view)
        view.cancelDrag()
        try await Stage.wait(for: order, on: view)
        await #expect(throws: CollectionError.self) { try await view.endDrag() }
        #expect(try await stage.writer.submit([]).revision == 2)
    }

    @Test func aDragThatCannotBeIsRefused() async throws {
        let stage = try await Stage()
        func code(_ text: String) async throws -> String? {
            let id = try Identifier(text)
            do throws(CollectionError) {
                try await stage.view.beginDrag(of: id)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try await code("nobody") == "badDrag")
        #expect(try await code("i1") == nil)
        #expect(try await code("i2") == "badDrag", "one at a time")
        stage.view.cancelDrag()
        let fixed = FlagChanges<ItemFlags>(changed: [.movable])
        try await stage.writer.submit([.update(Identifier("i2"), ItemPatch(flags: fixed))])
        #expect(try await code("i2") == "notAllowed")
    }

    /// The events report the target, and the end of a drag that the client did not end.
    @Test func eventsReportTargetsAndTheEnd() async throws {
        let stage = try await Stage()
        let view = stage.view
        let item = Identifier("i0")
        let events = view.events
        try await view.beginDrag(of: item)
        view.drag(to: ListPoint(x: 25, y: 175))
        var targets: [DropTarget?] = []
        for await event in events {
            switch event {
            case .dragged(let target):
                targets.append(target)
                if target != nil { try await stage.writer.submit([.delete(item)]) }
            case .dragEnded(let error):
                #expect(error.code == "badDrag")
                view.close()
            case .updated: break
            case .ended: break
            }
        }
        let target = DropTarget(section: Identifier("main"), after: Identifier("i3"))
        #expect(targets == [nil, target])
    }
}
