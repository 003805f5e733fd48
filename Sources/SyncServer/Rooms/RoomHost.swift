import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// Runs a room: it opens the room, appends its records to the store, sends their changes when they
/// are durable, saves snapshots, opens the room again after the store has failed, and closes it
/// when it is unused.
///
/// It owns the ``Room``, which knows where its state is, and the room's pending calls to the store.
/// One function does all the room's work, in its turn (``endTick(isFull:)``).
///
/// Invariants:
/// 1. Records are appended in order, without waiting for each other, but only a few are in flight
///    at a time. Transactions that come meanwhile make one record, unless that gets very large.
/// 2. After an append has failed nothing is appended until the room was opened again.
/// 3. A host that is closed has nothing pending.
final class RoomHost {
    let name: RoomName
    unowned let loop: ServerLoop
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction or delivery.
    /// The room; it exists before it is opened, and until it is closed.
    let room: Room
    /// Its slot among the open rooms; or its place among the rooms that are deleted without being
    /// open.
    var slot: RoomSlot?
    var deletionPlace: Charge?
    @exclusivity(unchecked) var isTouched = false
    @exclusivity(unchecked) var isComposing = false
    /// Whether warnings were logged that the room is nearly full.
    @exclusivity(unchecked) var quotas = RoomQuotas()

    /// Called when the room is deleted.
    var whenDeleted = Fifo<(RoomRefusal?) -> Void>()
    /// Called when the store has deleted the room and its members are removed.
    var whenDissolved: (() -> Void)?
    /// Members that were removed and are not notified yet, and the reason.
    var removals = Fifo<(membership: MembershipID, refusal: RoomRefusal)>()
    /// Whether it waits for a worker to lend its state to.
    var hasAskedForWorker = false
    /// How many requests are being answered from it.
    var feedCount = 0
    /// The sources of the answers that these requests share.
    var sources: [RevisionGoal: RevisionSource] = [:]

    // Pending calls to the store.
    var opener = RoomOpener()
    @exclusivity(unchecked) var appends = AppendsUnderWay()
    var disk = RoomDisk()
    private(set) lazy var images = RoomImages(of: self)

    var idleTimer: (any Timer)?
    /// The timer for composing again, for views, memory or a worker, and when it is due.
    var composeTimer: (timer: any Timer, due: UInt64)?

    static let maximumAppendsUnderWay = 2
    /// A record ends when it has so many bytes.
    static let maximumRecordBytes = 16 << 20

    init(_ name: RoomName, on loop: ServerLoop) {
        self.name = name
        self.loop = loop
        let configuration = loop.configuration
        room = Room(
            handle: loop.makeHandle(), policy: configuration.room, limits: configuration.wire,
            budget: loop.budget,
            accounts: RoomAccounts(
                in: loop.context.pots, on: loop.tally, counts: loop.counts.rooms,
                configuration.room))
        room.pace(ViewPace.allowance, loop.viewPace)
        room.lends = true
    }

    var handle: RoomHandle { room.handle }
    var accounts: RoomAccounts { room.accounts }
    var configuration: ServerConfiguration { loop.configuration }

    /// Drops all that wait for the room, because some of them retain it. Nothing is answered any
    /// more.
    func abandon() {
        sources = [:]
        _ = room.takeTasks()
        whenDeleted = Fifo()
        whenDissolved = nil
        images.abandon()
    }

    // MARK: Idleness

    /// Whether nobody uses the room and nothing is pending.
    var isIdle: Bool {
        guard room.place.isHere, !hasAskedForWorker else { return false }
        return room.memberCount == 0 && feedCount == 0 && !room.hasTasks && !room.hasUnanswered
            && !room.hasDiscardedScreens
            && !isTouched && appends.isEmpty && !images.isSaving
    }

    /// Starts the timer that closes the room if it is idle, and stops the timer if not.
    func checkIdle() {
        guard isIdle else {
            idleTimer?.cancel()
            idleTimer = nil
            loop.hosts.idle.remove(self)
            return
        }
        reassignSlot()
        guard idleTimer == nil else { return }
        loop.hosts.idle.add(self)
        // A room that was never written is closed at once: opening it again makes the same empty
        // room.
        let delay =
            if room.isUnwritten { 0 as UInt64 } else if slot?.wasJoined == true {
                configuration.storage.idleUnloadMilliseconds
            } else {
                min(configuration.storage.idleUnloadMilliseconds, RoomSlot.readMilliseconds)
            }
        idleTimer = loop.schedule(afterMilliseconds: delay) { [self] in
            idleTimer = nil
            unload()
        }
    }

    private func unload() {
        guard isIdle else { return checkIdle() }
        guard loop.budget.left > 0 else {
            // Very many may become idle at once.
            idleTimer = loop.schedule(afterMilliseconds: 1) { [self] in
                idleTimer = nil
                unload()
            }
            return
        }
        loop.budget.spend(WorkCost.unload.steps())
        images.saveTail { [self] in
            if isIdle { loop.close(self) } else { checkIdle() }
        }
    }
}

/// A room's appends in flight. The store completes them in order.
struct AppendsUnderWay {
    /// A record on its way to the log.
    struct Append {
        var bytes: Int
        var transactions: Int
        /// When its first transaction was applied, in microseconds.
        var since: UInt64
    }

    private var appends = Fifo<Append>()
    private(set) var byteCount = 0
    /// When the first transaction of the next record was applied, in microseconds; `nil` if there
    /// is none.
    var draftSince: UInt64?
    /// The unanswered transactions that belong to traces; `nil` if there are none, as nearly
    /// always.
    var traces: TracedTransactions?

    var count: Int { appends.count }
    var isEmpty: Bool { appends.isEmpty }

    /// Adds the next record.
    mutating func add(_ record: LogRecord, at now: UInt64) {
        appends.append(
            Append(
                bytes: record.body.count, transactions: record.transactionCount,
                since: draftSince ?? now))
        draftSince = nil
        byteCount += record.body.count
    }

    /// Removes the first one, which has completed.
    mutating func removeFirst() -> Append? {
        guard let first = appends.popFirst() else { return nil }
        byteCount -= first.bytes
        return first
    }
}

extension LogRecord {
    /// How many transactions it has.
    var transactionCount: Int { Int(clamping: lastRevision - firstRevision + 1) }
}

extension RoomRefusal {
    static let unavailable = RoomRefusal(
        code: .unavailable, text: "the store can't give the room now; try again in a while")

    static let unknownRoom = RoomRefusal(
        code: .unknownRoom, text: "this connection is not in that room")

    static let roomDeleted = RoomRefusal(code: .roomDeleted, text: "the room was deleted")

    /// The room was replaced, or has lost changes.
    static let roomChanged = RoomRefusal(
        code: .roomChanged,
        text: "the room is another one than it was, or has lost changes; join it again")

    static func notFound(_ name: RoomName) -> RoomRefusal {
        RoomRefusal(code: .roomNotFound, text: "there is no room '\(name)'")
    }

    init(_ error: StoreError) {
        switch error {
        case .corrupt, .newerVersion, .olderVersion:
            self.init(code: .storeCorrupt, text: error.description)
        case .noSuchRoom: self.init(code: .roomNotFound, text: error.description)
        case .compacted: self.init(code: .historyGone, text: error.description)
        case .tooLarge: self = .outOfMemory
        case .diskFull, .io, .badCopy, .roomExists, .locked, .notWritable, .notAStore, .conflict,
            .closed:
            self.init(code: .unavailable, text: error.description)
        }
    }
}
