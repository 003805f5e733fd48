package import SyncWire

/// Why what somebody asks of a room is not done, as they are told: a room is not there, or a view or a drag is over.
package struct RoomRefusal: Error, Equatable, Sendable {
    package let code: ErrorCode
    package let text: String

    package init(code: ErrorCode, text: String) {
        self.code = code
        self.text = text
    }
}
