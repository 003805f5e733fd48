import SyncHTTPCodec

/// What a reader makes of bytes that come in pieces.
struct Reading: Equatable, CustomStringConvertible {
    var requests: [Request] = []
    /// The bytes of a body that has not ended.
    var partialBytes = 0
    var status: Int?
    var unreadBytes = 0

    struct Request: Equatable {
        var head: RequestHead
        var body: String
    }

    /// Reads the bytes, cut at these places.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
        let reader = RequestReader(limits: limits)
        var head: RequestHead?
        var body: [UInt8] = []
        do throws(HTTPError) {
            for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
                bytes[start..<end].withUnsafeBytes { reader.receive($0) }
                while let event = try reader.next() {
                    switch event {
                    case .head(let next): head = next
                    case .body(let bytes): body += bytes
                    case .end:
                        let text = String(decoding: body, as: UTF8.self)
                        if let head { requests.append(Request(head: head, body: text)) }
                        (head, body) = (nil, [])
                    }
                }
            }
        } catch {
            status = error.status
        }
        partialBytes = body.count
        unreadBytes = reader.unreadBytes
    }

    init(_ text: String, cuts: [Int] = []) {
        self.init(Array(text.utf8), cuts: cuts)
    }

    var description: String {
        let texts = requests.map {
            "\($0.head.method) \($0.head.target) \($0.body.debugDescription)"
        }
        return texts.joined(separator: ", ") + (status.map { " status \($0)" } ?? "")
            + (unreadBytes > 0 ? " unread \(unreadBytes)" : "")
    }
}
