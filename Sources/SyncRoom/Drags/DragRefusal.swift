package import SyncWire

/// Why an item can't be dragged, or no longer.
package struct DragRefusal: Error, Equatable, Sendable {
    package var code: ErrorCode
    package var text: String

    package init(_ code: ErrorCode, _ text: String) {
        self.code = code
        self.text = text
    }

    static let storeFailed = DragRefusal(
        .unavailable, "the store has failed, and everything is back at its place")
    static let deleted = DragRefusal(.badDrag, "the item was deleted")
    static let notMovable = DragRefusal(.notAllowed, "the item is not movable")
}
