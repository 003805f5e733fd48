import CollSync
import CollSyncUV
import ModelSupport
import ServerSupport
import SyncLayout
import SyncModel
import Testing

/// Cut, copy and paste of clients that have only the contents of their views, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct ThinClipboardTests {
    private let main = id("main")
    /// One item a line, with lines 60 points apart.
    private let column: LayoutSpec = {
        var spec = LayoutSpec(kind: .flow)
        spec.options.itemSize = ListSize(width: 100, height: 50)
        return spec
    }()

    /// A room of `i0` to `i9`, a writer with all of it, and a viewer of the first three.
    private func start(
        _ server: LocalServer
    ) async throws -> (writer: CollectionRoom, viewer: CollectionRoom, view: CollectionView) {
        let writer = try await CollectionClient.connect(to: server.address).join("room1")
        try await writer.submit(
            (0..<10).map { number in
                let field = Field(name: id("n"), value: .number(Double(number)))
                let content = try ItemContent(fields: [field])
                let item = Item(id: id("i\(number)"), content: content)
                return .insert(item, to: Placement(section: main))
            })
        let viewer = try await CollectionClient.connect(to: server.address)
            .join("room1", options: JoinOptions(viewOnly: true))
        let view = try await viewer.openView(
            column, bounds: ListRect(x: 0, y: 0, width: 100, height: 170))
        return (writer, viewer, view)
    }

    private func ids(_ numbers: Int...) -> [Identifier] {
        numbers.map { id("i\($0)") }
    }

    private func items(_ server: LocalServer, _ room: String = "room1") async throws -> [Item] {
        let client = try await CollectionClient.connect(to: server.address)
        defer { client.close() }
        return try await client.snapshot(of: room).sections.flatMap(\.items)
    }

    @Test func copiesWhatIsOnItsScreens() async throws {
        let server = try await LocalServer.start()
        let (_, viewer, view) = try await start(server)
        var clipboard = try await viewer.copy(ids(2, 0))
        #expect(clipboard.items.map(\.id) == ids(0, 2), "in the room's order")
        let pasted = try await viewer.paste(
            &clipboard, to: Placement(section: main, position: .index(0)))
        let items = try await items(server)
        #expect(items.map(\.id) == pasted.ids + ids(0, 1, 2, 3, 4, 5, 6, 7, 8, 9))
        #expect(items.prefix(2).map(\.content) == [items[2].content, items[4].content])
        do throws(CollectionError) {
            _ = try await viewer.copy(ids(7))
            Issue.record("the item is not on the screen")
        } catch {
            #expect(error.code == "unknownItem")
        }
        view.close()
    }

    @Test func aCutWithinTheRoomIsAMove() async throws {
        let server = try await LocalServer.start()
        let (_, viewer, view) = try await start(server)
        var clipboard = try await viewer.cut(ids(0, 1))
        // A cut item need not be on the screen any more.
        view.scroll(toItem: id("i9"))
        for await event in view.events {
            if case .updated(let change) = event, change.bounds.y > 300 { break }
        }
        let pasted = try await viewer.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.ids == ids(0, 1))
        #expect(try await items(server).map(\.id) == ids(2, 3, 4, 5, 6, 7, 8, 9, 0, 1))
    }

    @Test func whatWasDeletedAfterItWasCutComesBack() async throws {
        let server = try await LocalServer.start()
        let (writer, viewer, view) = try await start(server)
        var clipboard = try await viewer.cut(ids(0, 1))
        let commit = try await writer.submit([.delete(id("i0"))])
        // The viewer has seen that the item is gone.
        for await event in view.events {
            if case .updated(let change) = event, change.revision == commit.revision { break }
        }
        let pasted = try await viewer.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.ids[1] == id("i1") && pasted.ids[0] != id("i0"))
        let items = try await items(server)
        #expect(items.map(\.id) == ids(2, 3, 4, 5, 6, 7, 8, 9) + pasted.ids)
        #expect(items[8].content == clipboard.items[0].content)
    }

    /// What its first attempt has moved must not be moved, or deleted, by the next paste.
    @Test func whatWasPastedInPartIsNoCutAnyMore() async throws {
        let server = try await LocalServer.start()
        let (writer, viewer, view) = try await start(server)
        var clipboard = try await viewer.cut(ids(0, 2))
        let commit = try await writer.submit([.delete(id("i0"))])
        for await event in view.events {
            if case .updated(let change) = event, change.revision == commit.revision { break }
        }
        var attempts = 0
        do throws(CollectionError) {
            _ = try await viewer.paste(&clipboard, to: Placement(section: main)) {
                attempts += 1
                if attempts == 2 { viewer.leave() }
            }
            Issue.record("it is in the room no more")
        } catch {
            #expect(error.code == "closed")
        }
        #expect(attempts == 2 && !clipboard.isCut)
        #expect(try await items(server).map(\.id) == ids(2, 1, 3, 4, 5, 6, 7, 8, 9))
    }

    @Test func aCutInAnotherRoomLeavesIt() async throws {
        let server = try await LocalServer.start()
        let (_, viewer, view) = try await start(server)
        var clipboard = try await viewer.cut(ids(1))
        view.close()
        let target = try await CollectionClient.connect(to: server.address)
            .join("room2", options: JoinOptions(viewOnly: true))
        let pasted = try await target.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.leftBehind == nil)
        #expect(try await items(server, "room2").map(\.id) == pasted.ids)
        #expect(try await items(server).map(\.id) == ids(0, 2, 3, 4, 5, 6, 7, 8, 9))
    }
}
