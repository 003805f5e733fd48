import SyncHTTPCodec
import SyncWire

/// Why a request is refused before a session sees it.
struct RequestRefusal: Error {
    var status: Int
    var code: String
    var text: String
    var fields = HTTPFields()
    /// When the same may succeed; `nil` if that does not help.
    var retryAfterMilliseconds: UInt32?

    var response: Response {
        var response = Response.error(
            status: status, code: code, text, retry: retryAfterMilliseconds != nil,
            retryAfterMilliseconds: retryAfterMilliseconds ?? 0, fields: fields)
        response.refusal = ErrorCode(rawValue: code)
        return response
    }

    /// There is a mistake in the target, the fields or the body.
    static func mistake(_ text: String) -> RequestRefusal {
        RequestRefusal(status: 400, code: ErrorCode.badMessage.rawValue, text: text)
    }

    static let notFound = RequestRefusal(
        status: 404, code: "notFound", text: "there is nothing at this path")

    static func methodNotAllowed(_ methods: [String]) -> RequestRefusal {
        RequestRefusal(
            status: 405, code: ErrorCode.unsupported.rawValue,
            text: "this path has other methods",
            fields: HTTPFields(["Allow": methods.joined(separator: ", ")]))
    }

    static let codedBody = RequestRefusal(
        status: 415, code: ErrorCode.unsupported.rawValue,
        text: "a body is taken without Content-Encoding",
        fields: HTTPFields(["Accept-Encoding": "identity"]))

    init(status: Int, code: String, text: String, fields: HTTPFields = HTTPFields()) {
        self.status = status
        self.code = code
        self.text = text
        self.fields = fields
    }

    init(_ error: HTTPError) {
        self.init(status: error.status, code: ErrorCode.badMessage.rawValue, text: error.text)
    }

    init(_ error: ErrorMessage) {
        self.init(status: error.code.status, code: error.code.rawValue, text: error.text)
        if error.retry { retryAfterMilliseconds = error.retryAfterMilliseconds }
    }
}

extension RequestHead {
    /// Checks that its body is as it is, and not compressed (RFC 9110, 8.4).
    func checkCoding() throws(RequestRefusal) {
        let codings = fields.list(of: "Content-Encoding")
        guard codings.allSatisfy({ $0.isSame(ignoringCaseOf: "identity") }) else {
            throw .codedBody
        }
    }
}
