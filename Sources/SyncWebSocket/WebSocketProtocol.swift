/// What the messages of a WebSocket are. Both sides agree on the name in the handshake.
package enum WebSocketProtocol: String, Sendable, CaseIterable {
    /// Binary messages, whose bytes follow one another. A frame of collsync says how long it is, so
    /// it may be in one message or in several.
    case bytes = "collsync.v1"
    /// Text messages, each of which is a line.
    case lines = "collsync.v1.json"
}
