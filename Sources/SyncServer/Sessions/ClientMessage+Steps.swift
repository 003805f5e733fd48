import SyncRoom
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
            case .hello, .leave, .presence, .drag: WorkCost.message.steps()
            case .heartbeat(let beat): WorkCost.heldRevision.steps(1 + beat.rooms.count)
            case .join, .listRooms, .readStats, .deleteRoom, .readSnapshot, .readHistory, .view:
                WorkCost.request.steps()
            }
        // Messages are taken apart into objects, which a transaction is not.
        return fixed + WorkCost.messageBytes.steps(frameBytes)
    }
}
