import SeededRandom
package import SyncModel

extension HistoryGenerator {
    /// The operations of a transaction by an author that knows what the room has now, and no more.
    package mutating func operations(holding state: Snapshot) -> [ListOperation] {
        var view = AuthorView(
            seen: state, now: state, isPastHorizon: false,
            knownItems: state.sections.flatMap(\.items).map(\.id),
            knownSections: state.sections.map(\.section.id))
        let count = random.pick(weighted: [1: 70, 2: 20, 4: 8, 12: 2]) ?? 1
        return (0..<count).map { _ in operation(&view) }
    }
}
