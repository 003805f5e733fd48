package import SyncWire

/// Why a room is not there for somebody, as they are told.
package struct RoomRefusal: Error, Sendable {
    package let code: ErrorCode
    package let text: String

    package init(code: ErrorCode, text: String) {
        self.code = code
        self.text = text
    }
}
