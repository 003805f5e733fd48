import SyncWire

extension ClientMessage {
    /// What a message other than a transaction costs a turn beyond a step, about.
    ///
    /// A request goes to another queue or thread and comes back with an answer. What making the answer takes is
    /// counted where that is done.
    ///
    /// - Parameter frameBytes: how long its frame is, inflated.
    func steps(frameBytes: Int) -> Int {
        let fixed =
            switch self {
            case .submit: 0
            case .hello, .leave, .presence, .drag: 8
            case .heartbeat(let beat): 2 + 2 * beat.rooms.count
            case .join, .listRooms, .readStats, .deleteRoom, .readSnapshot, .readHistory, .view: 32
            }
        // Messages are taken apart into objects, which a transaction is not.
        return fixed + frameBytes / 64
    }
}
