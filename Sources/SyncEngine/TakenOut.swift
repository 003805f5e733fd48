/// The set of things that a transaction took out. Most transactions take out one or two, so only
/// larger sets are hashed.
struct TakenOut {
    private(set) var list: [ThingID] = []
    /// All of them, where there are more than a few.
    private var hashed: Set<ThingID> = []

    private static let few = 16

    var isEmpty: Bool { list.isEmpty }

    func contains(_ thing: ThingID) -> Bool {
        list.count <= TakenOut.few ? list.contains(thing) : hashed.contains(thing)
    }

    mutating func insert(_ thing: ThingID) {
        if contains(thing) { return }
        list.append(thing)
        if list.count == TakenOut.few + 1 {
            hashed = Set(list)
        } else if list.count > TakenOut.few {
            hashed.insert(thing)
        }
    }

    mutating func removeAll() {
        if list.count > TakenOut.few { hashed = [] }
        list.removeAll(keepingCapacity: list.count <= TakenOut.few)
    }
}
