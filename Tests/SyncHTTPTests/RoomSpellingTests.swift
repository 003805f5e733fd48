import ModelSupport
import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import Testing

/// A role in one spelling of a room's name is none in another spelling, however equal they look.
@Suite struct RoomSpellingTests {
    private static let pairs = [
        (Spellings.composed, Spellings.decomposed), (Spellings.decomposed, Spellings.composed),
        (Spellings.aboveAndBelow, Spellings.belowAndAbove),
        (Spellings.belowAndAbove, Spellings.aboveAndBelow),
    ]

    /// The token `ann` is of the admin of Ann's room, and so on.
    private struct Admins: TokenVerifier {
        let rooms: [String: String]

        func verify(_ text: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            let token = text.shown
            guard let pattern = rooms[token].flatMap({ RoomPattern($0) }) else {
                throw TokenFailure(.bad, "there is no such token")
            }
            return Access(
                user: UserName(stringLiteral: token), grants: [Grant(.admin, in: pattern)])
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    private struct User {
        let client: HTTPClient
        let name: String

        func ask(
            _ method: String, _ path: String, body: String? = nil
        ) throws -> HTTPClient.Answer {
            try client.ask(method, path, ["Authorization": "Bearer \(name)"], body: body)
        }
    }

    private static func path(_ room: String) -> String {
        "/v1/rooms/" + room.utf8.map { "%" + String($0, radix: 16) }.joined()
    }

    private static func insert(_ id: String) -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#
    }

    private func has(_ answer: HTTPClient.Answer, _ text: String) -> Bool {
        answer.body.firstRange(of: Array(text.utf8)) != nil
    }

    @Test(arguments: pairs) func eachIsARoomOfItsOwn(own: String, other: String) throws {
        let world = try HTTPWorld {
            $0.tokens = TokenAuthentication(Admins(rooms: ["ann": other, "bob": own]))
            $0.tokens?.areTakenFromAnywhere = true
        }
        let ann = User(client: try world.connect(), name: "ann")
        let bob = User(client: try world.connect(), name: "bob")
        let (ownPath, otherPath) = (Self.path(own), Self.path(other))
        #expect(
            try ann.ask("POST", otherPath + "/transactions", body: Self.insert("milk")).status
                == 200)

        #expect(try bob.ask("GET", ownPath).status == 404)
        #expect(try bob.ask("GET", "/v1/rooms").text == #"{"rooms":[]}"# + "\n")
        for (method, path) in [
            ("GET", ""), ("GET", "/items"), ("GET", "/history?from=0"), ("GET", "/stream?from=0"),
            ("PUT", ""), ("DELETE", ""), ("POST", "/transactions"),
        ] {
            let body = method == "POST" ? Self.insert("bread") : nil
            let answer = try bob.ask(method, otherPath + path, body: body)
            #expect(answer.status == 403, "\(method) \(path): \(answer.text)")
        }

        #expect(
            try bob.ask("POST", ownPath + "/transactions", body: Self.insert("bread")).status
                == 200)
        let (read, others) = (try bob.ask("GET", ownPath), try ann.ask("GET", otherPath))
        #expect(has(read, "bread") && !has(read, "milk"), "\(read.text)")
        #expect(has(others, "milk") && !has(others, "bread"), "\(others.text)")
        for (user, room, hidden) in [(bob, own, other), (ann, other, own)] {
            let list = try user.ask("GET", "/v1/rooms")
            #expect(has(list, "\"\(room)\"") && !has(list, "\"\(hidden)\""), "\(list.text)")
        }

        #expect((200...204).contains(try bob.ask("DELETE", ownPath).status))
        #expect(try bob.ask("GET", ownPath).status == 404)
        #expect(has(try ann.ask("GET", otherPath), "milk"))
    }
}
