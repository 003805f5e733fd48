/// What one wants of a room.
public struct JoinOptions: Sendable, Hashable {
    /// Take nothing of the room but what views of it show: no snapshot and no batches come.
    public var viewOnly = false

    /// Makes options for the whole room.
    public init(viewOnly: Bool = false) {
        self.viewOnly = viewOnly
    }
}
