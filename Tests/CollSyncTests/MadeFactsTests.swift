import CollSync
import CollSyncUV
import ServerSupport
import Testing

/// What the library returns can also be made, for an app's own tests and previews.
@Suite struct MadeFactsTests {
    @Test func factsOfARoomEqualTheServers() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        try await room.submit(
            .insert(Item(id: Identifier("milk")), to: Placement(section: Identifier("main"))))
        let stats = try await client.stats(of: "room")
        let made = RoomStats(
            id: stats.id, epoch: stats.epoch, revision: 1, horizon: stats.horizon,
            oldestRevision: stats.oldestRevision, snapshotRevision: stats.snapshotRevision,
            figures: stats.figures, server: stats.server, account: stats.account)
        #expect(made == stats)
        let rooms = try await client.rooms()
        #expect(rooms == [RoomSummary(name: "room", revision: 1, members: 1)])
    }

    @Test func figuresAreInTheirOrder() {
        let stats = RoomStats(
            id: "", epoch: "", revision: 3, figures: [.items: 2, .sections: 1])
        #expect(stats.figures[.items] == 2 && stats.figures[.members] == nil)
        #expect(stats.figures.all.map(\.name) == ["items", "sections"])
        #expect(stats.server.all.isEmpty && stats.account.all.isEmpty)
    }
}
