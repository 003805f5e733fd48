import Testing

/// Rooms that are made by a request.
@Suite struct RoomPutTests {
    @Test func aRoomIsMadeOnce() throws {
        let client = try HTTPWorld().connect()
        let made = try client.ask("PUT", "/v1/rooms/list")
        #expect(made.status == 201)
        #expect(made.text.hasPrefix(#"{"room":"list","id":""#))
        #expect(made.text.hasSuffix(#","revision":1}"# + "\n"))
        let again = try client.ask("PUT", "/v1/rooms/list", body: "")
        #expect(again.status == 200)
        #expect(again.text == made.text)
        #expect(try client.ask("/v1/rooms/list").status == 200)
    }

    @Test func itLeavesTheRoom() throws {
        let client = try HTTPWorld().connect()
        _ = try client.ask("PUT", "/v1/rooms/list")
        let stats = try client.ask("/v1/rooms/list/stats")
        #expect(stats.text.contains(#""members":0,"#))
    }

    /// The same session is a member for its transactions, and joins and leaves for the rest.
    @Test func transactionsGoOn() throws {
        let client = try HTTPWorld().connect()
        let room = HTTPRoom(client: client, name: "list")
        for id in ["a", "b"] {
            try room.post([#"{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}"#])
            #expect(try client.ask("PUT", "/v1/rooms/list").status == 200)
            #expect(try client.ask("PUT", "/v1/rooms/list-\(id)").status == 201)
        }
        #expect(try room.sections().revision == 2)
        #expect(try client.ask("/v1/rooms").text.contains(#""name":"list-b","revision":1,"#))
    }

    @Test func aServerMayMakeNone() throws {
        let client = try HTTPWorld { $0.storage.createsRooms = false }.connect()
        let answer = try client.ask("PUT", "/v1/rooms/list")
        #expect(answer.status == 404)
        #expect(answer.text.contains(#""code":"roomNotFound""#))
    }

    @Test func aBodyIsAMistake() throws {
        let client = try HTTPWorld().connect()
        #expect(try client.ask("PUT", "/v1/rooms/list", body: "{}").status == 400)
        #expect(try client.ask("/v1/rooms/list").status == 404)
    }
}
