import SyncWire

/// What a loop does in a turn, as far as it matters for how long others wait.
enum TurnWork: String {
    /// Taking a connection.
    case accepting
    /// Reading what a connection has sent, and doing it.
    case reading
    /// Going on with what was written, behind the last piece that is known.
    case draining
    /// Letting a connection go.
    case closing
    /// Work that another thread has posted.
    case posted
    /// What was due at a time.
    case timing
    case applying
    /// Doing what a room was asked for behind its transactions.
    case asking
    case composing
    /// Sending what was asked for.
    case answering
    case writing
}

/// For how long a turn has held its loop, and what took longest.
///
/// It looks at the clock between the pieces of work: a piece ends where the next one begins.
struct Watchdog {
    /// What held a loop.
    struct Hold {
        /// How long the whole turn took.
        var microseconds: UInt64
        /// Which piece of it took longest, and of which room.
        var work: TurnWork
        var room: RoomName?
        /// The kind of message that it was done for; of the last one, if there were several.
        var message: StaticString?
    }

    /// When the turn began; `nil` between turns.
    private var began: UInt64?
    private var last: UInt64 = 0
    private var longest: UInt64 = 0
    private var work = TurnWork.reading
    private weak var host: RoomHost?
    private var longestMessage: StaticString?
    /// The kind of message that the piece at hand is done for; `nil` if it is for none that is known.
    var message: StaticString?

    /// Begins the turn, if it has not begun. Between turns the loop sleeps.
    @inline(__always)
    mutating func begin(at now: @autoclosure () -> UInt64) {
        guard began == nil else { return }
        let now = now()
        began = now
        last = now
        longest = 0
        work = .reading
        host = nil
        longestMessage = nil
        message = nil
    }

    /// Ends a piece of work.
    mutating func note(_ work: TurnWork, _ host: RoomHost?, at now: UInt64) {
        let taken = now - min(last, now)
        last = now
        guard taken > longest else { return }
        longest = taken
        self.work = work
        self.host = host
        longestMessage = message
    }

    /// Ends the turn.
    mutating func end(at now: UInt64) -> Hold? {
        guard let began else { return nil }
        self.began = nil
        return Hold(
            microseconds: now - min(began, now), work: work, room: host?.name,
            message: longestMessage)
    }
}

/// A clock that goes only while the loop can hear its connections.
///
/// A loop that is held, or a machine that sleeps, hears nobody, and what came meanwhile waits in the
/// sockets: so a stall must not count as the silence of those at the other end. Between two ticks of this
/// clock the loop has looked at its sockets at least once, and however long that took, it goes on by no
/// more than two intervals.
struct HearingClock {
    private var heard: UInt64 = 0
    private var lastTick: UInt64 = 0
    private var mostPerTick: UInt64 = 0

    mutating func begin(at now: UInt64) {
        lastTick = now
    }

    /// Ends an interval.
    mutating func tick(at now: UInt64, intervalMilliseconds: UInt64) {
        mostPerTick = 2 * intervalMilliseconds
        heard = milliseconds(at: now)
        lastTick = now
    }

    /// For how many milliseconds the loop has listened.
    func milliseconds(at now: UInt64) -> UInt64 {
        let elapsed = now - min(lastTick, now)
        return heard + (mostPerTick == 0 ? elapsed : min(elapsed, mostPerTick))
    }
}
