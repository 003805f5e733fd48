import SyncBytes
import SyncRoom

/// What a loop has to do at the end of a turn, and what it puts off to the next one.
struct TurnAgenda {
    /// Rooms whose records are to be made.
    var touchedHosts: [RoomHost] = []
    /// Tasks of rooms that are not there any more, and what becomes of each.
    var leftTasks = Fifo<(tasks: TaskLanes, finish: (RoomTask) -> Void)>()
    /// Rooms whose members lack something.
    var composingHosts: [RoomHost] = []
    /// What is to be made for those who read, and how many items or changes there are to be written for it, about.
    /// Holders take turns.
    var reads = Rounds<JobOwner, (items: Int, work: () -> Void)>()
    /// Requests to which more can be sent.
    let feeds = TurnQueue<RequestFeed>()
    /// Connections that have something to say.
    var dirtySessions: [Session] = []
    /// Those that are being flushed; empty but for that.
    var flushingSessions: [Session] = []
    /// Connections for which a turn did not suffice.
    let unwrittenSessions = TurnQueue<Session>()
    /// Connections that are read on in the next turn.
    let waitingSessions = TurnQueue<Session>()
    /// The steps that each phase of the turn has taken.
    var phaseSteps = [Int](repeating: 0, count: TurnPhase.allCases.count)
    /// Whether the end of the turn was asked for.
    var isEndAsked = false
    /// Whether something was done about what was written, which the watchdog is told at the end of the turn.
    var hasDrained = false

    /// Forgets all.
    mutating func removeAll() {
        touchedHosts = []
        leftTasks = Fifo()
        composingHosts = []
        reads = Rounds()
        feeds.removeAll()
        dirtySessions = []
        flushingSessions = []
        unwrittenSessions.removeAll()
        waitingSessions.removeAll()
    }
}
