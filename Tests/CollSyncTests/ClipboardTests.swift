import CollSync
import CollSyncJSON
import CollSyncUV
import ModelSupport
import ServerSupport
import SyncModel
import SyncWire
import Testing

/// Cut, copy and paste with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct ClipboardTests {
    private let milk = id("milk")
    private let eggs = id("eggs")
    private let tea = id("tea")
    private let main = id("main")

    /// A client in `room1`, which contains milk, eggs and tea.
    private func start(
        _ server: LocalServer, flags: ItemFlags = .all
    ) async throws -> (client: CollectionClient, room: CollectionRoom) {
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room1")
        try await room.submit(
            [milk, eggs, tea].map { id in
                let field = Field(name: ModelSupport.id("title"), value: .text("the \(id)"))
                let content = try ItemContent(
                    size: ListSize(width: 1, height: 2), fields: [field], flags: flags)
                return .insert(Item(id: id, content: content), to: Placement(section: main))
            })
        try await waitForRevision(room, 1)
        return (client, room)
    }

    /// Waits until the client has a revision.
    private func waitForRevision(_ room: CollectionRoom, _ revision: Revision) async throws {
        while try await room.snapshot().revision < revision {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func items(
        _ server: LocalServer, _ room: String
    ) async throws -> [Item] {
        let client = try await CollectionClient.connect(to: server.address)
        defer { client.close() }
        return try await client.snapshot(of: room).sections.flatMap(\.items)
    }

    private func expectRefusal(
        _ code: String, _ location: SourceLocation = #_sourceLocation,
        _ body: () async throws(CollectionError) -> Void
    ) async {
        do throws(CollectionError) {
            try await body()
            Issue.record("the paste is accepted", sourceLocation: location)
        } catch {
            #expect(error.code == code, sourceLocation: location)
        }
    }

    @Test func copiesHaveTheContentAndNewIDs() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await start(server)
        // The items come in the room's order, whatever the order of the ids.
        var clipboard = try await room.copy([tea, milk])
        #expect(clipboard.items.map(\.id) == [milk, tea])
        let pasted = try await room.paste(
            &clipboard, to: Placement(section: main, position: .index(1)))
        #expect(pasted.leftBehind == nil)
        #expect(Set(pasted.ids).isDisjoint(with: [milk, eggs, tea]))
        let items = try await items(server, "room1")
        #expect(items.map(\.id) == [milk] + pasted.ids + [eggs, tea])
        #expect(items[1].content == clipboard.items[0].content)
        #expect(items[2].content == clipboard.items[1].content)
        #expect(pasted.revision == 2)
    }

    /// A paste of a cut in the same room is a move; a second paste is a copy.
    @Test func aCutWithinTheRoomIsAMove() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await start(server)
        var clipboard = try await room.cut([milk, eggs])
        #expect(try await items(server, "room1").map(\.id) == [milk, eggs, tea])
        let end = Placement(section: main)
        let pasted = try await room.paste(&clipboard, to: end)
        #expect(pasted.ids == [milk, eggs])
        #expect(try await items(server, "room1").map(\.id) == [tea, milk, eggs])
        try await waitForRevision(room, pasted.revision)
        let again = try await room.paste(&clipboard, to: end)
        #expect(
            try await items(server, "room1").map(\.id) == [tea, milk, eggs] + again.ids)
    }

    @Test func whatWasDeletedAfterItWasCutComesBack() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await start(server)
        var clipboard = try await room.cut([milk, eggs])
        let commit = try await room.submit([.delete(milk)])
        try await waitForRevision(room, commit.revision)
        let pasted = try await room.paste(&clipboard, to: Placement(section: main))
        let items = try await items(server, "room1")
        #expect(items.map(\.id) == [tea] + pasted.ids)
        #expect(pasted.ids.last == eggs)
        #expect(items[1].content == clipboard.items[0].content)
    }

    /// Between rooms, through text, as between programs.
    @Test func aCutInAnotherRoomLeavesIt() async throws {
        let server = try await LocalServer.start()
        let (_, source) = try await start(server)
        let text = try await source.cut([milk, tea]).json
        let other = try await CollectionClient.connect(to: server.address)
        let target = try await other.join("room2")
        var clipboard = try Clipboard(json: text)
        let pasted = try await target.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.leftBehind == nil)
        #expect(try await items(server, "room1").map(\.id) == [eggs])
        let items = try await items(server, "room2")
        #expect(items.map(\.id) == pasted.ids)
        #expect(items.map(\.content) == clipboard.items.map(\.content))
        while try await other.rooms().first(where: { $0.name == "room1" })?.members != 1 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func oneClientMayBeInBothRooms() async throws {
        let server = try await LocalServer.start()
        let (client, source) = try await start(server)
        let target = try await client.join("room2")
        let place = Placement(section: main)
        var clipboard = try await source.cut([milk])
        await expectRefusal("alreadyJoined") { () async throws(CollectionError) in
            _ = try await target.paste(&clipboard, to: place)
        }
        await expectRefusal("unknownRoom") { () async throws(CollectionError) in
            _ = try await target.paste(&clipboard, to: place, from: target)
        }
        #expect(clipboard.isCut)
        #expect(try await items(server, "room2").isEmpty)
        try await target.paste(&clipboard, to: place, from: source)
        try await target.paste(&clipboard, to: place)
        #expect(try await items(server, "room1").map(\.id) == [eggs, tea])
        #expect(try await items(server, "room2").count == 2)
    }

    /// A client that pastes between the same rooms again and again gets an answer each time.
    @Test func aRoomIsEnteredAgainAndAgain() async throws {
        let server = try await LocalServer.start()
        let (_, source) = try await start(server)
        let other = try await CollectionClient.connect(to: server.address)
        let target = try await other.join("room2")
        for (id, left) in [(milk, [eggs, tea]), (eggs, [tea]), (tea, [])] {
            var clipboard = try await source.cut([id])
            let pasted = try await target.paste(&clipboard, to: Placement(section: main))
            #expect(pasted.leftBehind == nil)
            #expect(try await items(server, "room1").map(\.id) == left)
        }
        #expect(try await items(server, "room2").count == 3)
    }

    @Test func aRoomThatIsGoneIsNotMadeAgain() async throws {
        let server = try await LocalServer.start()
        let (client, source) = try await start(server)
        var clipboard = try await source.cut([milk])
        let target = try await client.join("room2")
        try await client.deleteRoom("room1")
        let pasted = try await target.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.leftBehind == nil)
        #expect(try await items(server, "room2").map(\.id) == pasted.ids)
        #expect(try await client.rooms().map(\.name) == ["room2"])
    }

    // MARK: Forbidden steps

    @Test func flagsAreRespected() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await start(server, flags: .all.subtracting([.movable, .deletable]))
        await expectRefusal("notAllowed") { () async throws(CollectionError) in
            _ = try await room.cut([milk])
        }
        await expectRefusal("unknownItem") { () async throws(CollectionError) in
            _ = try await room.copy([milk, main])
        }
        let movable = FlagChanges<ItemFlags>(changed: .movable, enabled: .movable)
        let deletable = FlagChanges<ItemFlags>(changed: .deletable, enabled: .deletable)
        let commit = try await room.submit([
            .update(milk, ItemPatch(flags: movable)), .update(eggs, ItemPatch(flags: deletable)),
        ])
        try await waitForRevision(room, commit.revision)
        // Milk can't be deleted, so it can't leave the room. Eggs can't be moved, so they keep
        // their place in it.
        var fixed = try await room.cut([milk])
        var lasting = try await room.cut([eggs])
        let target = try await CollectionClient.connect(to: server.address).join("room2")
        let place = Placement(section: main)
        await expectRefusal("notAllowed") { () async throws(CollectionError) in
            _ = try await target.paste(&fixed, to: place)
        }
        await expectRefusal("notAllowed") { () async throws(CollectionError) in
            _ = try await room.paste(&lasting, to: place)
        }
        #expect(fixed.isCut && lasting.isCut)
        #expect(try await items(server, "room2").isEmpty)
        #expect(try await items(server, "room1").map(\.id) == [milk, eggs, tea])
        try await room.paste(&fixed, to: place)
        #expect(try await items(server, "room1").map(\.id) == [eggs, tea, milk])
        try await target.paste(&lasting, to: place)
        #expect(try await items(server, "room1").map(\.id) == [tea, milk])
    }

    /// Items that have changed since, as they can't be deleted any more, stay in both rooms, and
    /// the result says so.
    @Test func whatIsLeftBehindIsSaid() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await start(server)
        var clipboard = try await room.cut([milk])
        let fixed = FlagChanges<ItemFlags>(changed: .deletable)
        try await room.submit([.update(milk, ItemPatch(flags: fixed))])
        let target = try await CollectionClient.connect(to: server.address).join("room2")
        let pasted = try await target.paste(&clipboard, to: Placement(section: main))
        #expect(pasted.leftBehind?.code == "changed")
        #expect(!clipboard.isCut)
        #expect(try await items(server, "room1").map(\.id) == [milk, eggs, tea])
        #expect(try await items(server, "room2").map(\.id) == pasted.ids)
    }

    @Test func aPasteOverTheLimitsChangesNothing() async throws {
        let server = try await LocalServer.start()
        let (client, room) = try await start(server)
        let items = (0...client.limits.transactionOperations).map {
            Item(id: id("i\($0)"))
        }
        var clipboard = Clipboard(room: "elsewhere", items: items)
        await expectRefusal("limitExceeded") { () async throws(CollectionError) in
            _ = try await room.paste(&clipboard, to: Placement(section: main))
        }
        #expect(try await self.items(server, "room1").count == 3)
    }

    @Test func whatIsNoClipboardIsRefused() async {
        for text in ["", "[]", "{}", #"{"room":"r"}"#, #"{"room":"r","items":[{}]}"#, "{\"room\"}"]
        {
            do throws(CollectionError) {
                _ = try Clipboard(json: text)
                Issue.record("\(text) is accepted")
            } catch {
                #expect(error.code == "malformed")
            }
        }
    }
}
