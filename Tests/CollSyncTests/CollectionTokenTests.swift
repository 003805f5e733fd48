import CollSync
import CollSyncUV
import Glibc
import ServerSupport
import SyncIO
import SyncServer
import Testing

/// Tokens with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct CollectionTokenTests {
    private func start() async throws -> LocalServer {
        try await LocalServer.start { $0.tokens = TokenAuthentication(PlainTokens()) }
    }

    /// The code that something is refused with; `nil` if it is not.
    private func code(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let error as CollectionError {
            return error.code
        }
    }

    @Test func aTokenSaysWhoTheClientIs() async throws {
        let server = try await start()
        let options = JoinOptions(presence: true)
        let ada = try await CollectionClient.connect(
            to: server.address, token: PlainTokens.token("ada"))
        let adasRoom = try await ada.join("room", options: options)
        #expect(adasRoom.welcome.user == "ada")
        #expect(adasRoom.welcome.role == "editor")
        let bob = try await CollectionClient.connect(to: server.address) {
            PlainTokens.token("bob")
        }
        let bobsRoom = try await bob.join("room", options: options)
        var others = try await bobsRoom.others()
        while others.isEmpty {
            try await Task.sleep(for: .milliseconds(1))
            others = try await bobsRoom.others()
        }
        #expect(others.map(\.user) == ["ada"])
        #expect(others.map(\.displayName) == ["Mx ada"])
    }

    /// A viewer sees the room. What it may not do is refused with `notAllowed`.
    @Test func aViewerChangesNothing() async throws {
        let server = try await start()
        let editor = try await CollectionClient.connect(
            to: server.address, token: PlainTokens.token("ada"))
        let written = try await editor.join("room")
        try await written.submit(.insert("milk", [:], at: .end(of: "main")))
        let client = try await CollectionClient.connect(
            to: server.address, token: PlainTokens.token("vera", "viewer"))
        let room = try await client.join("room", options: JoinOptions(presence: true))
        #expect(room.welcome.role == "viewer")
        #expect(try await room.snapshot().sections.flatMap(\.items).map(\.id) == ["milk"])
        do {
            try await room.submit(.delete("milk"))
            Issue.record("it was deleted")
        } catch {
            #expect(error.code == "notAllowed")
            #expect(error.rejection?.code == .notAllowed)
        }
        let view = try await room.openView(
            LayoutSpec(kind: .flow), bounds: ListRect(width: 100, height: 100))
        #expect(try await code { try await view.beginDrag(of: "milk") } == "notAllowed")
        try room.setPresence(selected: ["milk"])
        #expect(try await code { try await client.deleteRoom("room") } == "notAllowed")
        #expect(try await view.screen().elements.count == 1)
    }

    @Test func aRefusedTokenHasItsCode() async throws {
        let server = try await start()
        for (token, code) in [
            (nil, "needsToken"), ("secret", "badToken"), ("ada:editor:1", "tokenExpired"),
        ] {
            do {
                _ = try await CollectionClient.connect(to: server.address, token: token)
                Issue.record("it was let in")
            } catch {
                #expect(error.code == code)
                #expect(!"\(error) \(String(reflecting: error))".contains(token ?? "?"))
            }
        }
    }

    @Test func aTokenStaysOnThisMachine() async throws {
        for address in ["192.0.2.1:7420", "example.invalid:7420", "ws://192.0.2.1"] {
            do {
                _ = try await CollectionClient.connect(to: address, token: "secret")
                Issue.record("it was let in")
            } catch {
                #expect(error.code == "unsecured")
            }
        }
    }

    // MARK: Providers

    private struct Leaky: Error, CustomStringConvertible {
        var description: String { "the password is swordfish" }
    }

    @Test func anErrorOfTheProviderIsNotQuoted() async throws {
        let server = try await start()
        do {
            _ = try await CollectionClient.connect(to: server.address) { throw Leaky() }
            Issue.record("it was let in")
        } catch {
            #expect(error.code == "noToken")
            #expect(error.retry)
            #expect(!"\(String(reflecting: error))".contains("swordfish"))
            #expect(error.message.contains("Leaky"))
        }
    }

    @Test func anErrorForTheUserIsPassedOn() async throws {
        let server = try await start()
        let mistake = CollectionError(code: "loggedOut", message: "Please sign in again.")
        do {
            _ = try await CollectionClient.connect(to: server.address) { throw mistake }
            Issue.record("it was let in")
        } catch {
            #expect(error == mistake)
        }
    }

    /// The client renews its token before it expires. Another client keeps the room: a viewer makes
    /// none, should a slow machine renew it too late.
    @Test func theProviderIsAskedAgain() async throws {
        let server = try await start()
        let keeper = try await CollectionClient.connect(
            to: server.address, token: PlainTokens.token("bob"))
        try await keeper.join("room").submit(.insertSection("first"))
        let calls = Monitor(0)
        let client = try await CollectionClient.connect(to: server.address) {
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            return count == 1
                ? "ada:editor:\(time(nil) + 5)" : PlainTokens.token("ada", "viewer")
        }
        let room = try await client.join("room")
        while calls.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
        // As the new token has the rights of a viewer, it shows when it counts.
        while try await code({ try await room.submit(.insertSection("s")) }) == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(room.welcome.role == "editor")
        #expect(try await client.rooms().map(\.name) == ["room"])
    }
}
