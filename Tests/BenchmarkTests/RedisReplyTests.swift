import Testing

@testable import collsync_bench

@Suite struct RedisReplyTests {
    private let stream = Array(
        "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\ne\r\n$2\r\nxy\r\n$3\r\n8-0\r\n"
            .utf8)

    @Test func valuesAreReadOneByOne() throws {
        try stream.withUnsafeBytes { bytes in
            var reply = RedisReply(bytes)
            let entries = try reply.next()?.list?.first?.list?.last?.list
            #expect(entries?.first?.list?.first?.text == "7-0")
            #expect(try reply.next()?.text == "8-0")
            let hasMore = try reply.next() != nil
            #expect(!hasMore)
            #expect(reply.offset == stream.count)
        }
    }

    @Test func aValueThatIsNotWholeWaits() throws {
        let whole = stream.count - "$3\r\n8-0\r\n".utf8.count
        for count in 0..<whole {
            try stream.prefix(count).withUnsafeBytes { bytes in
                var reply = RedisReply(bytes)
                let isThere = try reply.next() != nil
                #expect(!isThere)
                #expect(reply.offset == 0)
            }
        }
    }

    @Test func anErrorIsOne() {
        Array("-ERR unknown command\r\n".utf8).withUnsafeBytes { bytes in
            _ = #expect(throws: BenchError.self) {
                var reply = RedisReply(bytes)
                _ = try reply.next()
            }
        }
    }
}
