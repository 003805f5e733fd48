package import SyncBytes

/// A key as JSON (RFC 7517), as far as it is used here. Nothing of it is checked yet.
package struct WebKey: Sendable {
    /// `kty`, such as `EC`.
    package let kind: ForeignText
    /// `crv`, such as `P-256`.
    package let curve: ForeignText?
    package let algorithm: ForeignText?
    package let use: ForeignText?
    /// `key_ops`, such as `verify`; `nil` if it does not say so.
    package let operations: [ForeignText]?
    package let id: ForeignText?
    /// What the key is made of, in base64url.
    package let parts: [Part: ForeignText]

    /// The names of parts, public and private ones (RFC 7518, 6, and RFC 8037).
    package enum Part: String, CaseIterable, Sendable {
        case x, y, n, e, d, p, q, dp, dq, qi, k
    }

    fileprivate init(_ node: JSONNode) throws(JSONError) {
        enum Key: JSONName, CaseIterable { case kty, crv, alg, use, kid }
        var texts: [Key: ForeignText] = [:]
        var parts: [Part: ForeignText] = [:]
        var operations: [ForeignText]?
        for member in try node.members() {
            if member.isNamed("key_ops") {
                operations = try member.node.elements { node throws(JSONError) in try node.text() }
            } else if let key = member.known(Key.self) {
                texts[key] = try member.node.text()
            } else if let part: Part = member.key.choice() {
                parts[part] = try member.node.text()
            }
        }
        kind = try node.required(texts[.kty], "kty")
        (curve, algorithm, use, id) = (texts[.crv], texts[.alg], texts[.use], texts[.kid])
        self.operations = operations
        self.parts = parts
    }
}

/// A file of keys: one, or a set of them.
package enum WebKeyFile {
    case key(WebKey)
    case set([WebKey])

    /// Reads it from JSON that may be anything. Members that are not known are passed over.
    package init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(text) { node throws(JSONError) in
            for member in try node.members() where member.isNamed("keys") {
                return .set(
                    try member.node.elements { node throws(JSONError) in try WebKey(node) })
            }
            return .key(try WebKey(node))
        }
    }
}
