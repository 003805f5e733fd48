import SyncIO
import SyncRoom
import Synchronization

/// Runs work that is too long for a loop's turn on a few workers that all loops share.
///
/// ``JobQueue`` decides which job is next. A job that waits retains only what it needs to begin: a
/// room lends its state when a worker is free, and not before.
final class Jobs: Sendable {
    /// How many workers there are: two for each kind of job, one of which is for either.
    static let workerCount = 3

    /// Is called when a worker is free, on any thread; must be short.
    private typealias Beginning = @Sendable (WorkerTurn) -> Void

    private struct State {
        var line: JobQueue<Beginning>
        var freeWorkers: [Int]
        /// Whether a thread is in ``beginJobs()``.
        var isBeginning = false
    }

    private let workers: [any Worker]
    private let state: Monitor<State>

    init(on platform: any Platform) throws(IOError) {
        var workers: [any Worker] = []
        do throws(IOError) {
            for number in 0..<Jobs.workerCount {
                workers.append(try platform.startBackgroundWorker(named: "worker \(number)"))
            }
        } catch {
            for worker in workers { worker.finish() }
            throw error
        }
        self.workers = workers
        state = Monitor(
            State(
                line: JobQueue(workerCount: workers.count),
                freeWorkers: Array(workers.indices.reversed())))
    }

    func add(_ kind: JobKind, for owner: JobOwner, _ job: @escaping @Sendable () -> Void) {
        ask(kind, for: owner) { $0.use(job) }
    }

    /// Asks for a worker.
    ///
    /// - Parameter begin: called with a worker that is free, on any thread.
    func ask(
        _ kind: JobKind, for owner: JobOwner, _ begin: @escaping @Sendable (WorkerTurn) -> Void
    ) {
        state.withLock { $0.line.add(begin, kind, for: owner) }
        beginJobs()
    }

    /// How many jobs wait for a worker, by ``JobKind``.
    var waitingCounts: [Int] { state.withLock { $0.line.waitingCounts } }

    /// Ends the workers after the jobs they have. Jobs that wait are dropped.
    func finish() {
        for worker in workers { worker.finish() }
        // Dropped outside the lock: what a job retains may give a worker back, which takes the
        // lock.
        let former = state.withLock { state in
            let line = state.line
            state.line = JobQueue(workerCount: workers.count)
            state.freeWorkers = []
            return line
        }
        _ = consume former
    }

    /// Begins jobs as long as workers are free. If another thread is here already, it begins them
    /// all.
    private func beginJobs() {
        let isFirst = state.withLock { state in
            defer { state.isBeginning = true }
            return !state.isBeginning
        }
        guard isFirst else { return }
        while let (turn, begin) = takeNext() { begin(turn) }
    }

    private func takeNext() -> (WorkerTurn, Beginning)? {
        state.withLock { state in
            guard let worker = state.freeWorkers.last, let (turn, begin) = state.line.next() else {
                state.isBeginning = false
                return nil
            }
            state.freeWorkers.removeLast()
            return (WorkerTurn(turn, worker, of: self), begin)
        }
    }

    fileprivate func submit(_ job: @escaping @Sendable () -> Void, to worker: Int) {
        workers[worker].submit(job)
    }

    fileprivate func end(_ turn: JobTurn, _ worker: Int) {
        state.withLock { state in
            state.line.end(turn)
            state.freeWorkers.append(worker)
        }
        beginJobs()
    }
}

/// A free worker for one job. The worker is free again when the job is done, or when the turn is
/// released without a job.
final class WorkerTurn: Sendable {
    private let turn: JobTurn
    private let worker: Int
    private let jobs: Jobs
    private let isOver = Atomic<Bool>(false)

    fileprivate init(_ turn: JobTurn, _ worker: Int, of jobs: Jobs) {
        self.turn = turn
        self.worker = worker
        self.jobs = jobs
    }

    deinit {
        end()
    }

    /// Runs a job on the worker. Called once.
    func use(_ job: @escaping @Sendable () -> Void) {
        let run: @Sendable () -> Void = { [self] in
            job()
            end()
        }
        jobs.submit(run, to: worker)
    }

    private func end() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        jobs.end(turn, worker)
    }
}

/// The kinds of jobs, which differ in priority.
enum JobKind: Int, CaseIterable, Sendable {
    /// What a client waits for before it can do anything: builds a room from stored data, or
    /// verifies a token.
    case opening
    /// Works on a room's state, or reads its past.
    case work
}

/// A running job: its kind and its owner.
struct JobTurn: Sendable {
    let kind: JobKind
    let owner: JobOwner
}

/// The jobs that wait for a worker.
///
/// Invariants:
/// 1. Openings go before work. Each kind leaves one worker free for the other.
/// 2. Within a kind, owners take turns. The jobs of an owner run in order, one at a time.
///
/// So an owner with many jobs waits for its own jobs, and others wait for at most one of them.
struct JobQueue<Job> {
    private let workerCount: Int
    private var openings = RoundRobin<JobOwner, Job>()
    private var work = RoundRobin<JobOwner, Job>()
    private var openingsUnderWay = 0
    private var workUnderWay = 0

    init(workerCount: Int) {
        self.workerCount = workerCount
    }

    /// How many jobs wait, by ``JobKind``.
    var waitingCounts: [Int] {
        JobKind.allCases.map { kind in
            switch kind {
            case .opening: openings.count
            case .work: work.count
            }
        }
    }

    mutating func add(_ job: Job, _ kind: JobKind, for owner: JobOwner) {
        switch kind {
        case .opening: openings.add(job, of: owner)
        case .work: work.add(job, of: owner)
        }
    }

    /// The next job for a free worker, if any. It counts as running until ``end(_:)``.
    mutating func next() -> (turn: JobTurn, job: Job)? {
        guard openingsUnderWay + workUnderWay < workerCount else { return nil }
        let most = max(1, workerCount - 1)
        if openingsUnderWay < most, let (owner, job) = openings.beginTurn() {
            openingsUnderWay += 1
            return (JobTurn(kind: .opening, owner: owner), job)
        }
        guard workUnderWay < most, let (owner, job) = work.beginTurn() else { return nil }
        workUnderWay += 1
        return (JobTurn(kind: .work, owner: owner), job)
    }

    mutating func end(_ turn: JobTurn) {
        switch turn.kind {
        case .opening:
            openingsUnderWay -= 1
            openings.endTurn(of: turn.owner)
        case .work:
            workUnderWay -= 1
            work.endTurn(of: turn.owner)
        }
    }
}
