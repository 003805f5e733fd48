import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncServer
import SyncWire

// What an exchange answers. Each answer ends the exchange, or is a stream that does so at its end.
extension HTTPConnection {
    /// Answers the current request.
    func respond(_ response: Response) {
        guard phase == .open else { return }
        willRespond()
        var response = response
        if let body = response.body, let error = gateway.refusal(ofBytes: body.count) {
            response = .error(error)
            response.refusal = error.code
        }
        if let code = response.refusal { gateway.count(code) }
        if let body = response.body, record.mayBeCompressed,
            body.count >= BodyCompression.leastBytes, BodyCompression.isUseful(for: response.fields)
        {
            if record.acceptsGzip, response.gzipBody == nil {
                beginResponse(response.status, response.fields)
                write([body])
                return endResponse()
            }
            response.fields.add("Vary", "Accept-Encoding")
            if record.acceptsGzip {
                response.body = response.gzipBody
                response.fields.add("Content-Encoding", "gzip")
            }
        }
        addUsualFields(to: &response.fields)
        gateway.countAnswer(to: record.route, status: response.status, of: record.trace)
        output.add(response)
        didRespond()
    }

    /// Refuses the current request by an error that no session has sent.
    func refuse(_ error: ErrorMessage) {
        var response = Response.error(error)
        response.refusal = error.code
        respond(response)
    }

    /// Begins a response of unknown length.
    func beginResponse(_ status: Int, _ fields: HTTPFields) {
        guard phase == .open else { return }
        willRespond()
        var fields = fields
        addUsualFields(to: &fields)
        beginCompression(in: &fields)
        gateway.countAnswer(to: record.route, status: status, of: record.trace)
        output.begin(status, fields)
    }

    /// Adds what each answer says.
    private func addUsualFields(to fields: inout HTTPFields) {
        fields.add("Date", gateway.date)
        fields.add("Server", gateway.agent)
        // Who may read it is decided by a token, which may be in a cookie. A cache that several
        // people share would take the answer for everybody's.
        if record.route?.isForAll != true, !fields.has("Cache-Control") {
            fields.add("Cache-Control", "private, no-cache")
        }
        fields.add(originFields)
    }

    /// Adds a part to it. The exchange is told when it is taken.
    func write(_ body: [SharedBytes]) {
        guard phase == .open else { return }
        guard let compression else { return output.addBody(body) }
        compression.add(body)
        compress()
    }

    func endResponse() {
        guard phase == .open else { return }
        if let compression {
            compression.isEnding = true
            return compress()
        }
        output.endBody()
        didRespond()
    }

    /// Ends a response that can't go on: the client notices that its end is missing.
    func breakResponse() {
        guard phase == .open else { return }
        end()
    }
}

extension Response {
    /// An error as JSON. Whoever answers it counts it, unless a session has.
    static func error(
        status: Int, code: String, _ text: String, retry: Bool = false,
        retryAfterMilliseconds: UInt32 = 0, fields: HTTPFields = HTTPFields()
    ) -> Response {
        var fields = fields
        if retry { fields.addRetry(afterMilliseconds: retryAfterMilliseconds) }
        let failure = ServerLine.Failure(
            code: code, message: text, retry: retry,
            retryAfterMilliseconds: retryAfterMilliseconds)
        return line(status, .error(failure), fields)
    }

    /// A line as JSON.
    static func line(
        _ status: Int, _ line: ServerLine, _ fields: HTTPFields = HTTPFields()
    ) -> Response {
        var writer = JSONWriter(capacity: 512)
        writer.write(line)
        writer.endLine()
        var fields = fields
        fields.add("Content-Type", "application/json")
        return Response(status, fields, body: SharedBytes(copying: writer.bytes))
    }

    static func error(_ error: ErrorMessage) -> Response {
        var fields = HTTPFields()
        if error.code.status == 401 { fields.add("WWW-Authenticate", "Bearer") }
        return .error(
            status: error.code.status, code: error.code.rawValue, error.text, retry: error.retry,
            retryAfterMilliseconds: error.retryAfterMilliseconds, fields: fields)
    }

    /// That the client has what it asks for.
    ///
    /// - Parameter isText: whether it may be compressed, for some clients.
    static func unchanged(_ tag: RevisionTag, isText: Bool = true) -> Response {
        var fields = HTTPFields(["ETag": tag.entityTag])
        if isText { fields.add("Vary", "Accept-Encoding") }
        return Response(304, fields)
    }

    static func json(
        _ status: Int, _ tree: JSONTree, _ fields: HTTPFields = HTTPFields()
    ) -> Response {
        var writer = JSONWriter(capacity: 512)
        writer.write(tree)
        writer.endLine()
        var fields = fields
        fields.add("Content-Type", "application/json")
        return Response(status, fields, body: SharedBytes(copying: writer.bytes))
    }
}

extension ServerLine.Failure {
    init(_ error: ErrorMessage) {
        self.init(
            code: error.code.rawValue, message: error.text, retry: error.retry,
            retryAfterMilliseconds: error.retryAfterMilliseconds)
    }
}

extension HTTPFields {
    /// Adds when the same may be tried again: in a second, if nothing else is known.
    mutating func addRetry(afterMilliseconds wait: UInt32) {
        add("Retry-After", "\(max(1, (UInt64(wait) + 999) / 1000))")
    }
}
