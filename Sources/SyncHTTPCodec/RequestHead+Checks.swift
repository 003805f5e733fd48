import NIOHTTP1
import SyncBytes

extension RequestHead {
    /// Makes a head of what NIO has decoded, if it can be read in one way only (RFC 9112).
    ///
    /// A target in absolute form loses what is before its path, which must name the same host as
    /// the fields.
    ///
    /// - Parameter line: the request line with its CR. llhttp takes several spaces for one, and
    ///   knows protocols beside HTTP.
    init(
        checking head: HTTPRequestHead, line: String, _ limits: HTTPLimits
    ) throws(HTTPError) {
        guard head.uri.utf8.count <= limits.targetBytes else { throw .targetTooLong }
        guard line.hasSameBytes(as: "\(head.method.rawValue) \(head.uri) \(head.version)\r") else {
            throw .malformed("The request line is not a method, a target and HTTP/1.1.")
        }
        guard head.method != .CONNECT else {
            throw .notImplemented("This server is not a proxy.")
        }
        let fields = HTTPFields(head.headers)
        let is11 = head.version == .http1_1
        let host = try RequestHead.host(fields, is11: is11)
        self.init(
            method: head.method.rawValue,
            target: try RequestHead.target(head.uri, head.method, host), fields: fields,
            isKeepAlive: head.isKeepAlive, is11: is11)
        _ = try body()
    }

    private static func host(_ fields: HTTPFields, is11: Bool) throws(HTTPError) -> ForeignText? {
        let hosts = fields.values(of: "Host")
        if hosts.isEmpty, !is11 { return nil }
        guard hosts.count == 1, let host = hosts.first else {
            throw .malformed("The request must have the field Host once.")
        }
        guard isHost(host) else { throw .malformed("The field Host is not the name of a host.") }
        return host
    }

    /// Whether it is a name or an address, perhaps with a port. Whether there is such a host is not
    /// known here.
    private static func isHost(_ host: ForeignText) -> Bool {
        (1...261).contains(host.byteCount)
            && host.withBytes { $0.allSatisfy { isAlphanumeric($0) || hostMarks.contains($0) } }
    }

    private static let hostMarks = Set("-._~%!$&'()*+,;=:[]".utf8)

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & ~0x20)
    }

    private static func target(
        _ target: String, _ method: HTTPMethod, _ host: ForeignText?
    ) throws(HTTPError) -> String {
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw .malformed("The target of the request has a character that it may not have.") }
        if target.utf8.first == UInt8(ascii: "/") { return target }
        if target == "*", method == .OPTIONS { return target }
        guard let scheme = ["http://", "https://"].first(where: { isPrefix($0, of: target) })
        else { throw .malformed("The target of the request is not a path.") }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let host, host.isSame(ignoringCaseOf: String(authority)) else {
            throw .malformed("The target and the field Host name different hosts.")
        }
        let path = String(rest.dropFirst(authority.count))
        return path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }

    private static func isPrefix(_ prefix: String, of text: String) -> Bool {
        HTTPFields.isSame(String(text.prefix(prefix.count)), prefix)
    }
}

extension RequestHead {
    /// How the end of a body is known.
    package enum Body: Equatable, Sendable {
        case none
        /// So many bytes, at least one.
        case bytes(Int)
        case chunks
    }

    /// What the fields say about the body.
    ///
    /// - Throws: if they say it in two ways, or in one that is not known.
    package func body() throws(HTTPError) -> Body {
        let lengths = fields.values(of: "Content-Length")
        let codings = fields.values(of: "Transfer-Encoding")
        guard !codings.isEmpty else { return try RequestHead.body(lengths) }
        guard lengths.isEmpty else {
            throw .malformed("The fields Content-Length and Transfer-Encoding exclude each other.")
        }
        guard is11 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
        guard codings.count == 1, codings[0].isSame(ignoringCaseOf: "chunked") else {
            throw .notImplemented("Transfer-Encoding may only be: chunked.")
        }
        return .chunks
    }

    private static func body(_ lengths: [ForeignText]) throws(HTTPError) -> Body {
        guard let length = lengths.first else { return .none }
        let isNumber =
            !length.isEmpty && length.withBytes { $0.allSatisfy { (0x30...0x39).contains($0) } }
        guard lengths.count == 1, isNumber else {
            throw .malformed("The field Content-Length must be one number.")
        }
        guard let count = Int(length.shown) else {
            throw .malformed("The field Content-Length is beyond all bodies.")
        }
        return count == 0 ? .none : .bytes(count)
    }

    /// Whether the client waits for status 100 before it sends the body. HTTP/1.0 has no such
    /// status.
    package var expectsContinue: Bool {
        is11 && fields.list(of: "Expect", has: "100-continue")
    }

    /// About the memory that it uses, in bytes.
    var memoryBytes: Int {
        fields.all.reduce(target.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.byteCount + MemoryLayout<HTTPFields.Field>.size
        }
    }
}
