import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

/// A room made from stored data. A worker makes it for the loop.
struct OpenedRoom {
    let state: RoomState
    let snapshotRevision: UInt64
    let snapshotBytes: Int
    let tailBytes: Int
    let tailRevisions: UInt64

    /// - Parameter mayTake: whether the room may take so many bytes of memory.
    /// - Throws: what is wrong with the stored data.
    init(_ stored: StoredRoom, within mayTake: @escaping (Int) -> Bool) throws(RoomError) {
        if let snapshot = stored.snapshot {
            state = try RoomState(snapshot, within: mayTake)
        } else {
            state = RoomState()
        }
        for record in stored.records { try state.apply(record, within: mayTake) }
        snapshotRevision = stored.snapshot?.revision ?? 0
        snapshotBytes = stored.snapshot?.body.count ?? 0
        tailBytes = stored.records.reduce(0) { $0 + $1.body.count }
        tailRevisions = state.engine.revision - snapshotRevision
    }
}

extension RoomState {
    /// Decodes a stored snapshot.
    convenience init(
        _ snapshot: StoredSnapshot, within mayTake: @escaping (Int) -> Bool
    ) throws(RoomError) {
        try self.init(image: snapshot.body.bytes, within: mayTake)
        guard sequence == snapshot.sequence, engine.revision == snapshot.revision else {
            throw .misfit(
                "a snapshot is at record \(sequence), revision \(engine.revision), not at record"
                    + " \(snapshot.sequence), revision \(snapshot.revision)")
        }
    }
}

extension RoomHost {
    /// The result of opening a room; `nil` if the store has no such room.
    typealias Opening = Result<OpenedRoom?, RoomRefusal>

    /// Opens the room, as soon as it is its turn.
    ///
    /// - Parameter holder: whose memory it uses; `nil` if it is opened again.
    func open(for holder: Holder? = nil) {
        opener.isQueued = true
        waitForOpening(in: holder)
    }

    /// Another holder asks for the room, too. If it is its turn first, the room is opened then.
    func ask(for holder: Holder?) {
        guard opener.isQueued, loop.hosts.openings.mayAsk(JobOwner(holder)) else { return }
        waitForOpening(in: holder)
    }

    private func waitForOpening(in holder: Holder?) {
        let owner = JobOwner(holder)
        guard opener.askers.insert(owner).inserted else { return }
        loop.hosts.openings.add((handle, holder), of: owner)
        loop.beginOpenings()
    }

    /// It is the room's turn to be opened. The store reads it, and a worker builds it, so that a
    /// large one delays nobody else.
    func beginOpening(for holder: Holder?, at place: OpeningPlace) {
        // It was its turn in another line already.
        guard opener.isQueued else { return }
        opener.isQueued = false
        opener.askers = []
        // It may be deleted meanwhile. Then it gives its slot back when that is done.
        guard isOpening else { return }
        guard room.place.isReopening || room.hasTasks else { return loop.close(self) }
        let (context, name) = (loop.context, name)
        let memory = holder?.memory ?? context.pots.memory
        let attempt = opener.begin()
        // First the store's thread uses it, and then a worker.
        let charge = Charge(in: memory, as: .rooms)
        let growth = RoomGrowth(of: charge, in: context.pots, upTo: configuration.room)
        context.store.open(
            room: name,
            admitting: { charge.reserve(StoredRoom.memoryBytes(ofStored: $0)) }
        ) { [reference] stored in
            if attempt.isCancelled { return }
            if case .failure(.tooLarge(_, let bytes?)) = stored {
                return reference.post { $0.lacksMemory(toRead: bytes, for: holder) }
            }
            context.jobs.add(.opening, for: JobOwner(holder)) {
                if attempt.isCancelled { return }
                // Made here; from then on only the loop uses it.
                nonisolated(unsafe) let opening = Opening(stored, of: name, growth)
                // From here on the room counts its memory itself.
                reference.post { host in
                    place.end()
                    withExtendedLifetime(charge) { host.didOpen(opening) }
                }
            }
        }
    }

    /// Closes unused rooms to free memory, and opens the room again if that was enough. It closes
    /// none if all of them together are not enough.
    private func lacksMemory(toRead stored: Int, for holder: Holder?) {
        let memory = holder?.memory ?? loop.context.pots.memory
        let bytes = StoredRoom.memoryBytes(ofStored: stored)
        // A room that is opened again was in memory before.
        guard room.place.isReopening || memory.couldFit(bytes) else {
            return didOpen(.failure(.tooLarge(stored)))
        }
        guard isOpening, memory.fits(bytes, withoutUnowned: loop.hosts.idle.byteCount),
            loop.closeIdleRooms(until: { memory.fits(bytes) })
        else {
            return didOpen(.failure(.outOfMemory))
        }
        open(for: holder)
    }

    /// Whether the room is being opened, for the first time or again.
    private var isOpening: Bool { room.place.isOpening || room.place.isReopening }

    /// Cancels the opening, if no task waits for the room any more. If it is not its turn yet, it
    /// keeps its slot until then. So the slots bound how many openings wait.
    func cancelOpening() {
        guard room.place.isOpening, !room.hasTasks, !opener.isQueued else { return }
        loop.close(self)
    }

