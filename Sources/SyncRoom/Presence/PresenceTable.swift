import SyncModel
import SyncWire

/// The presence of a room's members: those that have joined with presence, and those that drag an
/// item.
///
/// Each change gets the next **version**. Each listener has the version up to which it was sent
/// changes; it lacks the entries with a later version. So nothing queues, and a slow listener gets
/// only the newest state.
///
/// Invariants:
/// 1. The entries ascend by version. Each client has at most one.
/// 2. The entry of a client that has left stays until all listeners were sent it. There are at most
///    twice ``maximumDeparted`` such entries. Beyond that the older half is dropped, and listeners
///    that were not sent those start over.
///
/// Cost: a change moves one reference from its place to the end of an array, and is encoded once
/// for all listeners.
struct PresenceTable {
    final class Entry {
        let client: Identifier
        private(set) var update: PresenceUpdate
        /// The version of its last change.
        private(set) var version: UInt64
        /// The version at which the client entered. Listeners that were sent an older version have
        /// not heard of the client.
        let begun: UInt64
        /// The encoded update; `nil` before it is sent for the first time.
        private var frame: EncodedFrame?

        /// Bytes that it takes, about. Its state counts twice, as the frame has a copy.
        fileprivate static func byteCount(_ update: PresenceUpdate) -> Int {
            let ids = update.state.selected + update.state.highlighted
            let shown = ids.reduce(
                update.displayName.utf8.count + (update.state.custom?.bytes.count ?? 0)
            ) {
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

        /// Whether listeners that were sent a version need this entry. They don't if the client has
        /// left and they have not heard of it.
        func isNews(after sent: UInt64) -> Bool {
            !update.left || begun <= sent
        }

        func frame(by encoder: MessageEncoder) -> EncodedFrame {
            if let frame { return frame }
            let made = encoder.encode(.presenceUpdate(update))
            frame = made
            return made
        }
    }

    /// How far a listener was sent changes.
    struct Progress: Hashable {
        /// It was sent all changes up to this version.
        var sent: UInt64
        /// The table's version when it began to listen, or started over.
        let begun: UInt64
    }

    private var entries: [Entry] = []
    private var byClient: [Identifier: Entry] = [:]
    /// The version of the last change.
    private(set) var version: UInt64 = 0
    private var departedCount = 0
    var count: Int { entries.count }
    private(set) var byteCount = 0
    /// The newest version of an entry that was dropped before all listeners were sent it.
    private var dropped: UInt64 = 0

    /// How many entries of clients that have left are kept when there are too many.
    #if DEBUG
        // So small that short random tests reach it.
        static let maximumDeparted = 1
    #else
        static let maximumDeparted = 1000
    #endif

    // MARK: Changes

    mutating func enter(
        _ client: Identifier, user: String, displayName: String = "", in room: RoomHandle
    ) -> Progress {
        let update = PresenceUpdate(
            room: room, client: client, user: user, displayName: displayName)
        if byClient[client] == nil {
            version += 1
            let entry = Entry(client, update, version: version)
            entries.append(entry)
            byteCount += Entry.byteCount(update)
            byClient[client] = entry
        } else {
            change(client) { $0 = update }
        }
        return Progress(sent: 0, begun: version)
    }

    mutating func leave(_ client: Identifier) {
        change(client) { update in
            update.state = PresenceState()
            update.dragged = nil
            update.left = true
        }
        guard departedCount > 2 * PresenceTable.maximumDeparted else { return }
        // Drops the older ones, even if listeners were not sent them.
        let surplus = entries.lazy.filter(\.update.left).prefix(
            departedCount - PresenceTable.maximumDeparted)
        dropped = surplus.reduce(dropped) { max($0, $1.version) }
        forget(through: dropped)
    }

    func shows(_ client: Identifier) -> Bool {
        byClient[client].map { !$0.update.left } ?? false
    }

    /// By how many bytes the table would grow if a client's state were this one.
    func growth(of client: Identifier, to state: PresenceState) -> Int {
        guard let entry = byClient[client] else { return 0 }
        var update = entry.update
        update.state = state
        return Entry.byteCount(update) - Entry.byteCount(entry.update)
    }

    /// Changes a client's entry, if `body` makes a difference.
    mutating func change(_ client: Identifier, _ body: (inout PresenceUpdate) -> Void) {
        guard let entry = byClient[client] else { return }
        var update = entry.update
        body(&update)
        guard update != entry.update else { return }
        departedCount += (update.left ? 1 : 0) - (entry.update.left ? 1 : 0)
        entries.remove(at: index(after: entry.version - 1))
        byteCount += Entry.byteCount(update) - Entry.byteCount(entry.update)
        version += 1
        entry.change(to: update, version: version)
        entries.append(entry)
    }

    /// Whether it has entries of clients that have left.
    var remembersDeparted: Bool { departedCount > 0 }

    /// Removes the entries, up to a version, of clients that have left. O(n) for all n entries.
    mutating func forget(through sent: UInt64) {
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count)
        for entry in entries {
            guard entry.update.left, entry.version <= sent else {
                kept.append(entry)
                continue
            }
            byClient[entry.client] = nil
            byteCount -= Entry.byteCount(entry.update)
            departedCount -= 1
        }
        entries = kept
    }

    // MARK: Sending

    /// Whether a listener may still show a client whose entry was dropped. Then it has to start
    /// over.
    func mustStartOver(_ progress: Progress) -> Bool {
        progress.sent < dropped && progress.begun < dropped
    }

    /// The entries that changed after a version, oldest first.
    func changes(after sent: UInt64) -> ArraySlice<Entry> {
        entries[index(after: sent)...]
    }

    /// The index of the first entry after a version.
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

/// The members that are sent the presence of others, and the queue of those that may lack changes.
///
/// While the ``PresenceTable`` does not change, only these listeners can lack something: new ones,
/// those that became ready, and those that were not served. A turn visits only them. At each new
/// version a turn visits all listeners once.
struct Listeners {
    private(set) var list: [Member] = []
    private var waiting: [Member] = []
    /// The version for which all listeners were visited last.
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

    /// Queues a member for the next turn.
    mutating func lookAgain(at member: Member) {
        if member.listening?.isQueued ?? true { return }
        member.listening?.isQueued = true
        waiting.append(member)
    }

    /// Removes and returns the members that are ready and were not sent all changes up to a
    /// version.
    mutating func take(at version: UInt64) -> [Member] {
        let line = waiting
        waiting = []
        for member in line { member.listening?.isQueued = false }
        let isNew = self.version != version
        self.version = version
        return (isNew ? list : line).filter { member in
            guard member.listening?.index != nil, member.isReady,
                let progress = member.listening?.progress
            else { return false }
            return progress.sent < version
        }
    }
}

/// What a listener was sent, and its place among the ``Listeners``.
struct Listening {
    var progress: PresenceTable.Progress
    var index: Int?
    /// Whether it is queued for the next turn.
    var isQueued = false

    init(_ progress: PresenceTable.Progress) {
        self.progress = progress
    }
}
