import SyncBytes
import SyncCounts
package import SyncIO
package import SyncModel

/// Turns a ``Storage`` into a ``Store``: it queues calls from any thread until the worker does
/// them.
///
/// There are three queues: appends, calls and chores. In a turn the worker commits a group of
/// appends (``AppendQueue``), then does one call, then one step of the first chore. So an append
/// waits for the groups before it, with one short call and one step after each, and nothing
/// starves.
///
/// With a separate reader, calls that only read run on a worker of their own and wait for none of
/// this.
///
/// Invariants:
/// 1. Only the worker's thread uses the storage, and only the read worker's thread uses the reader.
/// 2. While something waits, exactly one turn has been submitted to the worker.
/// 3. A room is deleted only after all records that were queued for it before.
package final class WorkerStore: Store {
    private struct Call: Sendable {
        /// The room whose queued records have to be committed first.
        var room: RoomName?
        var body: @Sendable (any Storage) -> Void
    }

    private struct Lanes {
        var appends = AppendQueue()
        var calls = Fifo<Call>()
        /// Each returns whether it is done.
        var chores = Fifo<@Sendable (any Storage) -> Bool>()
        /// The chore that has been begun.
        var chore: (@Sendable (any Storage) -> Bool)?
        var isSweepWaiting = false
        var isTurnSubmitted = false
        var isClosed = false

        var isEmpty: Bool {
            appends.isEmpty && calls.isEmpty && chores.isEmpty && chore == nil
        }

        /// The next call, unless it has to wait for appends.
        mutating func takeCall() -> Call? {
            if let room = calls.first?.room, appends.hasRecords(of: room) { return nil }
            return calls.popFirst()
        }
    }

    /// What was done so far.
    package struct Statistics: Sendable, Equatable {
        /// Records that are durable.
        package var records: UInt64 = 0
        /// Commits that made them so.
        package var commits: UInt64 = 0
        /// Commits that failed.
        package var failedCommits: UInt64 = 0
        /// How much of the disk is in use, about; 0 where that means nothing.
        package var usedBytes: UInt64 = 0
    }

    /// How many bytes a group commit has at most, unless it is a single record.
    package static let groupBytes = 4 << 20

    private let worker: any Worker
    /// Used only in turns, which the worker does one after the other.
    private nonisolated(unsafe) let storage: any Storage
    private let readWorker: (any Worker)?
    /// Used only in jobs of the read worker.
    private nonisolated(unsafe) let reader: (any StorageReader)?
    package let time: StoreTime
    private let lanes = Monitor(Lanes())
    private let counts = Monitor(Statistics())
    /// How long commits took. The worker adds to it.
    private let commits = Histogram(HistogramBounds.times)
    /// Measures that, in microseconds; `nil` if nobody does.
    private let clock: (@Sendable () -> UInt64)?

    /// - Parameters:
    ///   - worker: belongs to the store from now on; ``finish()`` ends it.
    ///   - clock: measures commits, in microseconds.
    package convenience init(
        _ storage: sending any Storage, worker: any Worker,
        clock: (@Sendable () -> UInt64)? = nil
    ) {
        self.init(storage, worker, nil, nil, clock)
    }

    /// - Parameters:
    ///   - worker: belongs to the store from now on; ``finish()`` ends it.
    ///   - reader: reads what the storage has written, without waiting for it.
    ///   - readWorker: belongs to the store, too.
    ///   - clock: measures commits, in microseconds.
    package convenience init(
        _ storage: any Storage, worker: any Worker, readsFrom reader: any StorageReader,
        on readWorker: any Worker, clock: (@Sendable () -> UInt64)? = nil
    ) {
        self.init(storage, worker, reader, readWorker, clock)
    }

    private init(
        _ storage: any Storage, _ worker: any Worker, _ reader: (any StorageReader)?,
        _ readWorker: (any Worker)?, _ clock: (@Sendable () -> UInt64)?
    ) {
        time = storage.time
        self.clock = clock
        self.storage = storage
        self.worker = worker
        self.reader = reader
        self.readWorker = readWorker
        addSweep()
    }

    package var statistics: Statistics {
        counts.withLock { $0 }
    }

    package var usedBytes: UInt64 { statistics.usedBytes }

    package var figures: StoreFigures {
        let statistics = statistics
        var figures = StoreFigures()
        figures.records = Int(clamping: statistics.records)
        figures.failedCommits = Int(clamping: statistics.failedCommits)
        if clock != nil { figures.commits = commits.reading }
        lanes.withLock { lanes in
            figures.waitingRecords = lanes.appends.count
            figures.waitingBytes = lanes.appends.byteCount
            figures.waitingCalls = lanes.calls.count + lanes.chores.count
        }
        return figures
    }

    package func append(
        _ record: LogRecord, to room: RoomName, completion: @escaping StoreCompletion<Void>
    ) {
        add(
            { lanes in
                lanes.appends.add(PendingAppend(record: record, room: room), completion)
            }, orElse: { completion(.failure(.closed)) })
    }

    package func open(
        room: RoomName, admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<StoredRoom?>
    ) {
        read(completion) { reader throws(StoreError) in
            try reader.open(room: room, admitting: mayRead)
        }
    }

    package func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<LogPage>
    ) {
        read(completion) { reader throws(StoreError) in
            try reader.readLog(
                room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
        }
    }

    package func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64,
        admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<StoredSnapshot?>
    ) {
        read(completion) { reader throws(StoreError) in
            try reader.readSnapshot(
                room: room, atOrBelowRevision: revision, admitting: mayRead)
        }
    }

    package func oldestRevision(
        of room: RoomName, completion: @escaping StoreCompletion<UInt64>
    ) {
        read(completion) { reader throws(StoreError) in try reader.oldestRevision(of: room) }
    }

    package func rooms(completion: @escaping StoreCompletion<[StoredRoomSummary]>) {
        read(completion) { reader throws(StoreError) in try reader.rooms() }
    }

    package func summary(
        of room: RoomName, completion: @escaping StoreCompletion<StoredRoomSummary?>
    ) {
        read(completion) { reader throws(StoreError) in try reader.summary(of: room) }
    }

    package func deleteRoom(_ room: RoomName, completion: @escaping StoreCompletion<Void>) {
        add(completion, after: room) { storage throws(StoreError) -> Void in
            try storage.deleteRoom(room)
            self.addSweep()
        }
    }

    package func note(_ time: TrustedTime, completion: @escaping StoreCompletion<Void>) {
        add(completion) { storage throws(StoreError) in try storage.note(time) }
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: RoomName, completion: @escaping StoreCompletion<Void>
    ) {
        addSteps(completion) { storage throws(StoreError) in
            try storage.saveSnapshot(snapshot, of: room)
        }
    }

    package func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64,
        completion: @escaping StoreCompletion<Void>
    ) {
        addSteps(completion) { storage throws(StoreError) in
            try storage.compact(room: room, olderThanTrustedMilliseconds: cutoff)
        }
    }

    package func finish() {
        let wasClosed = lanes.withLock { lanes in
            defer { lanes.isClosed = true }
            return lanes.isClosed
        }
        guard !wasClosed else { return }
        if let readWorker {
            // The reader closes first, since the last one to close the files may have to write.
            readWorker.submit { self.reader?.close() }
            readWorker.finish()
        }
        worker.submit {
            while self.takeTurn() {}
            self.storage.close()
        }
        worker.finish()
        // The queues are empty, unless others ended the worker. What is left may retain the store.
        _ = lanes.withLock { lanes in
            defer { lanes = Lanes(isClosed: true) }
            return lanes
        }
    }
}

