import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

/// Reads a part of a room's past that the room itself has forgotten, by replaying the log from a
/// stored snapshot.
///
/// It replays on workers, a page of the log at a time. So it does not delay the loops, and delays
/// other jobs only for a short time.
///
/// Invariant: only its jobs use its variables. The jobs have one owner, so at most one of them runs
/// at a time.
final class HistoryReplay: @unchecked Sendable {
    // Sendable by the invariant.

    typealias Completion = @Sendable (Result<ReplayResult, RoomRefusal>) -> Void

    private let goal: RevisionGoal
    private let room: RoomName
    /// The room and epoch of the goal's last revision.
    private let origin: Origin?
    private let partBytes: Int
    /// Frames are readdressed to each request that they answer.
    private let channel = Channel.request(0)
    private let context: ServerContext
    private let owner: JobOwner
    private let isCancelled = Atomic<Bool>(false)

    private let encoder = MessageEncoder()
    private let encodings: [FrameEncoding]
    private let encoders: [(any FrameEncoder)?]
    private var state: RoomState?
    /// Records that were read and are not replayed yet, the next one first.
    private var records: ArraySlice<LogRecord> = []
    /// How many bytes larger the room is at most when they are replayed.
    private var recordBytes = 0
    private var replay: RecordReplay?
    /// The room at `from`, for a batch.
    private var start: Snapshot?
    private var found: [EncodedFrame] = []
    private var foundBytes = 0
    private var charge: Charge?
    private let account: Account

    private static let pageBytes = 256 << 10

    /// - Parameters:
    ///   - origin: the room and epoch of the goal's last revision; a log of another room is not
    ///     used.
    ///   - encodings: the encodings of the requests.
    ///   - holder: whose jobs and memory it uses; `nil` for the server itself.
    init(
        _ goal: RevisionGoal, of room: RoomName, _ origin: Origin?, in encodings: [FrameEncoding],
        for holder: Holder?,
        context: ServerContext
    ) {
        self.goal = goal
        self.room = room
        owner = JobOwner(holder)
        self.origin = origin
        self.encodings = encodings
        encoders = encodings.map { $0.makeEncoder() }
        partBytes = context.configuration.wire.partBytes
        account = holder?.memory ?? context.pots.images
        self.context = context
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        // The replayed room may be large, so a worker frees it.
        work { [self] in release() }
    }

    private func release() {
        state = nil
        replay = nil
        (start, records, found) = (nil, [], [])
        charge = nil
    }

    private func work(_ job: @escaping @Sendable () -> Void) {
        context.jobs.add(.work, for: owner, job)
    }

    /// Makes the next frames. Called after the frames before were taken.
    func run(_ completion: @escaping Completion) {
        work { self.step(completion) }
    }

    /// Whether the state has reached the goal.
    private func isReached(_ state: RoomState) -> Bool {
        // A record may make no revision.
        if case .image(let sequence) = goal.form { return state.sequence >= sequence }
        return state.engine.revision >= goal.to
    }

    // MARK: On a worker

    private func step(_ completion: @escaping Completion) {
        if isCancelled.load(ordering: .relaxed) { return }
        if state == nil { return readSnapshot(completion) }
        let found: ReplayResult?
        do throws(RoomRefusal) { found = try advance() } catch { return fail(error, completion) }
        guard var found else { return readLog(completion) }
        if found.isLast {
            found.charge = charge
            release()
            // Returns the charge for everything that is freed; only the frames remain.
            found.charge?.change(to: found.byteCount(in: encodings))
        }
        completion(.success(found))
    }

    /// Replays the records that were read. Returns frames if they are enough for a delivery, or the
    /// last.
    private func advance() throws(RoomRefusal) -> ReplayResult? {
        guard let state else { return nil }
        try reserve(0, beside: state)
        do throws(RoomError) {
            try replay(into: state)
        } catch {
            throw RoomRefusal(code: .storeCorrupt, text: error.description)
        }
        if records.isEmpty, replay == nil { recordBytes = 0 }
        try reserve(0, beside: state)
        let isLast = isReached(state)
        if let origin, let known = state.loggedIdentity,
            isLast ? !known.includes(goal.to, of: origin) : known.id != origin.room
        {
            throw .roomChanged
        }
        if isLast { try findWhole(state) }
        guard isLast || foundBytes >= Room.deliveryBytes else { return nil }
        defer { (found, foundBytes) = ([], 0) }
        var isImage = false
        if case .image = goal.form { isImage = isLast }
        return ReplayResult(
            frames: found, revision: state.engine.revision, isLast: isLast,
            sequence: state.sequence, image: isImage ? state.encodeImage() : nil)
    }

    private func fail(_ refusal: RoomRefusal, _ completion: @escaping Completion) {
        release()
        completion(.failure(refusal))
    }

    private func fail(_ error: StoreError, _ completion: @escaping Completion) {
        guard case .tooLarge(_, let bytes?) = error else {
            return fail(RoomRefusal(error), completion)
        }
        fail(.unread(bytes, in: account), completion)
    }

