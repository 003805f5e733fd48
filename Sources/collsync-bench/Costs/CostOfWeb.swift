import SyncAccess
import SyncBytes
import SyncHTTP
import SyncHTTPCodec
import SyncModel
import SyncRoom
import SyncWire

/// Measures the work of reading what clients of HTTP send.
struct CostOfWeb {
    let count: Int

    func nanoseconds(of cost: WorkCost) throws -> Double {
        switch cost {
        case .webRequest: try requests()
        case .webBytes: max(try bytesOfHead(), try bytesOfChunks())
        case .webLine: try CostOfWeb.shortLines.map { try lines($0, per: .line) }.max() ?? 0
        case .webLineBytes: try CostOfWeb.unknownLines.map { try lines($0, per: .byte) }.max() ?? 0
        case .webLineValue: try CostOfWeb.wideLines.map { try lines($0, per: .value) }.max() ?? 0
        default: throw BenchError("\(cost) is nothing about HTTP")
        }
    }

    // MARK: Requests

    /// Small requests, and heads of their answers.
    private func requests() throws -> Double {
        let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let fields: KeyValuePairs = ["Server": "collsync 1", "Content-Type": "application/json"]
        return try read(request, times: count) {
            var writer = ByteWriter(capacity: 256)
            _ = ResponseHead(200, HTTPFields(fields)).write(to: &writer)
            _ = try? RequestTarget("/healthz")
        } / Double(count)
    }

    /// A head with many fields, without what a small one costs.
    private func bytesOfHead() throws -> Double {
        let fields = (0..<90).map { "x\($0): a, b; c=d\r\n" }.joined()
        let head = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        let times = 1 + count / 100
        let one = try requests()
        return try (read(head, times: times) / Double(times) - one) / Double(head.count)
    }

    /// A body in chunks of a byte each.
    private func bytesOfChunks() throws -> Double {
        let head = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = String(repeating: "1\r\nx\r\n", count: 10_000)
        let request = Array("\(head)\(chunks)0\r\n\r\n".utf8)
        let times = 1 + count / 20_000
        return try read(request, times: times) / Double(times * request.count)
    }

    /// Reads the same request so many times.
    ///
    /// - Returns: how many nanoseconds that took.
    private func read(
        _ request: [UInt8], times: Int, _ answer: () -> Void = {}
    ) throws -> Double {
        let reader = RequestReader()
        var ends = 0
        let taken = CostBenchmark.time(1) { _ in
            for _ in 0..<times {
                request.withUnsafeBytes { reader.receive($0) }
                while case .some(let event) = try? reader.next() {
                    if case .end = event { ends += 1 }
                }
                answer()
            }
        }
        guard ends == times else { throw BenchError("a request can't be read") }
        return taken
    }

    // MARK: Lines

    private enum Unit { case line, byte, value }

    /// Lines of few bytes and values, which are not counted here: what is no JSON, and errors that
    /// list the names that are known.
    private static let shortLines = [
        "x", #"{"x":0}"#, #"{"view":{"layout":{"alignment":"x"}}}"#,
    ]

    /// Lines that take long to read for the values that are made of them: objects, keys that are
    /// hashed and keys that are decoded, numbers that are hard to round, operations, items
    /// that get new ids, and decorations.
    private static let wideLines =
        [
            "{},", #"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0},"#,
            #"{"\"":0,"\\":0,"\/":0,"\b":0,"\f":0,"\n":0,"\r":0,"\t":0},"#, "1e-300,",
        ].map { #"{"presence":{"custom":["# + CostOfWeb.many($0) + "0]}}" } + [
            #"{"ops":["# + many(#"{"delete":{"id":"a"}},"#) + #"{"delete":{"id":"a"}}]}"#,
            #"{"paste":{"clipboard":{"room":"a","items":["# + many(#"{"id":"a"},"#)
                + #"{"id":"a"}]},"to":{"after":"a"}}}"#,
            #"{"view":{"id":"a","layout":{"kind":"flow","decorations":["# + many(decoration)
                + "0]}}}",
        ]

    private static let decoration =
        #"{"kind":"a","inset":{"top":1e-300,"left":1e-300,"bottom":1e-300,"right":1e-300}},"#

    /// Lines that take long for their length, although nothing is made of them: a member is not
    /// known, and the others are only looked at.
    private static let unknownLines = [
        "[],", "{},", #"{"a":0},"#, #""\n","#, "-1,", #""ä","#,
        #"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0},"#,
    ].map {
        #"{"x":["# + CostOfWeb.many($0) + "0]}"
    }

    private static func many(_ text: String) -> String {
        String(repeating: text, count: 90_000 / text.utf8.count)
    }

    /// Lines that a member in a room sends, with the answers to those that are wrong.
    private func lines(_ line: String, per unit: Unit) throws -> Double {
        let member = try member()
        let bytes = Array(line.utf8)
        let times = unit == .line ? count : 1 + count * 10 / bytes.count
        var values = 0
        let taken = CostBenchmark.time(1) { _ in
            for _ in 0..<times {
                values += bytes.withUnsafeBytes { member.receive(line: $0) }
                _ = member.takePieces()
                _ = member.takeFrames()
            }
        }
        switch unit {
        case .line:
            let others =
                WorkCost.webLineValue.steps(values)
                + WorkCost.webLineBytes.steps(times * bytes.count)
            return (taken - Double(others * WorkCost.stepNanoseconds)) / Double(times)
        case .byte: return taken / Double(times * bytes.count)
        case .value: return taken / Double(values)
        }
    }

    private func member() throws -> LineMember {
        guard let room = RoomName("room") else { throw BenchError("a room has a name") }
        var options = LineOptions(room: room)
        options.isViewOnly = true
        options.presence = true
        let member = LineMember(options) { 1 }
        member.begin()
        let identity = RoomIdentity(
            RoomID(high: 1, low: 2), Epoch(EpochID(value: 3), first: 1))
        let encoder = MessageEncoder()
        for message: ServerMessage in [
            .welcome(
                Welcome(
                    version: 1, features: [], agent: "", heartbeatMilliseconds: 15_000,
                    limits: WireLimits())),
            .joined(
                Joined(
                    request: 1, handle: 1, room: room, client: Identifier("bench"), user: "",
                    role: .editor, revision: 1, resumed: false, identity: identity)),
        ] {
            member.receive(encoder.encode(message).plain)
        }
        _ = member.takeFrames()
        guard member.takesLines else { throw BenchError("a member takes lines") }
        return member
    }
}
