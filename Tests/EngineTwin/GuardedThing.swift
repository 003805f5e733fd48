import SyncModel

/// The thing of a guard at two moments: at the guard's revision, which is not below the horizon,
/// and in a room after that.
struct GuardedThing {
    let since: Revision
    /// Where it stood at the revision, if it lived.
    let then: TwinRoom.Spot?
    /// Where it stands in the room, if it lives.
    let now: TwinRoom.Spot?
    private let room: TwinRoom
    private let lives: [Int]

    init(_ operation: ListOperation, since: Revision, in room: TwinRoom) {
        let (kind, id) = operation.thing
        self.since = since
        self.room = room
        lives = room.knownLives(kind, id)
        let spots = room.spots(ofLives: lives)
        then = spots.first { $0.node.isAlive(at: since) }
        now = spots.first { $0.node.died == nil }
    }

    // MARK: Life

    /// Whether an incarnation began after the revision.
    var hasLivedInBetween: Bool { lives.contains { room.lives[$0].born > since } }

    /// Whether the incarnation that lives now was deleted after the revision and brought back: one
    /// of its nodes died, and no transaction that ended one made the next one.
    var isBroughtBack: Bool {
        guard let now else { return false }
        let nodes = room.spots(ofLives: [now.node.life]).map(\.node)
        return nodes.contains { dead in
            guard let died = dead.died, died > since else { return false }
            return !nodes.contains { $0.serial > dead.serial && $0.born == died }
        }
    }

    // MARK: Place

    /// Whether it stands in the same section behind the same thing.
    var isWhereItWas: Bool {
        guard let then, let now, then.sequence == now.sequence else { return false }
        let sequence = room.sequences[now.sequence] ?? []
        let before = sequence[..<then.index].last { $0.isAlive(at: since) }
        return before?.life == sequence[..<now.index].last { $0.died == nil }?.life
    }

    /// Whether its section has another node.
    var isSectionElsewhere: Bool {
        guard let then, let now, now.sequence != TwinRoom.top, then.sequence == now.sequence
        else { return false }
        let nodes = room.spots(ofLives: [now.sequence]).map(\.node)
        let before = nodes.first { $0.isAlive(at: since) }
        return before?.serial != nodes.first { $0.died == nil }?.serial
    }

    /// Whether other items stand in it than at the revision, or at other places.
    var hasOtherItems: Bool {
        guard let now, room.lives[now.node.life].kind == .section else { return false }
        let sequence = room.sequences[now.node.life] ?? []
        let before = sequence.filter { $0.isAlive(at: since) }.map(\.serial)
        return before != sequence.filter { $0.died == nil }.map(\.serial)
    }

    // MARK: Content

    /// Whether its content was written after the revision, with whatever.
    var isWritten: Bool { versions.contains { $0.revision > since } }

    /// The content at the revision and, behind it, what each later transaction left. A mutant
    /// leaves an author's later transactions out, or takes what each write left.
    func contents(without author: Int? = nil, isEachWrite: Bool = false) -> [Life.Content] {
        var versions = versions
        if let author { versions.removeAll { $0.author == author && $0.revision > since } }
        let left = versions.indices.filter { index in
            let isLast = index == versions.count - 1
            return isLast || isEachWrite
                || versions[index + 1].revision > versions[index].revision
        }.map { versions[$0] }
        let earlier = left.filter { $0.revision <= since }.suffix(1)
        return (earlier + left.filter { $0.revision > since }).map(\.content)
    }

    private var versions: [Life.Version] {
        guard let now else { return [] }
        return room.lives[now.node.life].versions
    }
}

extension Array where Element: Equatable {
    /// Whether an element is other than the one before it.
    var hasChanges: Bool { zip(self, dropFirst()).contains { $0 != $1 } }
}
