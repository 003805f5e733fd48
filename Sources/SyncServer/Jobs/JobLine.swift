import SyncRoom

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
/// 2. Each kind goes round by owner. What an owner asked for of a kind is done in that order, one job at a
///    time.
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
