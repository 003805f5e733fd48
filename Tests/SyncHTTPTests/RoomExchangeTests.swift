import HTTPSupport
import SyncHTTP
import Testing

/// Requests that find out which room it is.
@Suite struct RoomExchangeTests {
    private static let view =
        #"{"view":{"id":"list","layout":{"kind":"flow","itemSize":{"width":90,"height":20}},"#
        + #""bounds":{"x":0,"y":0,"width":100,"height":100}}}"#

    private func world() throws -> (HTTPWorld, HTTPClient) {
        let world = try HTTPWorld()
        let client = try world.connect()
        let room = HTTPRoom(client: client, name: "list")
        try room.post([#"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#])
        return (world, client)
    }

    /// A disk that needs a minute for each answer delays only what is of the disk.
    @Test func noneWaitsForTheStore() throws {
        let (world, client) = try world()
        let tag = try #require(try client.ask("/v1/rooms/list").head.fields["ETag"])
        let minute: UInt64 = 60_000_000
        world.simulation.conditions.jobMicroseconds = minute...minute
        let began = world.simulation.nowMicroseconds
        #expect(try client.ask("/v1/rooms/list").status == 200)
        #expect(try client.ask("GET", "/v1/rooms/list", ["If-None-Match": tag]).status == 304)
        #expect(try client.ask("/v1/rooms/list/history?from=0").status == 200)
        #expect(try client.ask("PUT", "/v1/rooms/list").status == 200)
        let seen = try client.ask("POST", "/v1/rooms/list/view", body: Self.view)
        #expect(seen.status == 200, "\(seen.text)")
        let stream = try world.connect()
        stream.send("GET /v1/rooms/list/stream?from=0 HTTP/1.1\r\nHost: server\r\n\r\n")
        #expect(world.run { stream.receivedText.contains(#""batch":{"from":0,"to":1,"#) })
        #expect(world.simulation.nowMicroseconds - began < 10_000_000)
    }

    @Test(arguments: [
        "", "/history?from=0", "/batch?from=0", "/export.csv", "/stream?from=0",
        "/layout.svg?kind=flow",
    ])
    func aMissingRoomIsNotMade(path: String) throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("/v1/rooms/none\(path)")
        #expect(answer.status == 404, "\(answer.text)")
        #expect(answer.text.contains(#""code":"roomNotFound""#), "\(answer.text)")
        #expect(try client.ask("/v1/rooms").text == #"{"rooms":[]}"# + "\n")
    }

    /// Nobody knows what a revision will be.
    @Test(arguments: [
        "?revision=2", "/items?revision=2", "/export.csv?revision=2",
        "/export.csv?revision=2&fields=a", "/history?from=2&to=2", "/batch?from=2&to=2",
        "/history?from=2", "/batch?from=0&to=2", "/history?from=1&to=0",
    ])
    func aRevisionThatIsNotThereYetIsNotFound(query: String) throws {
        let (_, client) = try world()
        for fields in [[:], ["If-None-Match": "*"]] as [KeyValuePairs<String, String>] {
            let answer = try client.ask("GET", "/v1/rooms/list" + query, fields)
            #expect(answer.status == 404, "\(answer.text)")
            #expect(answer.text.contains(#""code":"badRevision""#), "\(answer.text)")
            #expect(answer.head.fields["Retry-After"] == nil)
        }
    }

    /// A star means what there is, and it is not known at once whether an older revision is kept.
    @Test func aStarMeansTheNewestRevision() throws {
        let (_, client) = try world()
        _ = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[{"delete":{"id":"milk"}}]}"#)
        for (query, status) in [("", 304), ("?revision=2", 304), ("?revision=1", 200)] {
            for path in ["", "/export.csv"] {
                let answer = try client.ask(
                    "GET", "/v1/rooms/list" + path + query, ["If-None-Match": "*"])
                #expect(answer.status == status, "\(path)\(query)")
            }
        }
    }

    /// A revision of the past has the origin of the newest one, which includes it.
    @Test func aTagOfThePastIsOneOfTheRoom() throws {
        let (_, client) = try world()
        let first = try #require(try client.ask("/v1/rooms/list").head.fields["ETag"])
        _ = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[{"delete":{"id":"milk"}}]}"#)
        let older = try client.ask("/v1/rooms/list?revision=1")
        #expect(older.head.fields["ETag"] == first)
        let same = try client.ask(
            "GET", "/v1/rooms/list?revision=1", ["If-None-Match": first])
        #expect(same.status == 304)
    }
}
