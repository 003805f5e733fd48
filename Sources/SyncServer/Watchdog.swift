import SyncWire

/// What a loop does in a turn, as far as it matters for how long others wait.
enum TurnWork: String {
    /// Reading what a connection has sent, and doing it.
    case reading
    /// Work that another thread has posted.
    case posted
    case applying
    case composing
    case writing
    case timing
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
    private var message: StaticString?
    /// The message that the piece at hand is done for.
    private var heard: StaticString?

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
        message = nil
        heard = nil
    }

    /// Begins a piece of work that no message is known to have asked for yet.
    @inline(__always)
    mutating func beginPiece() {
        heard = nil
    }

    /// Notes which kind of message the piece at hand is done for.
    @inline(__always)
    mutating func hear(_ message: StaticString) {
        heard = message
    }

    /// Ends a piece of work.
    mutating func note(_ work: TurnWork, _ host: RoomHost?, at now: UInt64) {
        let taken = now - min(last, now)
        last = now
        guard taken > longest else { return }
        longest = taken
        self.work = work
        self.host = host
        message = work == .reading ? heard : nil
    }

    /// Ends the turn.
    mutating func end(at now: UInt64) -> Hold? {
        guard let began else { return nil }
        self.began = nil
        return Hold(
            microseconds: now - min(began, now), work: work, room: host?.name, message: message)
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
