import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

/// A room as the store has it, made on a worker and handed to the loop.
struct OpenedRoom {
    let state: RoomState
    let hasSnapshot: Bool
    let snapshotRevision: UInt64
    let snapshotBytes: Int
    let tailBytes: Int
    let tailRevisions: UInt64

    /// What went wrong with what is stored.
    init(_ stored: StoredRoom) throws(RoomError) {
        if let snapshot = stored.snapshot {
            state = try RoomState(snapshot)
        } else {
            state = RoomState()
        }
        for record in stored.records { try state.apply(RoomRecord(record)) }
        hasSnapshot = stored.snapshot != nil
        snapshotRevision = stored.snapshot?.revision ?? 0
        snapshotBytes = stored.snapshot?.body.count ?? 0
        tailBytes = stored.records.reduce(0) { $0 + $1.body.count }
        tailRevisions = state.engine.revision - snapshotRevision
    }
}

extension RoomState {
    /// A stored snapshot's room.
    convenience init(_ snapshot: StoredSnapshot) throws(RoomError) {
        try self.init(image: snapshot.body.bytes)
        guard sequence == snapshot.sequence, engine.revision == snapshot.revision else {
            throw .misfit(
                "a snapshot is at record \(sequence), revision \(engine.revision), not at record"
                    + " \(snapshot.sequence), revision \(snapshot.revision)")
        }
    }
}

extension RoomRecord {
    init(_ record: LogRecord) {
        self.init(
            sequence: record.sequence, firstRevision: record.firstRevision,
            lastRevision: record.lastRevision,
            wallClockMilliseconds: record.wallClockMilliseconds, body: record.body)
    }
}

extension LogRecord {
    init(_ record: RoomRecord) {
        self.init(
            sequence: record.sequence, firstRevision: record.firstRevision,
            lastRevision: record.lastRevision,
            wallClockMilliseconds: record.wallClockMilliseconds, body: record.body)
    }
}

extension RoomHost {
    /// What the store had of a room: nothing, if there is no such room.
    typealias Opening = Result<OpenedRoom?, RoomRefusal>

    /// Has the store read the room. It is put together on a worker, so that a large one delays nobody else.
    ///
    /// - Parameter holder: for whom; `nil` if it is opened again.
    func open(for holder: Holder? = nil) {
        let context = loop.context
        let post = loop.peers[loop.index]
        let (name, handle) = (name, handle)
        let memory = holder?.memory ?? context.pots.memory
        let order = OpeningOrder()
        opening = order
        context.store.open(room: name.text) { stored in
            if order.isCancelled { return }
            let bytes = (try? stored.get())?.memoryBytes ?? 0
            guard let charge = memory.reserve(bytes, as: .rooms) else {
                return post.post { $0.hosts[handle]?.lacksMemory(bytes, for: holder) }
            }
            context.jobs.add(.opening, for: JobOwner(holder)) {
                if order.isCancelled { return }
                // Made here, and from then on the loop's.
                nonisolated(unsafe) let opening = Opening(stored, of: name)
                post.post { loop in
                    // The room is counted itself from here on.
                    withExtendedLifetime(charge) { loop.hosts[handle]?.didOpen(opening) }
                }
            }
        }
    }

    /// Opens the room anew when rooms that nobody needs have made way for it.
    private func lacksMemory(_ bytes: Int, for holder: Holder?) {
        let memory = holder?.memory ?? loop.context.pots.memory
        guard isOpening, loop.closeIdleRooms(until: { memory.fits(bytes) }) else {
            return didOpen(.failure(.outOfMemory))
        }
        open(for: holder)
    }

    /// Whether the store is to give the room.
    private var isOpening: Bool { room.place == .opening || room.place == .reopening }

    /// Gives the opening up, if nobody waits for the room any more.
    func cancelOpening() {
        guard room.place == .opening, !room.hasTasks else { return }
        opening?.cancel()
        loop.letGo(self)
    }

    func didOpen(_ opening: Opening) {
        guard isOpening else { return }
        self.opening = nil
        switch opening {
        case .success(let opened?): begin(with: opened)
        case .success(nil):
            if let refusal = refusalToMake() {
                room.endTasks(refusal)
                loop.letGo(self)
            } else {
                begin(with: nil)
            }
        case .failure(let refusal): didNotOpen(refusal)
        }
    }

