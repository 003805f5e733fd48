import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import Testing

/// What a user's role does not allow has the status 403, whatever the request is.
@Suite struct RoleStatusTests {
    /// A token is the name of a role in all rooms.
    private struct Roles: TokenVerifier {
        func verify(_ text: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            guard let role: Role = text.choice(), let pattern = RoomPattern("*") else {
                throw TokenFailure(.bad, "there is no such token")
            }
            return Access(
                user: UserName(stringLiteral: role.name), grants: [Grant(role, in: pattern)])
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    @Test func aViewerMayNotWrite() throws {
        let world = try HTTPWorld {
            $0.tokens = TokenAuthentication(Roles())
            $0.tokens?.areTakenFromAnywhere = true
        }
        let client = try world.connect()
        func ask(_ role: String, _ target: String, _ body: String) throws -> HTTPClient.Answer {
            try client.ask(
                "POST", "/v1/rooms/list/\(target)", ["Authorization": "Bearer \(role)"], body: body)
        }
        let insert = #"{"ops":[{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}]}"#
        let snapshot = #"{"sections":[{"id":"main","items":[{"id":"b"}]}]}"#
        #expect(try ask("editor", "transactions", insert).status == 200)
        for (target, body) in [
            ("transactions", insert), ("import?append=true", snapshot),
            ("import?append=true", #"{"sections":[{"id":"new"}]}"#),
        ] {
            let answer = try ask("viewer", target, body)
            #expect(answer.status == 403, "\(target): \(answer.text)")
            #expect(answer.text.contains(#""code":"notAllowed""#), "\(answer.text)")
        }
        // What a flag forbids is about the item.
        let fixed = #"{"ops":[{"update":{"id":"a","flags":{"editable":false}}}]}"#
        #expect(try ask("editor", "transactions", fixed).status == 200)
        let edit = #"{"ops":[{"update":{"id":"a","set":{"n":1}}}]}"#
        #expect(try ask("editor", "transactions", edit).status == 422)
    }
}
