import SyncRoom

extension Room {
    /// Takes the answers that are ready, in order.
    func takeAnswers() -> [RoomAnswer] {
        var all: [RoomAnswer] = []
        takeAnswers { all = Array($0) }
        return all
    }
}