// MARK: - Queueing

extension WorkerStore {
    /// Queues something, and submits a turn if there is none.
    private func add(_ put: (inout Lanes) -> Void, orElse refuse: () -> Void) {
        enum Next { case refuse, submit, wait }
        let next = lanes.withLock { lanes -> Next in
            if lanes.isClosed { return .refuse }
            put(&lanes)
            if lanes.isTurnSubmitted { return .wait }
            lanes.isTurnSubmitted = true
            return .submit
        }
        switch next {
        case .refuse: refuse()
        case .submit: submitTurn()
        case .wait: break
        }
    }

    private func add<Value>(
        _ completion: @escaping StoreCompletion<Value>, after room: RoomName? = nil,
        _ call: @escaping @Sendable (any Storage) throws(StoreError) -> Value
    ) {
        add(
            { lanes in
                lanes.calls.append(
                    Call(room: room) { storage in
                        completion(Result { () throws(StoreError) in try call(storage) })
                    })
            }, orElse: { completion(.failure(.closed)) })
    }

    /// Queues a read: for the reader, if there is one.
    private func read<Value>(
        _ completion: @escaping StoreCompletion<Value>,
        _ call: @escaping @Sendable (any StorageReader) throws(StoreError) -> Value
    ) {
        guard let readWorker else {
            return add(completion) { storage throws(StoreError) in try call(storage) }
        }
        let isClosed = lanes.withLock { lanes in
            if lanes.isClosed { return true }
            readWorker.submit {
                completion(
                    Result { () throws(StoreError) in
                        guard let reader = self.reader else { throw .closed }
                        return try call(reader)
                    })
            }
            return false
        }
        if isClosed { completion(.failure(.closed)) }
    }

