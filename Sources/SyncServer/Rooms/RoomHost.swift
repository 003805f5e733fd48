import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// What keeps a room going: it opens it, gives its records to the store, lets out what they hold
/// when they are durable, saves its snapshots, brings it back when the store has failed, and lets
/// it go when nobody needs it.
///
/// It owns the ``Room``, which says where its state is, and what is under way with the store for
/// it. All that is asked of the room is done in one place (``endTick(isFull:)``), when its turn has
/// come.
///
/// Invariants:
/// 1. A record is appended after the one before was, without waiting; a few are on their way at
///    most, and what comes meanwhile is one record, if it is not very large.
/// 2. After an append has failed nothing is appended until the room was opened again.
/// 3. A host that is let go has nothing under way.
final class RoomHost {
    let name: RoomName
    unowned let loop: ServerLoop
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction or delivery.
    /// The room, from before it is opened to when nobody needs it any more.
    let room: Room
    /// Its slot among the open rooms; or its place among those that only delete a room that is not
    /// open.
    var slot: RoomSlot?
    var deletionPlace: Charge?
    @exclusivity(unchecked) var isTouched = false
    @exclusivity(unchecked) var isComposing = false
    /// Whether it was said that the room is nearly full.
    @exclusivity(unchecked) var quotas = RoomQuotas()

    /// What is to be done when it is deleted.
    var whenDeleted = Fifo<(RoomRefusal?) -> Void>()
    /// What is to be done when the store has deleted it and its members have gone.
    var whenDissolved: (() -> Void)?
    /// Who is no longer in the room and was not told that yet, and why.
    var departures = Fifo<(membership: MembershipID, refusal: RoomRefusal)>()
    /// Whether it waits for a worker to lend its state to.
    var hasAskedForWorker = false
    /// Requests that are being answered from it.
    var feedCount = 0
    /// What makes the answers that they share.
    var sources: [RevisionGoal: RevisionSource] = [:]

    // What is under way with the store.
    var opener = RoomOpener()
    var appends = AppendsUnderWay()
    var disk = RoomDisk()
    private(set) lazy var images = RoomImages(of: self)

    var idleTimer: (any Timer)?
    /// What waits until views are to be told something, and when that is.
    var viewTimer: (timer: any Timer, due: UInt64)?

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
            accounts: RoomAccounts(in: loop.context.pots, on: loop.tally, configuration.room))
        room.pace(ViewPace.allowance, loop.viewPace)
        room.lends = true
    }

    var handle: RoomHandle { room.handle }
    var accounts: RoomAccounts { room.accounts }
    var configuration: ServerConfiguration { loop.configuration }

    /// Forgets who waits for it, of whom some hold it: nothing will be answered any more.
    func abandon() {
        sources = [:]
        _ = room.takeTasks()
        whenDeleted = Fifo()
        whenDissolved = nil
        images.abandon()
    }

    // MARK: Idleness

    /// Whether nobody needs it and nothing is under way.
    var isIdle: Bool {
        guard room.place.isHere, !hasAskedForWorker else { return false }
        return room.memberCount == 0 && feedCount == 0 && !room.hasTasks && !room.hasUnanswered
            && !room.hasGoneScreens
            && !isTouched && appends.isEmpty && !images.isSaving
    }

    /// Begins or ends the wait for letting it go.
    func checkIdle() {
        guard isIdle else {
            idleTimer?.cancel()
            idleTimer = nil
            loop.hosts.idle.remove(self)
            return
        }
        passSlotOn()
        guard idleTimer == nil else { return }
        loop.hosts.idle.add(self)
        // A room that was never written is nothing: it comes back as it is.
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
            if isIdle { loop.letGo(self) } else { checkIdle() }
        }
    }
}

/// The records of a room that are on their way to the store, which answers for them in order.
struct AppendsUnderWay {
    private var counts = Fifo<Int>()
    private(set) var byteCount = 0

    var count: Int { counts.count }
    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ bytes: Int) {
        counts.append(bytes)
        byteCount += bytes
    }

    /// The store has answered for the first one.
    mutating func removeFirst() {
        byteCount -= counts.popFirst() ?? 0
    }
}

extension RoomRefusal {
    static let unavailable = RoomRefusal(
        code: .unavailable, text: "the store can't give the room now; try again in a while")

    static let unknownRoom = RoomRefusal(
        code: .unknownRoom, text: "this connection is not in that room")

    static let roomDeleted = RoomRefusal(code: .roomDeleted, text: "the room was deleted")

    /// The room is not what it was.
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
        case .diskFull, .io, .locked, .notWritable, .notAStore, .conflict, .closed:
            self.init(code: .unavailable, text: error.description)
        }
    }
}
