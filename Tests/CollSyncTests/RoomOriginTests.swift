import CollSync
import CollSyncJSON
import CollSyncUV
import ModelSupport
import ServerSupport
import SyncModel
import Testing

/// The origins of revisions, bases and clipboards with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct RoomOriginTests {
    private let main = id("main")

    private func insert(_ names: [String], into room: CollectionRoom) async throws {
        for name in names {
            try await room.submit([
                .insert(Item(id: id(name)), to: Placement(section: main))
            ])
        }
    }

    /// Deletes a room, and creates one of the same name with other items.
    private func remake(
        _ name: String, with names: [String], by client: CollectionClient
    ) async throws -> CollectionRoom {
        try await client.deleteRoom(name)
        let room = try await client.join(name)
        try await insert(names, into: room)
        return room
    }

    private func items(_ client: CollectionClient, _ room: String) async throws -> [String] {
        try await client.snapshot(of: room).sections.flatMap(\.items).map(\.id.text)
    }

    private func expectRoomChanged(
        _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("it is accepted", sourceLocation: location)
        } catch {
            #expect((error as? CollectionError)?.code == "roomChanged", sourceLocation: location)
        }
    }

    @Test func readsAndBasesAreOfOneRoom() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let old = try await client.join("room")
        try await insert(["a", "b"], into: old)
        let origin = old.welcome.origin(of: 2)
        #expect(origin.id == old.welcome.id)
        #expect(try await client.snapshot(of: "room", at: 1, origin: origin).revision == 1)
        let new = try await remake("room", with: ["x", "y", "z"], by: client)
        await expectRoomChanged {
            _ = try await client.snapshot(of: "room", at: 1, origin: origin)
        }
        await expectRoomChanged {
            for try await _ in client.history(of: "room", from: 0, until: 2, origin: origin) {}
        }
        await expectRoomChanged {
            try await new.submit([.delete(id("x"))], base: 2, origin: origin)
        }
        let nonsense = RoomOrigin(id: "none", epoch: "")
        await expectRoomChanged {
            try await new.submit([.delete(id("x"))], base: 2, origin: nonsense)
        }
        #expect(try await items(client, "room") == ["x", "y", "z"])
        try await new.submit(
            [.delete(id("x"))], base: 3, origin: new.welcome.origin(of: 3))
        #expect(try await items(client, "room") == ["y", "z"])
    }

    /// The new room has another item with the same id, which is not the one that was cut.
    @Test func whatWasCutInAFormerRoomIsCopied() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let old = try await client.join("room")
        try await insert(["milk", "eggs"], into: old)
        while try await old.snapshot().revision < 2 { await Task.yield() }
        var cut = try await old.cut([id("milk")])
        #expect(cut.revision == 2)
        #expect(cut.origin == old.welcome.origin(of: 2))
        #expect(try Clipboard(json: cut.json) == cut)
        let new = try await remake("room", with: ["milk", "tea"], by: client)
        let pasted = try await new.paste(&cut, to: Placement(section: main))
        #expect(pasted.leftBehind?.code == "roomChanged")
        #expect(pasted.ids != [id("milk")])
        #expect(try await items(client, "room") == ["milk", "tea"] + pasted.ids.map(\.text))
        #expect(!cut.isCut)
    }

    @Test func nothingIsDeletedWhereItWasNotCut() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let old = try await client.join("room")
        try await insert(["milk"], into: old)
        while try await old.snapshot().revision < 1 { await Task.yield() }
        var cut = try await old.cut([id("milk")])
        _ = try await remake("room", with: ["milk"], by: client)
        let other = try await client.join("other")
        let pasted = try await other.paste(&cut, to: Placement(section: main))
        #expect(pasted.leftBehind?.code == "roomChanged")
        #expect(try await items(client, "other") == pasted.ids.map(\.text))
        #expect(try await items(client, "room") == ["milk"])
    }
}
