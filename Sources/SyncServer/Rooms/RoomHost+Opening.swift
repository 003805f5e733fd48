import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

/// A room as the store has it, made on a worker and handed to the loop.
struct OpenedRoom {
    let state: RoomState
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
        for record in stored.records { try state.apply(record) }
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

extension RoomHost {
    /// What the store had of a room: nothing, if there is no such room.
    typealias Opening = Result<OpenedRoom?, RoomRefusal>

    /// Has the store read the room. It is put together on a worker, so that a large one delays
    /// nobody else.
    ///
    /// - Parameter holder: for whom; `nil` if it is opened again.
    func open(for holder: Holder? = nil) {
        let (context, name) = (loop.context, name)
        let memory = holder?.memory ?? context.pots.memory
        let order = opener.begin()
        context.store.open(room: name.text) { [reference] stored in
            if order.isCancelled { return }
            let bytes = (try? stored.get())?.memoryBytes ?? 0
            guard let charge = memory.reserve(bytes, as: .rooms) else {
                return reference.post { $0.lacksMemory(bytes, for: holder) }
            }
            context.jobs.add(.opening, for: JobOwner(holder)) {
                if order.isCancelled { return }
                // Made here, and from then on the loop's.
                nonisolated(unsafe) let opening = Opening(stored, of: name)
                // The room is counted itself from here on.
                reference.post { host in withExtendedLifetime(charge) { host.didOpen(opening) } }
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
    private var isOpening: Bool { room.place.isOpening || room.place.isReopening }

    /// Gives the opening up, if nobody waits for the room any more.
    func cancelOpening() {
        guard room.place.isOpening, !room.hasTasks else { return }
        loop.letGo(self)
    }

    func didOpen(_ opening: Opening) {
        guard isOpening else { return }
        switch opening {
        case .success(let opened?): begin(with: opened)
        case .success(nil):
            if let refusal = refusalToMake() {
                loop.finish(room.takeTasks()) { $0.end(refusal) }
                loop.letGo(self)
            } else {
                begin(with: nil)
            }
        case .failure(let refusal): didNotOpen(refusal)
        }
    }

    /// Why a room that is not stored is not made; `nil` if it is, at the expense of one who waits
    /// for it.
    private func refusalToMake() -> RoomRefusal? {
        guard room.place.isOpening else { return nil }
        let makers = room.makers
        guard configuration.createsRooms, !makers.isEmpty else { return .notFound(name) }
        if makers.contains(where: { $0() }) { return nil }
        return RoomRefusal(
            code: .addressLimit,
            text: "the address has had too many rooms made; try again in a while")
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
            putOut(room.resume(state, opening: opening), .roomChanged)
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
            putOut(room.memberships, refusal)
            return loop.letGo(self)
        }
        opener.retry(on: loop) { [weak self] in self?.open() }
        loop.reportIfSettled()
    }

    /// Has a state that nobody uses any more freed by a worker, as freeing a large one takes long.
    func free(_ state: consuming RoomState?) {
        guard state != nil else { return }
        nonisolated(unsafe) var last = consume state
        loop.context.jobs.add(.work, for: .server) { _ = last.take() }
    }
}

/// What is under way to have the store give a room.
struct RoomOpener {
    /// What the store was asked for.
    private var order: OpeningOrder?
    /// When it is asked again, as it could not give the room.
    private var retryTimer: (any Timer)?
    private var delayMilliseconds = RoomOpener.firstDelayMilliseconds

    private static let firstDelayMilliseconds: UInt64 = 100
    private static let longestDelayMilliseconds: UInt64 = 5000

    /// Whether the store has failed, and is to be asked again.
    var isWaiting: Bool { retryTimer != nil }

    /// Has the store asked again after a while, which is longer each time.
    mutating func retry(on loop: ServerLoop, _ open: @escaping () -> Void) {
        order = nil
        retryTimer = loop.schedule(afterMilliseconds: delayMilliseconds, open)
        delayMilliseconds = min(delayMilliseconds * 2, RoomOpener.longestDelayMilliseconds)
    }

    mutating func begin() -> OpeningOrder {
        retryTimer = nil
        let order = OpeningOrder()
        self.order = order
        return order
    }

    mutating func cancel() {
        order?.cancel()
        retryTimer?.cancel()
        retryTimer = nil
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