    /// Why a room that is not stored is not made; `nil` if it is, at the expense of one who waits for it.
    private func refusalToMake() -> RoomRefusal? {
        guard room.place == .opening else { return nil }
        let makers = room.makers
        guard configuration.createsRooms, !makers.isEmpty else { return .notFound(name) }
        if makers.contains(where: { $0() }) { return nil }
        return RoomRefusal(
            code: .addressLimit,
            text: "the address has had too many rooms made; try again in a while")
    }

    private func begin(with opened: OpenedRoom?) {
        let state = opened?.state ?? RoomState()
        tailBytes = opened?.tailBytes ?? 0
        tailRevisions = opened?.tailRevisions ?? 0
        imageBytes = opened?.snapshotBytes ?? 0
        snapshotRevision = opened?.snapshotRevision ?? 0
        image = nil
        isImageDue = false
        reopenDelayMilliseconds = RoomHost.firstReopenDelayMilliseconds
        let opening = RoomOpening(random: loop.loop.random)
        if room.place == .reopening {
            let last = room.durableRevision
            let origin = room.identity.origin(of: last)
            let former = LastHold(room.state)
            putOut(room.resume(state, opening: opening), .roomChanged)
            loop.context.jobs.add(.work, for: .server) { former.letGo() }
            if !room.includes(last, of: origin) {
                for answer in Array(answers.values) { answer.fail(.roomChanged) }
            }
        } else {
            room.open(state, opening: opening)
        }
        disk.bytes = UInt64(clamping: imageBytes + tailBytes)
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
        room.endTasks(refusal)
        guard room.place == .reopening, refusal.code == .unavailable else {
            putOut(room.memberships, refusal)
            return loop.letGo(self)
        }
        let delay = reopenDelayMilliseconds
        reopenDelayMilliseconds = min(delay * 2, RoomHost.longestReopenDelayMilliseconds)
        reopenTimer = loop.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self else { return }
            reopenTimer = nil
            open()
        }
        loop.reportIfSettled()
    }

    /// Lets the room go, and has its state freed by a worker, as freeing a large one takes long.
    func closeRoom() {
        let last = LastHold(room.close())
        loop.context.jobs.add(.work, for: .server) { last.letGo() }
    }

    /// Tells members that they are no longer in the room, as many in a turn as it suffices for.
    func putOut(_ memberships: [MembershipID], _ refusal: RoomRefusal) {
        for membership in memberships {
            departures.append(Departure(membership: membership, refusal: refusal))
        }
        tellDeparted()
    }

    /// Tells those that were not told yet.
    func tellDeparted() {
        if departures.isEmpty { return }
        let handle = handle
        let count =
            loop.budget.left > 0
            ? min(departures.count, WorkCost.departure.units(for: loop.budget.left)) : 0
        for departure in departures.prefix(count) {
            let (membership, refusal) = (departure.membership, departure.refusal)
            let id = membership.connection
            loop.on(id.loopIndex) { loop in
                loop.sessions[id]?.didLose(membership, of: handle, refusal)
            }
        }
        departures.removeFirst(count)
        loop.budget.spend(WorkCost.departure.steps(count))
        if !departures.isEmpty { loop.touch(self) }
    }
}

/// The opening of a room, as long as somebody waits for it.
final class OpeningOrder: Sendable {
    private let cancelled = Atomic<Bool>(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }
}

/// Holds a room's state until it is freed. Nobody uses that any more, so it may go on any thread.
private final class LastHold: @unchecked Sendable {
    private var held: AnyObject?

    init(_ held: consuming AnyObject?) {
        self.held = held
    }

    func letGo() {
        held = nil
    }
}

extension RoomHost.Opening {
    /// Puts a room together from what the store has.
    init(_ stored: Result<StoredRoom?, StoreError>, of name: RoomName) {
        do {
            self = .success(try stored.get().map { stored in try OpenedRoom(stored) })
        } catch let error as StoreError {
            self = .failure(RoomRefusal(error))
        } catch {
            self = .failure(
                RoomRefusal(
                    code: .storeCorrupt, text: "room '\(name)' is damaged on disk: \(error)"))
        }
    }
}
