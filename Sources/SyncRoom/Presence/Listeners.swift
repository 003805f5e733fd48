/// The members that are told of the others, and those of them that may lack something and can take it.
///
/// While nothing changes, only who is new, who has taken what it was told, or who was not served can lack
/// something. So a turn looks at those; at all it looks once for each version of the ``PresenceTable``.
struct Listeners {
    private(set) var list: [Member] = []
    private var waiting: [Member] = []
    /// The version that all were looked at for.
    private var version: UInt64 = 0

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ member: Member) {
        member.listening?.index = list.count
        list.append(member)
        lookAgain(at: member)
    }

    /// O(1).
    mutating func remove(_ member: Member) {
        guard let index = member.listening?.index else { return }
        member.listening?.index = nil
        let last = list.removeLast()
        if last !== member {
            list[index] = last
            last.listening?.index = index
        }
    }

    /// Has a member looked at in the next turn.
    mutating func lookAgain(at member: Member) {
        if member.listening?.isInLine ?? true { return }
        member.listening?.isInLine = true
        waiting.append(member)
    }

    /// Those that can take something and are not told all up to a version.
    mutating func take(at version: UInt64) -> [Member] {
        let line = waiting
        waiting = []
        for member in line { member.listening?.isInLine = false }
        let isNew = self.version != version
        self.version = version
        return (isNew ? list : line).filter { member in
            guard member.listening?.index != nil, member.isReady,
                let standing = member.listening?.standing
            else { return false }
            return standing.told < version
        }
    }
}

/// What a member that is told of the others was told, and its place among the ``Listeners``.
struct Listening {
    var standing: PresenceTable.Standing
    var index: Int?
    /// Whether it is looked at in the next turn.
    var isInLine = false

    init(_ standing: PresenceTable.Standing) {
        self.standing = standing
    }
}
