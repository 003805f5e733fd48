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
        while true {
            if head == nil, let end = received.firstRange(of: WebTalk.headEnd) {
                head = (
                    String(decoding: received[..<end.lowerBound], as: UTF8.self), end.upperBound
                )
            }
            if let head, let end = WebTalk.end(of: received[head.end...], head.text) {
                defer { received.removeFirst(end) }
                guard head.text.hasPrefix("HTTP/1.1 \(expected) ") else {
                    let text = String(decoding: received.prefix(200), as: UTF8.self)
                    throw BenchError("a request is answered by '\(text)'")
                }
                return Array(received[head.end..<end])
            }
            let part = try socket.receive(into: memory)
            if part.isEmpty { throw BenchError("a request is not answered") }
            received += part
        }
    }

    /// Where a body ends, if it is whole.
    private static func end(of body: ArraySlice<UInt8>, _ head: String) -> Int? {
        if let name = head.firstRange(of: "Content-Length: ") {
            let count = Int(head[name.upperBound...].prefix { $0.isNumber }) ?? 0
            return body.count >= count ? body.startIndex + count : nil
        }
        // JSON has no such bytes.
        return body.firstRange(of: lastChunk)?.upperBound
    }

    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let lastChunk = Array("\r\n0\r\n\r\n".utf8)
}
