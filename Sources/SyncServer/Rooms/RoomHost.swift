import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

/// What keeps a room going: it opens it, gives its records to the store, lets out what they hold when
/// they are durable, saves its snapshots, brings it back when the store has failed, and lets it go when
/// nobody needs it.
///
/// It owns the ``Room``, which says where its state is, and what is under way with the store for it. All that is
/// asked of the room is done in one place (``endTick(isFull:)``), when its turn has come.
///
/// Invariants:
/// 1. A record is appended after the one before was, without waiting; a few are on their way at most,
///    and what comes meanwhile is one record, if it is not very large.
/// 2. After an append has failed nothing is appended until the room was opened again.
/// 3. A host that is let go has nothing under way.
final class RoomHost {
    struct Departure {
        let membership: MembershipID
        let refusal: RoomRefusal
    }

    let name: RoomName
    let handle: RoomHandle
    unowned let loop: ServerLoop
    // What is not checked for exclusive access would cost for each transaction or delivery: no access spans
    // another.
    /// The room, from before it is opened to when nobody needs it any more.
    let room: Room
    /// Its slot among the open rooms; without one it only deletes a room that is not open.
    var slot: RoomSlot?
    @exclusivity(unchecked) var isTouched = false
    /// What it holds of the server's memory.
    let accounts: RoomAccounts
    /// Whether it was said that the room is nearly full.
    @exclusivity(unchecked) var byteWatch = QuotaWatch()
    @exclusivity(unchecked) var itemWatch = QuotaWatch()
    @exclusivity(unchecked) var isComposing = false

    /// What is to be done when it is deleted.
    var whenDeleted: [(RoomRefusal?) -> Void] = []
    /// Who is no longer in the room and was not told that yet, and why.
    var departures: [Departure] = []
    /// The opening under way, which is given up when nobody waits for it any more.
    var opening: OpeningOrder?
    /// Whether it waits for a worker to lend its state to, and when it has lent it, in microseconds.
    var hasAskedForWorker = false
    var lentAt: UInt64 = 0
    /// Requests that are being answered from it.
    var feedCount = 0
    /// What they share.
    var answers: [Excavation.Goal: SharedAnswer] = [:]

    /// Records that the store has and has not answered for; it counts anew with each opening.
    var appendsUnderWay = 0
    /// What those records have.
    var recordBytes = RecordBytes()
    /// When the store is asked again for a room that it could not give.
    var reopenTimer: (any Timer)?
    var reopenDelayMilliseconds = RoomHost.firstReopenDelayMilliseconds

    /// What the store has of it.
    var disk = Disk()

    // Snapshots.
    /// What has come since the last snapshot.
    var tailBytes = 0
    var tailRevisions: UInt64 = 0
    var imageBytes = 0
    var snapshotRevision: Revision = 0
    /// One that was taken ahead of the log.
    var image: StoredSnapshot?
    /// One is being made or saved.
    var isSavingSnapshot = false
    /// What the snapshot has that is on its way to the store.
    var savingBytes = 0
    /// The image of a large room is due, and not before this time, in milliseconds.
    var isImageDue = false
    var earliestImage: UInt64 = 0
    /// A worker is to make the image of a room that nobody uses.
    var isTailWanted = false
    var whenSaved: [() -> Void] = []

    var idleTimer: (any Timer)?
    /// What waits until views are to be told something, and when that is.
    var viewTimer: (timer: any Timer, due: UInt64)?

    static let maximumAppendsUnderWay = 2
    /// A record ends when it has so many bytes.
    static let maximumRecordBytes = 16 << 20
    static let firstReopenDelayMilliseconds: UInt64 = 100
    static let longestReopenDelayMilliseconds: UInt64 = 5000

    init(_ name: RoomName, on loop: ServerLoop) {
        self.name = name
        self.loop = loop
        handle = loop.makeHandle()
        let configuration = loop.configuration
        accounts = RoomAccounts(in: loop.context.pots, on: loop.tally, configuration.room)
        room = Room(
            handle: handle, policy: configuration.room, limits: configuration.wire,
            budget: loop.budget, accounts: accounts)
        room.pace(ViewPace.allowance, loop.viewPace)
        room.lends = true
    }

    var configuration: ServerConfiguration { loop.configuration }

    /// Forgets who waits for it, of whom some hold it: nothing will be answered any more.
    func abandon() {
        answers = [:]
        _ = room.takeTasks()
        whenDeleted = []
        whenSaved = []
    }

    // MARK: Idleness

    /// Whether nobody needs it and nothing is under way.
    var isIdle: Bool {
        guard room.place == .here, !hasAskedForWorker else { return false }
        return room.memberCount == 0 && feedCount == 0 && !room.hasTasks && !room.hasUnanswered
            && !isTouched
            && appendsUnderWay == 0 && !isSavingSnapshot
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
        saveTail { [self] in
            if isIdle { loop.letGo(self) } else { checkIdle() }
        }
    }
}

extension RoomRefusal {
    static let unavailable = RoomRefusal(
        code: .unavailable, text: "the store can't give the room now; try again in a while")

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