    private func addSteps(
        _ completion: @escaping StoreCompletion<Void>,
        _ step: @escaping @Sendable (any Storage) throws(StoreError) -> Bool
    ) {
        add(
            chore: { storage in
                do throws(StoreError) {
                    guard try step(storage) else { return false }
                    completion(.success(()))
                } catch {
                    completion(.failure(error))
                }
                self.addSweep()
                return true
            }, orElse: { completion(.failure(.closed)) })
    }

    private func add(
        chore: @escaping @Sendable (any Storage) -> Bool, orElse refuse: () -> Void
    ) {
        add({ lanes in lanes.chores.append(chore) }, orElse: refuse)
    }

    /// Queues a sweep, unless one is queued. If it fails, perhaps on a full disk, the next call
    /// that needs a sweep queues another one.
    private func addSweep() {
        add(
            { lanes in
                if lanes.isSweepWaiting { return }
                lanes.isSweepWaiting = true
                lanes.chores.append { storage in
                    self.lanes.withLock { $0.isSweepWaiting = false }
                    return (try? storage.sweep()) ?? true
                }
            }, orElse: {})
    }
}

// MARK: - Working

extension WorkerStore {
    private func submitTurn() {
        worker.submit {
            if self.takeTurn() { self.submitTurn() }
        }
    }

    /// Commits a group of appends, does one call and one step.
    ///
    /// - Returns: whether there is more to do.
    private func takeTurn() -> Bool {
        let (group, call, chore) = lanes.withLock { lanes in
            let group = lanes.appends.takeGroup(limitBytes: WorkerStore.groupBytes)
            let call = lanes.takeCall()
            let chore = lanes.chore ?? lanes.chores.popFirst()
            lanes.chore = chore
            return (group, call, chore)
        }
        if !group.appends.isEmpty { commit(group) }
        call?.body(storage)
        let isChoreDone = chore?(storage) ?? false
        let usedBytes = storage.usedBytes
        counts.withLock { $0.usedBytes = usedBytes }
        return lanes.withLock { lanes in
            if isChoreDone { lanes.chore = nil }
            lanes.isTurnSubmitted = !lanes.isEmpty
            return lanes.isTurnSubmitted
        }
    }

    private func commit(_ group: AppendQueue.Group) {
        let began = clock?() ?? 0
        do throws(StoreError) {
            let refusals = try storage.append(group.appends)
            if let clock { commits.observe(Int(clamping: clock() &- began)) }
            counts.withLock { counts in
                counts.commits += 1
                counts.records += UInt64(refusals.count { $0 == nil })
            }
            for (refusal, completion) in zip(refusals, group.completions) {
                if let refusal { completion(.failure(refusal)) } else { completion(.success(())) }
            }
        } catch {
            counts.withLock { $0.failedCommits += 1 }
            for completion in group.completions { completion(.failure(error)) }
        }
    }
}
