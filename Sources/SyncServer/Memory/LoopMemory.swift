import SyncRoom

/// What a loop counts of its server's memory.
final class LoopMemory {
    /// What connections and rooms hold more or less since the last turn.
    let tally: Tally
    /// What a store in memory has, which the first loop counts.
    let store: Charge
    /// How near the server's memory is to its limit.
    @exclusivity(unchecked) var pressure = MemoryPressure.none

    init(of pot: Account) {
        tally = Tally(of: pot)
        store = Charge(in: pot, as: .store, on: tally)
    }
}
