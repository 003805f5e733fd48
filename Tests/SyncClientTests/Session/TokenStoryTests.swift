import SyncAccess
import SyncBytes
import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import Testing

/// A client with tokens and the real server, which verifies them.
@Suite final class TokenStoryTests {
    /// Verifies tokens `user:role:seconds`, which expire at that time of the simulation.
    private struct Verifier: TokenVerifier {
        static let begin: UInt64 = 1_700_000_000

        func verify(_ text: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
            let token = text.shown
            let parts = token.split(separator: ":").map(String.init)
            guard parts.count == 3, let seconds = UInt64(parts[2]), let role = Role(parts[1])
            else { throw TokenFailure(.bad, "it is no token") }
            let expires = Verifier.begin + seconds
            guard expires > now else { throw TokenFailure(.expired, "it has expired") }
            return Access(
                user: UserName(stringLiteral: parts[0]), displayName: "Mx \(parts[0])",
                grants: [Grant(role, in: .all)],
                token: TokenFacts(
                    id: Identifier(stringLiteral: token), key: "key", issued: now,
                    expires: expires))
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    /// Issues tokens for some seconds.
    private final class Issuer: TokenSource, @unchecked Sendable {
        // Sendable: a simulation has one thread.
        let user: String
        var role = "editor"
        var seconds: UInt64
        /// Whether the service answers.
        var isUp = true
        private(set) var count = 0

        init(_ user: String, seconds: UInt64) {
            self.user = user
            self.seconds = seconds
        }

        var isFixed: Bool { false }

        func fetch(
            on loop: any EventLoop,
            completion: @escaping (Result<AccessToken, ClientError>) -> Void
        ) -> (() -> Void)? {
            count += 1
            let end = loop.nowMilliseconds / 1000 + seconds
            let token = AccessToken("\(user):\(role):\(end)")
            let error = ClientError.noToken(code: "noToken", message: "down", retry: true)
            completion(isUp ? .success(token) : .failure(error))
            return nil
        }
    }

    private let world: IdentityWorld

    init() throws {
        world = try IdentityWorld(seed: 23) { $0.tokens = TokenAuthentication(Verifier()) }
    }

    private func join(
        _ source: any TokenSource, options: Membership.Options = Membership.Options()
    ) throws -> SessionFixture {
        let client = try world.open("client") { $0.token = source }
        guard case .success = client.opened else { throw ClientError.closed }
        client.join(options: options)
        world.simulation.run { client.room.events.count > 1 }
        return client
    }

    /// For an hour the connection stays, since its token is renewed every minute.
    @Test func stays() throws {
        let issuer = Issuer("ada", seconds: 60)
        let client = try join(issuer)
        try world.insert(["a"], by: client)
        world.simulation.run(forMilliseconds: 3_600_000)
        try world.insert(["b"], by: client)
        #expect((60...90).contains(issuer.count))
        #expect(client.room.delays.isEmpty)
        guard case .success(let welcome) = client.opened else { return }
        #expect(welcome.user == "ada")
        #expect(welcome.tokenMilliseconds <= 60_000)
    }

    /// The service that issues tokens is down until after the token has expired. The client comes
    /// back, and nothing is lost or there twice.
    @Test func comesBackWhenThereIsAToken() throws {
        let issuer = Issuer("ada", seconds: 60)
        let client = try join(issuer)
        try world.insert(["a"], by: client)
        issuer.isUp = false
        world.simulation.run { !client.room.delays.isEmpty }
        #expect(client.room.events.contains(.interrupted("tokenExpired")))
        client.submit([.insert(Item(id: "b"), to: Placement(section: "main"))])
        client.submit([.insert(Item(id: "c"), to: Placement(section: "main"))])
        world.simulation.run(forMilliseconds: 60_000)
        #expect(client.answers.count == 1)
        #expect(!client.room.hasEnded)
        issuer.isUp = true
        world.simulation.run { client.membership?.isSettled == true && client.answers.count == 3 }
        let late = try join(Issuer("bob", seconds: 600))
        let items = late.membership?.replica.snapshot?.sections.flatMap(\.items).map(\.id.text)
        #expect(items == ["a", "b", "c"])
    }

    @Test(arguments: [("nonsense", "badToken"), ("ada:editor:0", "tokenExpired")])
    func aWrongTokenEndsWithItsCode(_ token: String, _ code: String) throws {
        let client = try world.open("client") { $0.token = FixedToken(token) }
        guard case .failure(let error) = client.opened else {
            Issue.record("it was let in")
            return
        }
        #expect(error.code == code)
        #expect(!error.message.contains(token))
    }

    @Test func noTokenEndsWithItsCode() throws {
        let client = try world.open("client")
        guard case .failure(let error) = client.opened else {
            Issue.record("it was let in")
            return
        }
        #expect(error.code == "needsToken")
    }

    @Test func aFixedTokenExpires() throws {
        let client = try join(FixedToken("ada:editor:30"))
        world.simulation.run(forMilliseconds: 29_000)
        #expect(!client.room.hasEnded)
        world.simulation.run(forMilliseconds: 20_000)
        #expect(client.room.events.last == .ended("tokenExpired"))
    }

    /// What a viewer may not do is refused, each thing by its own answer; and the room stays.
    @Test func aViewerSeesAndChangesNothing() throws {
        let editor = try join(Issuer("ada", seconds: 600))
        try world.insert(["a", "b"], by: editor)
        var options = Membership.Options()
        options.presence = true
        let viewer = try join(FixedToken("vera:viewer:600"), options: options)
        let (session, membership) = (viewer.session, try #require(viewer.membership))
        viewer.submit([.delete("a")])
        world.simulation.run { viewer.answers.count == 1 }
        guard case .rejected(let rejection) = viewer.answers[0] else {
            Issue.record("\(viewer.answers)")
            return
        }
        #expect(rejection.code == .notAllowed)
        let view = try #require(
            session?.openView(
                of: membership,
                layout: ViewLayout(.flow) { $0.itemSize = ListSize(width: 10, height: 10) },
                bounds: ListRect(width: 100, height: 100), overscan: 0))
        world.simulation.run { membership.screen(of: view)?.elements.count == 2 }
        var began: Result<Void, ClientError>?
        session?.beginDrag(of: "a", in: view, of: membership, isShared: false) { began = $0 }
        world.simulation.run { began != nil }
        guard case .failure(let error) = began else {
            Issue.record("it drags")
            return
        }
        #expect(error.code == "notAllowed")
        session?.setPresence(PresenceState(selected: ["b"]), of: membership)
        world.simulation.run(forMilliseconds: 5_000)
        #expect(!viewer.room.hasEnded)
        #expect(viewer.room.delays.isEmpty)
        #expect(membership.screen(of: view)?.elements.count == 2)
    }

    /// Roles come with the token: a new one ends a membership, or gives it more.
    @Test func aNewTokenHasOtherRights() throws {
        let issuer = Issuer("ada", seconds: 60)
        let client = try join(issuer)
        try world.insert(["a"], by: client)
        issuer.role = "viewer"
        world.simulation.run(forMilliseconds: 60_000)
        client.submit([.delete("a")])
        world.simulation.run { client.answers.count == 2 }
        guard case .rejected(let rejection) = client.answers[1] else {
            Issue.record("\(client.answers)")
            return
        }
        #expect(rejection.code == .notAllowed)
        #expect(client.room.delays.isEmpty)
    }

    /// Others see the name in the token.
    @Test func othersSeeTheName() throws {
        var options = Membership.Options()
        options.presence = true
        let ada = try join(Issuer("ada", seconds: 600), options: options)
        let bob = try join(Issuer("bob", seconds: 600), options: options)
        let client = try #require(bob.session?.identity.client)
        world.simulation.run { ada.membership?.others[client] != nil }
        #expect(ada.membership?.others[client]?.user == "bob")
        #expect(ada.membership?.others[client]?.displayName == "Mx bob")
    }
}
