import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

/// Why a room is not there for somebody, as they are told.
struct RoomRefusal: Error, Sendable {
    let code: ErrorCode
    let text: String
}

/// What keeps a room going: it opens it, gives its records to the store, lets out what they hold when
/// they are durable, saves its snapshots, brings it back when the store has failed, and lets it go when
/// nobody needs it.
///
/// It owns the ``Room`` and what is under way with the store for it.
///
/// Invariants:
/// 1. A record is appended after the one before was, without waiting; a few are on their way at most,
///    and what comes meanwhile is one record, if it is not very large.
/// 2. After an append has failed nothing is appended until the room was opened again.
/// 3. A host that is let go has nothing under way.
final class RoomHost {
    enum Phase {
        /// It is being opened for the first time, or again after the store has failed.
        case opening
        case open
        /// The store could not give it; another try is to come.
        case waitingToReopen
        case deleting
        case gone
    }

    struct Departure {
        let member: MemberID
        let refusal: RoomRefusal
    }

    let name: RoomName
    let handle: RoomHandle
    unowned let loop: ServerLoop
    // What is not checked for exclusive access would cost for each transaction or delivery: no access spans
    // another.
    @exclusivity(unchecked) var phase = Phase.opening
    /// Its place among the open rooms; without one it only deletes a room that is not open.
    var place: RoomPlace?
    /// There is one from the first opening on. Its state may be with a worker, see ``room``.
    @exclusivity(unchecked) var anyRoom: Room?
    @exclusivity(unchecked) var isTouched = false
    /// What it holds of the server's memory.
    let accounts: RoomAccounts
    /// Whether it was said that the room is nearly full.
    @exclusivity(unchecked) var byteWatch = QuotaWatch()
    @exclusivity(unchecked) var itemWatch = QuotaWatch()
    @exclusivity(unchecked) var isComposing = false

    /// Who waits for it to be open, and those of them that have it made if there is none.
    var waiting: [(holder: Holder, body: (Result<RoomHost, RoomRefusal>) -> Void)] = []
    var makers: [RoomMaker] = []
    /// What is to be done when it is deleted.
    var whenDeleted: [(RoomRefusal?) -> Void] = []
    /// What comes behind transactions that are not applied yet, in order.
    var waitingWork = WaitingWork()
    /// Who is no longer in the room and was not told that yet, and why.
    var departures: [Departure] = []
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
    var hasAppendFailed = false
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
        accounts = RoomAccounts(in: loop.context.pots, on: loop.tally, loop.configuration.room)
        handle = loop.makeHandle()
    }

    var configuration: ServerConfiguration { loop.configuration }

    /// Calls `body` when the room is open, or can't be.
    func whenOpen(
        for holder: Holder, maker: RoomMaker?,
        _ body: @escaping (Result<RoomHost, RoomRefusal>) -> Void
    ) {
        switch phase {
        case .open where anyRoom?.isLent == true:
            inOrder { [self] in whenOpen(for: holder, maker: maker, body) }
        case .open: body(.success(self))
        case .opening, .deleting:
            if let maker { makers.append(maker) }
            waiting.append((holder, body))
        case .waitingToReopen, .gone: body(.failure(.unavailable))
        }
    }

    func answerWaiting(_ result: Result<RoomHost, RoomRefusal>) {
        let waiting = waiting
        self.waiting = []
        makers = []
        for (_, body) in waiting { body(result) }
    }

    /// Forgets who waits for it, of whom some hold it: nothing will be answered any more.
    func abandon() {
        answers = [:]
        waiting = []
        whenDeleted = []
        whenSaved = []
        waitingWork = WaitingWork()
    }

    // MARK: Idleness

    /// Whether nobody needs it and nothing is under way.
    var isIdle: Bool {
        guard phase == .open, let room, !hasAskedForWorker else { return false }
        return room.memberCount == 0 && feedCount == 0 && waitingWork.isEmpty && !room.hasUnanswered
            && !isTouched
            && appendsUnderWay == 0 && !isSavingSnapshot
    }

    /// Begins or ends the wait for letting it go.
    func checkIdle() {
        guard isIdle else {
            idleTimer?.cancel()
            idleTimer = nil
            loop.idleRooms.remove(self)
            return
        }
        passPlaceOn()
        guard idleTimer == nil else { return }
        loop.idleRooms.add(self)
        // A room that was never written is nothing: it comes back as it is.
        let delay =
            if room?.isUnwritten == true { 0 as UInt64 } else if place?.wasJoined == true {
                configuration.idleUnloadMilliseconds
            } else {
                min(configuration.idleUnloadMilliseconds, RoomPlace.readMilliseconds)
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
