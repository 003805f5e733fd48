import SyncBytes
import SyncCounts
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// The read requests of a loop.
final class Reads {
    var feeds: [FeedKey: RequestFeed] = [:]
    var waiting: [FeedKey: RoomName] = [:]
    let slots: ReadSlots
    /// Content with more items or changes is made in several pieces, or not on the loop.
    let mostItems: Int
    /// Used on the first loop only.
    let listing: RoomListing

    init(on loop: ServerLoop) {
        let policy = loop.configuration.reads
        slots = ReadSlots(policy.maximumReplays, on: loop)
        mostItems = min(
            policy.itemsPerTurn, WorkCost.readItem.units(for: loop.budget.stepsPerPiece))
        listing = RoomListing(on: loop)
    }

    /// Drops all requests, as nothing is answered any more.
    func abandon() {
        for feed in feeds.values { feed.abandon() }
        feeds = [:]
        waiting = [:]
        slots.abandon()
    }
}

// Requests for a room's present or past content, and for its changes.
extension ServerLoop {
    func readSnapshot(_ read: ReadSnapshot, for key: FeedKey) {
        readRevision(read.revision, read.origin, of: read.room, .snapshot, for: key)
    }

    /// Answers a request for content at a revision; `nil` for the newest one.
    private func readRevision(
        _ revision: Revision?, _ origin: Origin?, of name: RoomName, _ form: RevisionGoal.Form,
        for key: FeedKey, holding charge: Charge? = nil
    ) {
        read(name, key) { [self] host in
            let room = host.room
            if let origin, !room.includes(revision ?? 0, of: origin) {
                return fail(key, .roomChanged)
            }
            let revision = revision ?? room.durableRevision
            guard revision <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            answer(key, RevisionGoal(revision, form), of: host, holding: charge)
        }
    }

    func readItems(_ read: ReadItems, for key: FeedKey) {
        // A request may name many items, and wait for its room.
        let charge = Charge(in: key.holder.memory, as: .reads, on: tally)
        guard charge.reserve(read.query.memoryBytes) else {
            return fail(key, .tooMuchAsked(by: key.holder))
        }
        readRevision(
            read.revision, read.origin, of: read.room, .items(read.query), for: key, holding: charge
        )
    }

    func readHistory(_ read: ReadHistory, for key: FeedKey) {
        self.read(read.room, key) { [self] host in
            let room = host.room
            let until = read.until ?? room.durableRevision
            if let origin = read.origin,
                !room.includes(max(read.from, read.until ?? 0), of: origin)
            {
                return fail(key, .roomChanged)
            }
            guard until <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            guard read.from <= until else {
                return fail(
                    key,
                    RoomRefusal(
                        code: .badRevision,
                        text: "revision \(read.from) comes after revision \(until)"))
            }
            let form = read.everyRevision ? RevisionGoal.Form.eachRevision : .batch
            answer(key, RevisionGoal(from: read.from, to: until, form: form), of: host)
        }
    }

    /// Reads a room for a request, unless the connection is closed before.
    func read(_ name: RoomName, _ key: FeedKey, _ body: @escaping (RoomHost) -> Void) {
        let task = RoomTask(
            .read, for: key.session, at: key.holder,
            perform: { [self] room in
                if let host = hosts[room.handle] { body(host) }
            },
            refuse: { [self] in fail(key, $0) }, whenOver: { [self] in reads.waiting[key] = nil })
        reads.waiting[key] = name
        ask(name, task)
    }

    /// Answers a request, with content that is made for others already if there is some.
    private func answer(
        _ key: FeedKey, _ goal: RevisionGoal, of host: RoomHost, holding charge: Charge? = nil
    ) {
        counts.reads.add(at: ReadKind(goal.form).rawValue)
        let known = goal.form.isShared ? host.sources[goal] : nil
        let source =
            if let known, known.shared.isWhole {
                known
            } else {
                RevisionSource(goal, of: host, for: key, keepsAll: known != nil, holding: charge)
            }
        if goal.form.isShared { host.sources[goal] = source }
        RequestFeed(key, of: source.shared, from: host, on: self).begin()
    }
}

extension RoomHost {
    /// Why content of the past up to a revision must not be sent; `nil` if it may be.
    ///
    /// - Parameter origin: the room and epoch of the revision when the read began.
    func refusal(ofReading until: Revision, _ origin: Origin?) -> RoomRefusal? {
        switch room.place {
        case .deleting: return .roomDeleted
        case .gone: return .roomChanged
        case .opening, .reopening, .away(_, .reopen): return .unavailable
        case .here, .away(_, .goOn): break
        }
        guard let origin, room.includes(until, of: origin) else { return .roomChanged }
        return nil
    }
}

extension RoomRefusal {
    static func aboveRevision(_ revision: Revision) -> RoomRefusal {
        RoomRefusal(code: .badRevision, text: "the room is at revision \(revision)")
    }

    static let tooManyReads = RoomRefusal(
        code: .unavailable, text: "too many read the past now; try again in a while")
}
