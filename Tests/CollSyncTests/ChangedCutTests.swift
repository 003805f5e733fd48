import CollSync
import CollSyncUV
import ModelSupport
import ServerSupport
import SyncModel
import Testing

/// Items that others change between a cut and its paste: nothing acknowledged is lost, and nothing
/// else is taken for them.
@Suite(.timeLimit(.minutes(30))) struct ChangedCutTests {
    private let main = id("main")
    private let b = id("b")
    private let place = Placement(section: id("main"))

    private struct Scene {
        let server: LocalServer
        let client: CollectionClient
        let one: CollectionRoom
        let two: CollectionRoom
    }

    /// A client in two rooms, the first of which has the item `b`.
    private func scene() async throws -> Scene {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let (one, two) = (try await client.join("one"), try await client.join("two"))
        try await one.submit(.insert(b, ["title": "old"], at: place))
        while try await one.snapshot().revision < 1 {
            try await Task.sleep(for: .milliseconds(1))
        }
        return Scene(server: server, client: client, one: one, two: two)
    }

    private func titles(_ scene: Scene, _ room: String) async throws -> [Value?] {
        try await scene.client.snapshot(of: room).sections.flatMap(\.items).map { $0["title"] }
    }

    @Test func anEditAfterTheCutStaysWhereItWasMade() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.update(b, set: ["title": "new"]))
        let pasted = try await scene.two.paste(&clipboard, to: place, from: scene.one)
        #expect(pasted.leftBehind?.code == "changed")
        #expect(try await titles(scene, "two") == ["old"])
        #expect(try await titles(scene, "one") == ["new"])
        #expect(!clipboard.isCut)
    }

    @Test func aMoveAfterTheCutChangesNoContent() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.move(b, to: .start(of: "main")))
        let pasted = try await scene.two.paste(&clipboard, to: place, from: scene.one)
        #expect(pasted.leftBehind == nil)
        #expect(try await titles(scene, "one") == [])
        #expect(try await titles(scene, "two") == ["old"])
    }

    @Test func anItemMadeAnewIsAnotherOneInAnotherRoom() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.delete(b))
        try await scene.one.submit(.insert(b, ["title": "another"], at: place))
        let pasted = try await scene.two.paste(&clipboard, to: place, from: scene.one)
        #expect(pasted.leftBehind == nil)
        #expect(try await titles(scene, "one") == ["another"])
        #expect(try await titles(scene, "two") == ["old"])
    }

    @Test func anItemMadeAnewIsAnotherOneInTheSameRoom() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.delete(b))
        try await scene.one.submit(.insert(b, ["title": "another"], at: place))
        let pasted = try await scene.one.paste(&clipboard, to: place)
        #expect(pasted.leftBehind == nil && pasted.ids != [b])
        #expect(try await titles(scene, "one") == ["another", "old"])
    }

    /// Nobody knows what was cut.
    @Test func withoutARevisionAllIsCopied() async throws {
        let scene = try await scene()
        let cut = try await scene.one.cut([b])
        for room in [scene.one, scene.two] {
            var clipboard = Clipboard(room: cut.room, items: cut.items, isCut: true)
            let pasted = try await room.paste(
                &clipboard, to: place, from: room.name == "two" ? scene.one : nil)
            #expect(pasted.leftBehind?.code == "changed" && pasted.ids != [b])
        }
        #expect(try await titles(scene, "one") == ["old", "old"])
        #expect(try await titles(scene, "two") == ["old"])
    }

    /// Swift takes them for one.
    @Test func twoSpellingsAreTwoRooms() async throws {
        let scene = try await scene()
        var rooms: [CollectionRoom] = []
        for name in [Spellings.composed, Spellings.decomposed] {
            let room = try await scene.client.join(name)
            try await room.submit(.insert(b, ["title": .text(name)], at: place))
            while try await room.snapshot().revision < 1 {
                try await Task.sleep(for: .milliseconds(1))
            }
            rooms.append(room)
        }
        var clipboard = try await rooms[0].cut([b])
        let pasted = try await rooms[1].paste(&clipboard, to: place, from: rooms[0])
        #expect(pasted.ids.count == 1 && pasted.ids != [b] && pasted.leftBehind == nil)
        #expect(try await titles(scene, Spellings.composed) == [])
        #expect(try await titles(scene, Spellings.decomposed).count == 2)
        var again = try await rooms[1].cut([b])
        do throws(CollectionError) {
            _ = try await scene.two.paste(&again, to: place, from: rooms[0])
            Issue.record("it was cut in another room")
        } catch {
            #expect(error.code == "unknownRoom")
        }
    }

    @Test func anEditOfACutItemMovesWithItInTheSameRoom() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.update(b, set: ["title": "new"]))
        let pasted = try await scene.one.paste(&clipboard, to: place)
        #expect(pasted.ids == [b] && pasted.leftBehind == nil)
        #expect(try await titles(scene, "one") == ["new"])
    }
}
