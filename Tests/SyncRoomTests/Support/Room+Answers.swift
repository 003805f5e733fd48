import SyncRoom

extension Room {
    /// The answers that may leave, in order.
    func takeAnswers() -> [RoomAnswer] {
        var all: [RoomAnswer] = []
        takeAnswers { all = Array($0) }
        return all
    }
}