    private func readSnapshot(_ completion: @escaping Completion) {
        // First the store's thread uses it, and then a worker.
        let charge = Charge(in: account, as: .reads)
        let growth = RoomGrowth(of: charge, in: context.pots, upTo: context.configuration.room)
        context.store.readSnapshot(
            room: room, atOrBelowRevision: goal.from,
            admitting: { charge.reserve(StoredRoom.memoryBytes(ofStored: $0)) }
        ) { [self] result in
            work { [self] in
                // Nobody waits for an answer.
                if isCancelled.load(ordering: .relaxed) { return }
                do {
                    let snapshot = try result.get()
                    self.charge = charge
                    let bytes = snapshot?.body.count ?? 0
                    let state =
                        try snapshot.map { snapshot in
                            try RoomState(snapshot) { growth.allows($0, ofStored: bytes) }
                        } ?? RoomState()
                    try reached(state.engine.revision, state)
                    self.state = consume state
                    step(completion)
                } catch let error as StoreError {
                    fail(error, completion)
                } catch RoomError.tooLarge {
                    fail(.outOfMemory, completion)
                } catch {
                    fail(RoomRefusal(code: .storeCorrupt, text: "\(error)"), completion)
                }
            }
        }
    }

    private func readLog(_ completion: @escaping Completion) {
        guard let sequence = state?.sequence, let charge else { return }
        // First the store's thread uses the charge, and then a worker. It has the present state.
        let stateBytes = charge.count
        context.store.readLog(
            room: room, after: sequence, limitBytes: HistoryReplay.pageBytes,
            admitting: { bytes in
                let (sum, overflows) = StoredRoom.memoryBytes(ofStored: bytes)
                    .addingReportingOverflow(stateBytes)
                return !overflows && charge.reserve(sum)
            }
        ) { [self] result in
            work { [self] in
                switch result {
                case .success(let page):
                    guard !page.records.isEmpty else {
                        return fail(
                            RoomRefusal(
                                code: .storeCorrupt,
                                text: "the log ends before revision \(goal.to)"), completion)
                    }
                    records = page.records[...]
                    recordBytes = StoredRoom.memoryBytes(
                        ofStored: records.reduce(0) { $0 + $1.readBytes })
                    step(completion)
                case .failure(let error): fail(error, completion)
                }
            }
        }
    }

    /// Replays the records that were read, until the goal is reached or there are enough frames.
    private func replay(into state: RoomState) throws(RoomError) {
        while !isReached(state), foundBytes < Room.deliveryBytes {
            if replay == nil {
                guard let record = records.popFirst() else { return }
                replay = try RecordReplay(record, into: state)
            }
            while let isAtEnd = replay?.isAtEnd, !isAtEnd, !isReached(state),
                foundBytes < Room.deliveryBytes
            {
                if let revision = try replay?.next() { try reached(revision, state) }
            }
            if replay?.isAtEnd == true { replay = nil }
        }
    }

    /// Makes what the goal needs from the state at this revision.
    private func reached(_ revision: Revision, _ state: RoomState) throws(RoomError) {
        let engine = state.engine
        switch goal.form {
        case .batch: if revision == goal.from { start = engine.snapshot() }
        case .eachRevision:
            guard revision > goal.from, revision <= goal.to else { return }
            guard let batch = engine.batch(from: revision - 1, to: revision) else {
                throw .misfit("revision \(revision) has forgotten the one before")
            }
            add(encoder.encode(batch, on: channel, partBytes: partBytes))
        case .snapshot, .items, .image: break
        }
    }

    /// Makes what depends only on the state at the goal's last revision.
    private func findWhole(_ state: RoomState) throws(RoomRefusal) {
        let engine = state.engine
        switch goal.form {
        case .snapshot:
            try reserve(2 * engine.byteCount, beside: state)
            add(
                engine.encodeSnapshot(
                    on: channel, partBytes: partBytes,
                    firstPartBytes: RevisionSource.firstPartBytes))
        case .items(let query):
            let reading = ItemReading(query, at: goal.to, of: origin, partBytes: partBytes)
            try reserve(reading.bytes(afterSteps: .max, in: engine), beside: state)
            add([encoder.encode(.items(try reading.readAll(engine)))])
        case .batch:
            guard let start else { return }
            // The engine's batch knows more of the changes than a comparison of the two states
            // shows.
            try reserve(2 * engine.byteCount, beside: state)
            let batch =
                engine.batch(from: goal.from, to: goal.to)
                ?? Batch.difference(from: start, to: engine.snapshot())
            add(encoder.encode(batch, on: channel, partBytes: partBytes))
        case .eachRevision, .image: break
        }
    }

    /// Reserves memory for `bytes`, for the present state, and for its growth by the records that
    /// were read.
    private func reserve(_ bytes: Int, beside state: RoomState) throws(RoomRefusal) {
        var times = 1
        // The snapshot is a second copy of the content.
        if start != nil { times += 1 }
        // An image is written twice, and its buffers grow by doubling.
        if case .image = goal.form { times += 3 }
        let all = times * state.engine.byteCount + foundBytes + recordBytes + bytes
        guard charge?.reserve(all) ?? false else { throw .outOfMemory }
    }

    private func add(_ frames: [EncodedFrame]) {
        for frame in frames {
            // Encodes here, and not on the loop.
            for encoder in encoders { foundBytes += frame.bytes(by: encoder).count }
            found.append(frame)
        }
    }
}

/// A result of a ``HistoryReplay``. Sendable, because the job no longer uses it.
struct ReplayResult: @unchecked Sendable {
    var frames: [EncodedFrame]
    var revision: Revision
    var isLast: Bool
    /// The last record in it, and the image, if that is the goal.
    var sequence: UInt64 = 0
    var image: SharedBytes?
    /// The charge for the last frames, until the receiver counts them.
    var charge: Charge?

    fileprivate func byteCount(in encodings: [FrameEncoding]) -> Int {
        frames.reduce(image?.count ?? 0) { $0 + $1.byteCount(in: encodings) }
    }
}
