import SyncWire

/// How a client names a room: by its handle, or by the request of a join that is not answered yet.
struct RoomReference {
    /// 0 while it is not known.
    let handle: RoomHandle
    let join: RequestID?

    init(handle: RoomHandle) {
        self.handle = handle
        join = nil
    }

    init(join: RequestID) {
        handle = 0
        self.join = join
    }
}

/// A join that is not answered yet.
struct PendingJoin {
    let request: RequestID
    /// The greatest counter that was sent before it.
    let sentCounter: UInt64
}
