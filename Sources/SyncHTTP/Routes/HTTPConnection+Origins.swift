import SyncBytes
import SyncHTTPCodec
import SyncServer
import SyncWire

// What pages of browsers may do. A browser names the origin of a page that asks another server, or
// that changes something.
extension HTTPConnection {
    /// Keeps what the response to a request has to say about its origin, whatever it is: a page
    /// may read only refusals that say so.
    func noteOrigin(of head: RequestHead) {
        guard !options.origins.isEmpty else { return }
        originFields.add("Vary", "Origin")
        guard let origin = head.fields.value(of: "Origin"), options.lists(origin) else { return }
        originFields.add("Access-Control-Allow-Origin", origin.shown)
        originFields.add("Access-Control-Allow-Credentials", "true")
        originFields.add("Access-Control-Expose-Headers", HTTPConnection.exposedFields)
    }

    /// Checks the host and the origin of a request.
    func admit(_ head: RequestHead) throws(RequestRefusal) {
        try checkHost(of: head)
        let origins = head.fields.values(of: "Origin")
        guard let origin = origins.first else { return }
        guard origins.count == 1 else { throw .mistake("there may be one Origin") }
        if !options.lists(origin),
            !["GET", "HEAD", "OPTIONS"].contains(head.method),
            !options.admits(origin, for: head, isSecured: gateway.isSecured)
        {
            // The browser would send it, though it keeps the answer from the page.
            throw .foreignOrigin
        }
    }

    /// Says which methods a path has, and to a page which fields it may send.
    func respond(toOptions head: RequestHead, _ methods: [String]) {
        var fields = HTTPFields(["Allow": methods.joined(separator: ", ")])
        let isAdmitted = originFields.has("Access-Control-Allow-Origin")
        if isAdmitted, head.fields.has("Access-Control-Request-Method") {
            fields.add("Access-Control-Allow-Methods", methods.joined(separator: ", "))
            fields.add("Access-Control-Allow-Headers", HTTPConnection.askedFields)
            fields.add("Access-Control-Max-Age", "7200")
        }
        respond(Response(204, fields))
    }

    private static let exposedFields = "ETag, Retry-After, \(Response.warningField)"
    private static let askedFields =
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, traceparent"
}

extension RequestRefusal {
    static let foreignOrigin = RequestRefusal(
        status: 403, code: ErrorCode.notAllowed.rawValue,
        text: "pages of this origin may not use the server: see --http-origin")
}

extension HTTPOptions {
    /// Whether an origin is one of those whose pages are admitted.
    fileprivate func lists(_ origin: ForeignText) -> Bool {
        origins.contains { origin.isSame(as: $0) }
    }

    /// Whether pages of an origin may use the server. A program that names none is no page, and is
    /// asked for its token alone.
    func admits(_ origin: ForeignText?, for head: RequestHead, isSecured: Bool) -> Bool {
        guard let origin else { return true }
        if lists(origin) { return true }
        // The page of a server behind a proxy comes by https, whatever the server speaks.
        guard let host = head.fields.value(of: "Host")?.shown else { return false }
        let own = ["https://" + host] + (isSecured ? [] : ["http://" + host])
        return own.contains { origin.isSame(ignoringCaseOf: $0) }
    }
}
