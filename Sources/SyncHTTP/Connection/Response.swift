import SyncBytes
import SyncHTTPCodec
import SyncWire

/// An answer that is whole.
struct Response: Sendable {
    var status: Int
    var fields = HTTPFields()
    var body: SharedBytes?
    /// The body compressed by gzip, if it was before. If not, a worker compresses it when a client
    /// takes that.
    var gzipBody: SharedBytes?
    /// The error in it, if it has to be counted. A session counts its own.
    var refusal: ErrorCode?

    init(_ status: Int, _ fields: HTTPFields = HTTPFields(), body: SharedBytes? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension Response {
    /// The field that names the options that a layout does not use.
    static let warningField = "Collsync-Warning"
}

extension HTTPFields {
    /// The fields with a warning for the person who has written a request, if there is one.
    func warning(_ text: String?) -> HTTPFields {
        guard let text else { return self }
        var fields = self
        fields.add(Response.warningField, text)
        return fields
    }
}