    func didOpen(_ opening: Opening) {
        guard isOpening else { return }
        loop.budget.spend(WorkCost.opening.steps())
        switch opening {
        case .success(let opened?): begin(with: opened)
        case .success(nil):
            if let refusal = refusalToMake() {
                loop.finish(room.takeTasks()) { $0.end(refusal) }
                loop.close(self)
            } else {
                begin(with: nil)
            }
        case .failure(let refusal): didNotOpen(refusal)
        }
    }

    /// Why a room that is not stored is not created. `nil` if it is created, at the expense of a
    /// connection that waits for it.
    private func refusalToMake() -> RoomRefusal? {
        guard room.place.isOpening else { return nil }
        let makers = room.makers
        guard configuration.storage.createsRooms, !makers.isEmpty else { return .notFound(name) }
        var refusal: RoomRefusal?
        for maker in makers {
            guard let reason = maker() else { return nil }
            refusal = refusal ?? reason
        }
        return refusal
    }

    private func begin(with opened: OpenedRoom?) {
        let state = opened?.state ?? RoomState()
        disk.bytes = UInt64(clamping: images.begin(with: opened))
        opener = RoomOpener()
        let opening = RoomOpening(random: loop.loop.random)
        if room.place.isReopening {
            let last = room.durableRevision
            let origin = room.identity.origin(of: last)
            let former = room.state
            notifyRemoved(room.resume(state, opening: opening), .roomChanged)
            free(consume former)
            if !room.includes(last, of: origin) {
                for source in Array(sources.values) { source.shared.fail(.roomChanged) }
            }
        } else {
            room.open(state, opening: opening)
        }
        if opened != nil { measureDisk() }
        countMemory()
        loop.context.log.log(
            .debug, "a room is open",
            ["room": name.text, "revision": "\(state.engine.revision)"])
        loop.touch(self)
        loop.compose(self)
        checkIdle()
    }

    private func didNotOpen(_ refusal: RoomRefusal) {
        let log = loop.context.log
        log.log(.error, "a room can't be opened", ["room": name.text, "why": refusal.text])
        loop.finish(room.takeAnsweredTasks()) { $0.end(refusal) }
        guard room.place.isReopening, refusal.code == .unavailable else {
            notifyRemoved(room.memberships, refusal)
            return loop.close(self)
        }
        opener.retry(on: loop) { [weak self] in self?.open() }
        loop.reportIfSettled()
    }

    /// Frees an unused state on a worker, as freeing a large one takes long.
    func free(_ state: consuming RoomState?) {
        guard state != nil else { return }
        nonisolated(unsafe) var last = consume state
        loop.context.jobs.add(.work, for: .server) { _ = last.take() }
    }
}

/// The pending opening of a room.
struct RoomOpener {
    /// The opening in flight.
    private var attempt: OpeningAttempt?
    /// The timer for the next try, after the store has failed.
    private var retryTimer: (any Timer)?
    private var delayMilliseconds = RoomOpener.firstDelayMilliseconds
    /// Whether it waits for its turn, and in whose lines.
    var isQueued = false
    var askers: Set<JobOwner> = []

    private static let firstDelayMilliseconds: UInt64 = 100
    private static let longestDelayMilliseconds: UInt64 = 5000

    /// Whether the store has failed, and a retry is pending.
    var isWaiting: Bool { retryTimer != nil }

    /// Retries the opening after a delay, which doubles each time.
    mutating func retry(on loop: ServerLoop, _ open: @escaping () -> Void) {
        attempt = nil
        retryTimer = loop.schedule(afterMilliseconds: delayMilliseconds, open)
        delayMilliseconds = min(delayMilliseconds * 2, RoomOpener.longestDelayMilliseconds)
    }

    mutating func begin() -> OpeningAttempt {
        retryTimer = nil
        let attempt = OpeningAttempt()
        self.attempt = attempt
        return attempt
    }

    mutating func cancel() {
        attempt?.cancel()
        retryTimer?.cancel()
        retryTimer = nil
    }
}

/// An opening of a room, which can be cancelled.
final class OpeningAttempt: Sendable {
    private let cancelled = Atomic<Bool>(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }
}

extension RoomHost.Opening {
    /// Builds a room from stored data. If it takes more memory than is charged for it, the charge
    /// grows with it, or it is not opened.
    init(_ stored: Result<StoredRoom?, StoreError>, of name: RoomName, _ growth: RoomGrowth) {
        do {
            self = .success(
                try stored.get().map { stored in
                    let bytes = stored.byteCount
                    return try OpenedRoom(stored) { growth.allows($0, ofStored: bytes) }
                })
        } catch let error as StoreError {
            self = .failure(RoomRefusal(error))
        } catch RoomError.tooLarge {
            self = .failure(.outOfMemory)
        } catch {
            self = .failure(
                RoomRefusal(
                    code: .storeCorrupt, text: "room '\(name)' is damaged on disk: \(error)"))
        }
    }
}
