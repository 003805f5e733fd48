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

    @Test func anEditOfACutItemMovesWithItInTheSameRoom() async throws {
        let scene = try await scene()
        var clipboard = try await scene.one.cut([b])
        try await scene.one.submit(.update(b, set: ["title": "new"]))
        let pasted = try await scene.one.paste(&clipboard, to: place)
        #expect(pasted.ids == [b] && pasted.leftBehind == nil)
        #expect(try await titles(scene, "one") == ["new"])
    }
}
