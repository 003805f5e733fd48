import SyncModel
import SyncWire

/// Who is in a room, of those who want to be known or drag something, and what they show.
///
/// Every change gets the next **version**, and each member that is told of the others has the
/// version it was told: what it lacks are the entries with a later one. So nothing queues, and
/// whoever is slow gets the newest state only.
///
/// Invariants:
/// 1. The entries ascend by version, and each client has one at most.
/// 2. An entry whose member has left stays until all who are told have passed it. Of such there are
///    twice ``maximumGone`` at most; then the older half goes, and whoever has not passed those
///    begins anew.
///
/// Cost: a change moves one reference, and those behind it; it is encoded once for all.
struct PresenceTable {
    final class Entry {
        let client: Identifier
        private(set) var update: PresenceUpdate
        /// Of the last change.
        private(set) var version: UInt64
        /// The version with which the client came in. A member that was told less does not know it.
        let begun: UInt64
        /// The update as it is sent, once somebody was.
        private var frame: EncodedFrame?

        /// How many bytes it takes, about; what is shown is held twice, the second time as a frame.
        fileprivate static func byteCount(_ update: PresenceUpdate) -> Int {
            let ids = update.state.selected + update.state.highlighted
            let shown = ids.reduce(update.state.custom?.bytes.count ?? 0) {
                $0 + $1.text.utf8.count + 24
            }
            return 512 + 2 * shown
        }

        fileprivate init(_ client: Identifier, _ update: PresenceUpdate, version: UInt64) {
            self.client = client
            self.update = update
            self.version = version
            begun = version
        }

        fileprivate func change(to update: PresenceUpdate, version: UInt64) {
            self.update = update
            self.version = version
            frame = nil
        }

        /// Whether those who were told up to a version are to be told: not of one who left, if they
        /// did not know of it.
        func isNews(after told: UInt64) -> Bool {
            !update.left || begun <= told
        }

        func frame(by encoder: MessageEncoder) -> EncodedFrame {
            if let frame { return frame }
            let made = encoder.encode(.presenceUpdate(update))
            frame = made
            return made
        }
    }

    /// How far a member was told.
    struct Progress: Hashable {
        /// It knows all entries up to this version.
        var told: UInt64
        /// The version at which it knew nothing yet.
        let begun: UInt64
    }

    private var entries: [Entry] = []
    private var byClient: [Identifier: Entry] = [:]
    /// The last change's.
    private(set) var version: UInt64 = 0
    private var goneCount = 0
    var count: Int { entries.count }
    private(set) var byteCount = 0
    /// The newest entry that was forgotten though not all had passed it.
    private var dropped: UInt64 = 0

    /// So many who have left are remembered longest.
    #if DEBUG
        // Short random tests are to come to it.
        static let maximumGone = 1
    #else
        static let maximumGone = 1000
    #endif

    // MARK: Changes

    mutating func enter(_ client: Identifier, user: String, in room: RoomHandle) -> Progress {
        let update = PresenceUpdate(room: room, client: client, user: user)
        if byClient[client] == nil {
            version += 1
            let entry = Entry(client, update, version: version)
            entries.append(entry)
            byteCount += Entry.byteCount(update)
            byClient[client] = entry
        } else {
            change(client) { $0 = update }
        }
        return Progress(told: 0, begun: version)
    }

    mutating func leave(_ client: Identifier) {
        change(client) { update in
            update.state = PresenceState()
            update.dragged = nil
            update.left = true
        }
        guard goneCount > 2 * PresenceTable.maximumGone else { return }
        // The older ones, whether all know or not.
        let surplus = entries.lazy.filter(\.update.left).prefix(
            goneCount - PresenceTable.maximumGone)
        dropped = surplus.reduce(dropped) { max($0, $1.version) }
        forget(through: dropped)
    }

    func shows(_ client: Identifier) -> Bool {
        byClient[client].map { !$0.update.left } ?? false
    }

    /// How many bytes there would be more if a client showed something else.
    func growth(of client: Identifier, to state: PresenceState) -> Int {
        guard let entry = byClient[client] else { return 0 }
        var update = entry.update
        update.state = state
        return Entry.byteCount(update) - Entry.byteCount(entry.update)
    }

    /// Changes what a client shows; nothing if that makes no difference.
    mutating func change(_ client: Identifier, _ body: (inout PresenceUpdate) -> Void) {
        guard let entry = byClient[client] else { return }
        var update = entry.update
        body(&update)
        guard update != entry.update else { return }
        goneCount += (update.left ? 1 : 0) - (entry.update.left ? 1 : 0)
        entries.remove(at: index(after: entry.version - 1))
        byteCount += Entry.byteCount(update) - Entry.byteCount(entry.update)
        version += 1
        entry.change(to: update, version: version)
        entries.append(entry)
    }

    /// Whether it remembers somebody who has left.
    var remembersGone: Bool { goneCount > 0 }

    /// Forgets those that have left up to a version. O(n) for all n entries.
    mutating func forget(through told: UInt64) {
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count)
        for entry in entries {
            guard entry.update.left, entry.version <= told else {
                kept.append(entry)
                continue
            }
            byClient[entry.client] = nil
            byteCount -= Entry.byteCount(entry.update)
            goneCount -= 1
        }
        entries = kept
    }

    // MARK: Telling

    /// Whether the one who stands so may know of somebody who was forgotten meanwhile.
    func isLost(_ progress: Progress) -> Bool {
        progress.told < dropped && progress.begun < dropped
    }

    /// The entries that changed after a version, oldest first.
    func changes(after told: UInt64) -> ArraySlice<Entry> {
        entries[index(after: told)...]
    }

    /// Where the entries begin that are later than a version.
    private func index(after version: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].version <= version { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The members that are told of the others, and those of them that may lack something and can take
/// it.
///
/// While nothing changes, only who is new, who has taken what it was told, or who was not served
/// can lack something. So a turn looks at those; at all it looks once for each version of the
/// ``PresenceTable``.
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
                let progress = member.listening?.progress
            else { return false }
            return progress.told < version
        }
    }
}

/// What a member that is told of the others was told, and its place among the ``Listeners``.
struct Listening {
    var progress: PresenceTable.Progress
    var index: Int?
    /// Whether it is looked at in the next turn.
    var isInLine = false

    init(_ progress: PresenceTable.Progress) {
        self.progress = progress
    }
}
