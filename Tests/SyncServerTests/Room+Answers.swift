import SyncRoom

extension Room {
    /// The answers that may leave, in order.
    func takeAnswers() -> [Answer] {
        var all: [Answer] = []
        takeAnswers { all = Array($0) }
        return all
    }
}
