package import SyncIO

/// A ``Storage`` made a ``Store``: calls from any thread wait here until the worker does them.
///
/// They wait in three lanes. A turn of the worker takes all appends at once, which is the group
/// commit; then one call; then one step of the first chore. So an append waits for one short call
/// and one step at most, and nothing starves.
///
/// Invariants:
/// 1. The storage is used by the worker's thread only.
/// 2. While something waits, exactly one turn has been submitted to the worker.
package final class WorkerStore: Store {
    private struct Lanes {
        var appends: [PendingAppend] = []
        var appendCompletions: [StoreCompletion<Void>] = []
        var calls = Fifo<@Sendable (any Storage) -> Void>()
        /// Each returns whether it is done.
        var chores = Fifo<@Sendable (any Storage) -> Bool>()
        /// The chore that has been begun.
        var chore: (@Sendable (any Storage) -> Bool)?
        var isTurnSubmitted = false
        var isClosed = false

        var isEmpty: Bool {
            appends.isEmpty && calls.isEmpty && chores.isEmpty && chore == nil
        }
    }

    /// What was done so far.
    package struct Statistics: Sendable, Equatable {
        /// Records that are durable.
        package var records: UInt64 = 0
        /// Commits that made them so.
        package var commits: UInt64 = 0
    }

    private let worker: any Worker
    /// Only turns use it, and the worker does one after the other.
    private nonisolated(unsafe) let storage: any Storage
    private let lanes = Monitor(Lanes())
    private let counts = Monitor(Statistics())

    /// - Parameter worker: the store's from now on; ``finish()`` ends it.
    package init(_ storage: sending any Storage, worker: any Worker) {
        self.storage = storage
        self.worker = worker
        add(chore: { storage in Self.sweep(storage) }, orElse: {})
    }

    package var statistics: Statistics {
        counts.withLock { $0 }
    }

    package func append(
        _ record: LogRecord, to room: String, completion: @escaping StoreCompletion<Void>
    ) {
        add(
            { lanes in
                lanes.appends.append(PendingAppend(record: record, room: room))
                lanes.appendCompletions.append(completion)
            }, orElse: { completion(.failure(.closed)) })
    }

    package func open(room: String, completion: @escaping StoreCompletion<StoredRoom?>) {
        add(completion) { storage throws(StoreError) in try storage.open(room: room) }
    }

    package func readLog(
        room: String, after sequence: UInt64, limitBytes: Int,
        completion: @escaping StoreCompletion<LogPage>
    ) {
        add(completion) { storage throws(StoreError) in
            try storage.readLog(room: room, after: sequence, limitBytes: limitBytes)
        }
    }

    package func readSnapshot(
        room: String, atOrBelowRevision revision: UInt64,
        completion: @escaping StoreCompletion<StoredSnapshot?>
    ) {
        add(completion) { storage throws(StoreError) in
            try storage.readSnapshot(room: room, atOrBelowRevision: revision)
        }
    }

    package func rooms(completion: @escaping StoreCompletion<[RoomSummary]>) {
        add(completion) { storage throws(StoreError) in try storage.rooms() }
    }

    package func deleteRoom(_ room: String, completion: @escaping StoreCompletion<Void>) {
        add(completion) { storage throws(StoreError) -> Void in
            try storage.deleteRoom(room)
            self.add(chore: { storage in Self.sweep(storage) }, orElse: {})
        }
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: String, completion: @escaping StoreCompletion<Void>
    ) {
        addSteps(completion) { storage throws(StoreError) in
            try storage.saveSnapshot(snapshot, of: room)
        }
    }

    package func compact(
        room: String, olderThanWallClockMilliseconds cutoff: UInt64,
        completion: @escaping StoreCompletion<Void>
    ) {
        addSteps(completion) { storage throws(StoreError) in
            try storage.compact(room: room, olderThanWallClockMilliseconds: cutoff)
        }
    }

    package func finish() {
        let wasClosed = lanes.withLock { lanes in
            defer { lanes.isClosed = true }
            return lanes.isClosed
        }
        guard !wasClosed else { return }
        worker.submit {
            while self.takeTurn() {}
            self.storage.close()
        }
        worker.finish()
        // Nothing, unless the worker was ended by others. It may refer to what holds the store.
        _ = lanes.withLock { lanes in
            defer { lanes = Lanes(isClosed: true) }
            return lanes
        }
    }
}

// MARK: - Waiting

extension WorkerStore {
    /// Puts something into a lane, and sees that a turn comes.
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
        _ completion: @escaping StoreCompletion<Value>,
        _ call: @escaping @Sendable (any Storage) throws(StoreError) -> Value
    ) {
        add(
            { lanes in
                lanes.calls.add { storage in
                    completion(Result { () throws(StoreError) in try call(storage) })
                }
            }, orElse: { completion(.failure(.closed)) })
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
                return true
            }, orElse: { completion(.failure(.closed)) })
    }

    private func add(
        chore: @escaping @Sendable (any Storage) -> Bool, orElse refuse: () -> Void
    ) {
        add({ lanes in lanes.chores.add(chore) }, orElse: refuse)
    }

    /// A sweep that fails, on a full disk perhaps, comes again with the next deletion or start.
    private static func sweep(_ storage: any Storage) -> Bool {
        (try? storage.sweep()) ?? true
    }
}

// MARK: - Doing

extension WorkerStore {
    private func submitTurn() {
        worker.submit {
            if self.takeTurn() { self.submitTurn() }
        }
    }

    /// Does all appends, one call and one step.
    ///
    /// - Returns: whether there is more to do.
    private func takeTurn() -> Bool {
        let (appends, completions, call, chore) = lanes.withLock { lanes in
            let call = lanes.calls.take()
            let chore = lanes.chore ?? lanes.chores.take()
            lanes.chore = chore
            defer {
                lanes.appends = []
                lanes.appendCompletions = []
            }
            return (lanes.appends, lanes.appendCompletions, call, chore)
        }
        if !appends.isEmpty { commit(appends, completions) }
        call?(storage)
        let isChoreDone = chore?(storage) ?? false
        return lanes.withLock { lanes in
            if isChoreDone { lanes.chore = nil }
            lanes.isTurnSubmitted = !lanes.isEmpty
            return lanes.isTurnSubmitted
        }
    }

    private func commit(_ appends: [PendingAppend], _ completions: [StoreCompletion<Void>]) {
        do throws(StoreError) {
            let refusals = try storage.append(appends)
            counts.withLock { counts in
                counts.commits += 1
                counts.records += UInt64(refusals.count { $0 == nil })
            }
            for (refusal, completion) in zip(refusals, completions) {
                if let refusal { completion(.failure(refusal)) } else { completion(.success(())) }
            }
        } catch {
            for completion in completions { completion(.failure(error)) }
        }
    }
}
