import SyncHTTP
import SyncServer
import Testing

/// A transaction with a key is made once, however often it is sent.
@Suite struct IdempotencyKeyTests {
    private static func insert(_ id: String) -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#
    }

    private static func post(
        _ body: String, _ key: String, by client: HTTPClient, to room: String = "list"
    ) throws -> HTTPClient.Answer {
        try client.ask(
            "POST", "/v1/rooms/\(room)/transactions", ["Idempotency-Key": key], body: body)
    }

    @Test(arguments: 0..<6) func theSameRequestGetsTheSameAnswer(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let client = try world.connect()
        let first = try IdempotencyKeyTests.post(IdempotencyKeyTests.insert("a"), "one", by: client)
        #expect(first.text == #"{"ack":{"tx":1,"revision":1}}"# + "\n")
        _ = try IdempotencyKeyTests.post(IdempotencyKeyTests.insert("b"), "two", by: client)
        let other = try world.connect()
        for client in [client, other, client] {
            let again = try IdempotencyKeyTests.post(
                IdempotencyKeyTests.insert("a"), "\"one\"", by: client)
            #expect(again.status == 200)
            #expect(again.text == first.text)
        }
        #expect(try other.ask("/v1/rooms/list/stats").text.contains(#""revision":2,"#))
    }

    @Test func whatWasLostIsSaidAgain() throws {
        let client = try HTTPWorld().connect()
        _ = try IdempotencyKeyTests.post(IdempotencyKeyTests.insert("a"), "one", by: client)
        _ = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: #"{"ops":[{"delete":{"id":"a"}}]}"#)
        let body = #"{"base":1,"ops":[{"update":{"id":"a","set":{"n":1}}}]}"#
        let first = try IdempotencyKeyTests.post(body, "two", by: client)
        #expect(first.text.contains("superseded"), "\(first.text)")
        #expect(try IdempotencyKeyTests.post(body, "two", by: client).text == first.text)
    }

    @Test func anotherBodyWithTheKeyIsRefused() throws {
        let client = try HTTPWorld().connect()
        _ = try IdempotencyKeyTests.post(IdempotencyKeyTests.insert("a"), "one", by: client)
        let other = try IdempotencyKeyTests.post(IdempotencyKeyTests.insert("b"), "one", by: client)
        #expect(other.status == 422)
        #expect(other.text.contains("keyReused"))
        // In another room it is another key.
        let elsewhere = try IdempotencyKeyTests.post(
            IdempotencyKeyTests.insert("b"), "one", by: client, to: "other")
        #expect(elsewhere.status == 200)
        // And it does no harm to requests without a key.
        let without = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: IdempotencyKeyTests.insert("b"))
        #expect(without.status == 200)
    }

    @Test func aRejectedTransactionIsRejectedAgain() throws {
        let client = try HTTPWorld().connect()
        let body = #"{"ops":[{"delete":{"id":"missing"}}]}"#
        let first = try IdempotencyKeyTests.post(body, "one", by: client)
        #expect(first.status == 422)
        #expect(try IdempotencyKeyTests.post(body, "one", by: client).text == first.text)
    }

    /// A room has no author of what it did not commit.
    @Test func theKeyOfARejectedTransactionMayComeWithAnother() throws {
        let client = try HTTPWorld().connect()
        let wrong = #"{"ops":[{"delete":{"id":"missing"}}]}"#
        #expect(try IdempotencyKeyTests.post(wrong, "one", by: client).status == 422)
        #expect(try IdempotencyKeyTests.post("{", "one", by: client).status == 400)
        let right = IdempotencyKeyTests.insert("a")
        let first = try IdempotencyKeyTests.post(right, "one", by: client)
        #expect(first.status == 200)
        #expect(try IdempotencyKeyTests.post(right, "one", by: client).text == first.text)
        // Now the key is used.
        let late = try IdempotencyKeyTests.post(wrong, "one", by: client)
        #expect(late.status == 422 && late.text.contains("keyReused"), "\(late.text)")
    }

    @Test(arguments: ["", "\"", "a b", "é", String(repeating: "k", count: 256)])
    func whatIsNoKeyIsRefused(key: String) throws {
        let client = try HTTPWorld().connect()
        let answer = try IdempotencyKeyTests.post(
            IdempotencyKeyTests.insert("a"), key, by: client)
        #expect(answer.status == 400)
    }
}
