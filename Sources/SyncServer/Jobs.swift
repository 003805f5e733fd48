import SyncIO
import SyncRoom
import Synchronization

/// What takes more than a loop has in a turn, on its way to a few workers that all loops share.
///
/// Who is next is for ``JobLine`` to say. A job that waits holds nothing but what it needs to
/// begin: a room gives its state away when a worker is free, and not before.
final class Jobs: Sendable {
    /// How many workers there are: two for work, and one more for openings.
    static let workerCount = 3

    /// Begins when a worker is free. Called on any thread, and short.
    private typealias Beginning = @Sendable (WorkerTurn) -> Void

    private struct State {
        var line: JobLine<Beginning>
        var freeWorkers: [Int]
        /// Whether somebody is at work to begin what can begin.
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
                line: JobLine(workerCount: workers.count),
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

    /// Ends the workers when they have done what they have; what waits is dropped.
    func finish() {
        for worker in workers { worker.finish() }
        // Dropped when the lock is free: what it holds may give a worker back.
        let former = state.withLock { state in
            let line = state.line
            state.line = JobLine(workerCount: workers.count)
            state.freeWorkers = []
            return line
        }
        _ = consume former
    }

    /// Begins what can begin. Whoever comes meanwhile leaves it to the one who is at it.
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

/// A worker that is free for somebody. It goes to the next one when the job is done, or when there
/// is none and the turn is let go.
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

    /// Has the worker do something. Called once.
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

/// Which jobs go before others.
enum JobKind: Sendable {
    /// A room is put together from what is stored.
    case opening
    /// A room's state is worked on, or its past is read.
    case work
}

/// A job that is under way: of which kind, and for whom.
struct JobTurn: Sendable {
    let kind: JobKind
    let owner: JobOwner
}

/// The jobs that wait for a worker.
///
/// Invariants:
/// 1. Openings go before work, and one worker is left for them by all work.
/// 2. Each kind goes round by owner. What an owner asked for of a kind is done in that order, one
///    job at a time.
///
/// So who asks for much waits for its own jobs, and others wait for one of its jobs at most.
struct JobLine<Job> {
    private let workerCount: Int
    private var openings = Rounds<JobOwner, Job>()
    private var work = Rounds<JobOwner, Job>()
    private var openingsUnderWay = 0
    private var workUnderWay = 0

    init(workerCount: Int) {
        self.workerCount = workerCount
    }

    mutating func add(_ job: Job, _ kind: JobKind, for owner: JobOwner) {
        switch kind {
        case .opening: openings.add(job, of: owner)
        case .work: work.add(job, of: owner)
        }
    }

    /// The job that a worker is to do now, if any. It is under way until ``end(_:)``.
    mutating func next() -> (turn: JobTurn, job: Job)? {
        guard openingsUnderWay + workUnderWay < workerCount else { return nil }
        if let (owner, job) = openings.beginTurn() {
            openingsUnderWay += 1
            return (JobTurn(kind: .opening, owner: owner), job)
        }
        guard workUnderWay < max(1, workerCount - 1), let (owner, job) = work.beginTurn() else {
            return nil
        }
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
