/// How a client is connected. A label of metrics, so its values are few and fixed.
package enum ConnectionKind: Int, CaseIterable, Sendable {
    /// Frames over TCP, plain or with TLS.
    case tcp
    /// Frames or lines by WebSocket. Until it is one, it counts as HTTP.
    case webSocket
    /// Requests over HTTP, whatever they ask for.
    case http
}
