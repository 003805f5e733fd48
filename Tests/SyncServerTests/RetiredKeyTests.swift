import ServerSupport
import SyncAccess
import SyncBytes
import SyncModel
import SyncServer
import Testing

@Suite("Keys of tokens that are gone")
struct RetiredKeyTests {
    private func makeWorld(
        _ tokens: TestTokens, _ trail: TestTrail, threads: Int = 1
    ) throws -> World {
        try World(audit: trail) {
            var authentication = TokenAuthentication(tokens)
            authentication.areTakenFromAnywhere = true
            $0.tokens = authentication
            $0.threads = threads
        }
    }

    @Test("count the connections of their own, also if keys change twice at once")
    func inSuccession() throws {
        for threads in [1, 3] {
            let tokens = TestTokens()
            let trail = TestTrail()
            let world = try makeWorld(tokens, trail, threads: threads)
            for user in ["ann", "ben"] {
                _ = try world.greet(user, token: TestTokens.token(user, "*=editor"))
            }
            _ = try world.greet(
                "dora",
                token: TestTokens.token(
                    "dora", "*=editor", expires: TestTokens.never, id: "t", key: "next", issued: 0))
            tokens.key = "next"
            tokens.key = "last"
            for id in ["key", "next"] as [Identifier] {
                world.server?.keysHaveChanged(without: [RetiredKey(id: id, isReplaced: false)])
            }
            #expect(world.run { trail.all(.retireKey).count == 2 })
            world.run(forMilliseconds: 100)
            #expect(
                trail.all(.retireKey).map(\.detail) == [
                    "key key is removed, connections cut off: 2",
                    "key next is removed, connections cut off: 1",
                ])
        }
    }

    /// Each round looks at some connections at a time, so the second one cuts off many of the first
    /// one's.
    @Test("count all connections of their own, also those that another round cuts off")
    func sideBySide() throws {
        let tokens = TestTokens()
        let trail = TestTrail()
        let world = try makeWorld(tokens, trail)
        func greet(_ count: Int) throws {
            for number in 0..<count {
                _ = try world.greet("u\(number)", token: TestTokens.token("u", "*=editor"))
            }
        }
        try greet(100)
        tokens.key = "next"
        world.server?.keysHaveChanged(without: [RetiredKey(id: "key", isReplaced: false)])
        world.server?.keysHaveChanged(without: [])
        #expect(world.run { trail.all(.retireKey).count == 1 })
        world.run(forMilliseconds: 100)
        // The key comes back, and is retired again.
        tokens.key = "key"
        try greet(2)
        tokens.key = "last"
        world.server?.keysHaveChanged(without: [RetiredKey(id: "key", isReplaced: false)])
        #expect(world.run { trail.all(.retireKey).count == 2 })
        #expect(
            trail.all(.retireKey).map(\.detail) == [
                "key key is removed, connections cut off: 100",
                "key key is removed, connections cut off: 2",
            ])
    }
}
