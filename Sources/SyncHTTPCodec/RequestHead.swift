/// The request line and the header fields of an HTTP/1 request.
package struct RequestHead: Sendable {
    /// As it was sent: methods are case-sensitive. It is ASCII.
    package var method: String
    /// The request's target: a path, and perhaps a query behind a question mark. Nothing in it is
    /// decoded; it is visible ASCII.
    package var target: String
    package var fields: HTTPFields
    /// Whether the connection may be used for another request after this one.
    package var isKeepAlive: Bool
    /// Whether it is HTTP/1.1 and not 1.0, whose clients know no chunks.
    package var is11: Bool

    package init(
        method: String, target: String, fields: HTTPFields = HTTPFields(),
        isKeepAlive: Bool = true, is11: Bool = true
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.isKeepAlive = isKeepAlive
        self.is11 = is11
    }
}
