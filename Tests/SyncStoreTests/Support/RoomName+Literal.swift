import SyncModel

extension RoomName: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        guard let name = RoomName(text) else { preconditionFailure("'\(text)' is no name") }
        self = name
    }
}
