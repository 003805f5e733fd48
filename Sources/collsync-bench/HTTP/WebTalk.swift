import Glibc

/// A conversation over HTTP, one request after the other, on a blocking socket.
final class WebTalk {
    private let socket: Socket
    private let fields: String
    private var received: [UInt8] = []
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(_ socket: Socket, token: String = "") {
        self.socket = socket
        fields =
            "Host: localhost\r\n" + (token.isEmpty ? "" : "Authorization: Bearer \(token)\r\n")
    }

    deinit {
        memory.deallocate()
    }

    /// Asks, and waits for the whole answer.
    ///
    /// - Returns: the body, in chunks if it came so.
    @discardableResult
    func ask(
        _ method: String, _ target: String, body: String = "", status: Int = 200
    ) throws -> [UInt8] {
        try send(method, target, body: body)
        return try receive(status: status)
    }

    /// Sends a request, behind others that may have no answer yet.
    func send(_ method: String, _ target: String, body: String = "") throws {
        let request =
            "\(method) \(target) HTTP/1.1\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n"
            + body
        try Array(request.utf8).withUnsafeBytes { try socket.send($0) }
    }

    /// Waits for the whole answer to the first request that has none.
    func receive(status expected: Int = 200) throws -> [UInt8] {
        var head: (text: String, end: Int)?
        // What was searched of the received bytes is not searched again: a body may be long.
        var searched = 0
        while true {
            if head == nil, let start = WebTalk.find(WebTalk.headEnd, in: received, from: searched)
            {
                let end = start + WebTalk.headEnd.count
                head = (String(decoding: received[..<start], as: UTF8.self), end)
                searched = end
            }
            if let head, let end = end(ofBodyFrom: head.end, head.text, searched: searched) {
                defer { received.removeFirst(end) }
                guard head.text.hasPrefix("HTTP/1.1 \(expected) ") else {
                    let text = String(decoding: received.prefix(200), as: UTF8.self)
                    throw BenchError("a request is answered by '\(text)'")
                }
                return Array(received[head.end..<end])
            }
            searched = max(head?.end ?? 0, received.count - WebTalk.lastChunk.count)
            let part = try socket.receive(into: memory)
            if part.isEmpty { throw BenchError("a request is not answered") }
            received += part
        }
    }

    /// Where a body ends, if it is whole.
    private func end(ofBodyFrom start: Int, _ head: String, searched: Int) -> Int? {
        // No Content.
        if head.hasPrefix("HTTP/1.1 204 ") { return start }
        if let name = head.firstRange(of: "Content-Length: ") {
            let count = Int(head[name.upperBound...].prefix { $0.isNumber }) ?? 0
            return received.count - start >= count ? start + count : nil
        }
        // JSON has no such bytes.
        return WebTalk.find(WebTalk.lastChunk, in: received, from: searched)
            .map { $0 + WebTalk.lastChunk.count }
    }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            (start..<max(start, all.count - wanted.count + 1)).first { at in
                wanted.indices.allSatisfy { all[at + $0] == wanted[$0] }
            }
        }
    }

    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let lastChunk = Array("\r\n0\r\n\r\n".utf8)
}
