import HTTPSupport
import SyncBytes
import SyncHTTPCodec
import SyncIO
import Testing

/// A client's end of a connection: it sends what it is told, and keeps what it receives.
final class HTTPEnd: ByteStreamHandler {
    var stream: (any ByteStream)?
    var received: [UInt8] = []
    private(set) var isClosed = false
    private var unsent: [[UInt8]] = []

    func send(_ bytes: [UInt8]) {
        unsent.append(bytes)
        sendNext()
    }

    private func sendNext() {
        guard let stream, !stream.isWriting, !unsent.isEmpty else { return }
        stream.write([SharedBytes(unsent.removeFirst())])
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) { received += bytes }
    func streamDidDrain() { sendNext() }
    func streamDidClose(_ error: IOError?) { isClosed = true }
}

/// A client that sends requests and reads responses.
final class HTTPClient {
    struct Answer {
        var head: ResponseHead
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        var status: Int { head.status }
    }

    let world: HTTPWorld
    let end: HTTPEnd

    init(_ end: HTTPEnd, in world: HTTPWorld) {
        self.end = end
        self.world = world
    }

    var isClosed: Bool { end.isClosed }
    private(set) var received: [UInt8] {
        get { end.received }
        set { end.received = newValue }
    }
    /// What was received, without carriage returns: Swift takes one and a newline as one character.
    var receivedText: String { String(decoding: received.filter { $0 != 0x0D }, as: UTF8.self) }

    func send(_ text: String) { send(bytes: Array(text.utf8)) }

    func send(bytes: [UInt8]) { end.send(bytes) }

    func close() { end.stream?.close() }

    // MARK: Whole requests

    /// Sends a request, and waits for its whole response.
    func ask(
        _ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:],
        body: String? = nil
    ) throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: server\r\n"
        for field in fields { text += "\(field.key): \(field.value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        send(text + "\r\n" + (body ?? ""))
        return try takeAnswer(isHeadAlone: method == "HEAD")
    }

    func ask(_ target: String) throws -> Answer { try ask("GET", target) }

    /// Waits for a response, and takes it out of what is received.
    func takeAnswer(
        isHeadAlone: Bool = false, limitMilliseconds: UInt64 = 60_000
    ) throws -> Answer {
        var answer: Answer?
        #expect(
            world.run(limitMilliseconds: limitMilliseconds) {
                answer = nextAnswer(isHeadAlone: isHeadAlone)
                return answer != nil || isClosed
            },
            "no answer: \(receivedText)")
        return try #require(answer ?? nextAnswer(isHeadAlone: isHeadAlone), "\(receivedText)")
    }

    private func nextAnswer(isHeadAlone: Bool) -> Answer? {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)),
            let head = ResponseHead(parsing: received[..<end.lowerBound])
        else { return nil }
        var answer = Answer(head: head)
        var rest = Array(received[end.upperBound...])
        let hasNoBody = isHeadAlone || head.status < 200 || [204, 304].contains(head.status)
        if !hasNoBody {
            if let count = head.fields["Content-Length"].flatMap({ Int($0) }) {
                guard rest.count >= count else { return nil }
                answer.body = Array(rest[..<count])
                rest = Array(rest[count...])
            } else {
                guard let body = takeChunks(&rest) else { return nil }
                answer.body = body
            }
        }
        received = rest
        return answer
    }

    /// Reads a body in chunks; `nil` if it is not whole.
    private func takeChunks(_ bytes: inout [UInt8]) -> [UInt8]? {
        let chunks = HTTPClient.chunks(bytes)
        guard let end = chunks.end else { return nil }
        bytes = Array(bytes[end...])
        return chunks.body
    }

    /// The chunks that begin some bytes, as far as they are whole, and where the last one ends.
    static func chunks(_ bytes: [UInt8]) -> (body: [UInt8], end: Int?) {
        var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while let end = rest.firstIndex(of: 0x0A) {
            let size = String(decoding: rest[..<end], as: UTF8.self).filter { $0.isHexDigit }
            guard let count = Int(size, radix: 16), rest.endIndex >= end + 3 + count else { break }
            body += rest[(end + 1)..<(end + 1 + count)]
            rest = rest[(end + 3 + count)...]
            if count == 0 { return (body, rest.startIndex) }
        }
        return (body, nil)
    }
}

extension ResponseHead {
    /// Reads a head without its empty line.
    fileprivate init?(parsing bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A })
            .map { String(decoding: $0, as: UTF8.self) }
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields.add(String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        self.init(status, fields)
    }
}
