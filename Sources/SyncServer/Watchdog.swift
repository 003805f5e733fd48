import SyncModel
import SyncWire

/// What a loop does in a turn, as far as it matters for how long others wait.
enum TurnWork: String {
    case accepting
    /// Reading what a connection has sent, and doing it.
    case reading
    /// Going on with what was written, behind the last piece that is known.
    case draining
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
    struct Hold {
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
    /// The kind of message that the piece at hand is done for; `nil` if it is for none that is
    /// known.
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

    mutating func note(_ work: TurnWork, _ host: RoomHost?, at now: UInt64) {
        let taken = now - min(last, now)
        last = now
        guard taken > longest else { return }
        longest = taken
        self.work = work
        self.host = host
        longestMessage = message
    }

    mutating func end(at now: UInt64) -> Hold? {
        guard let began else { return nil }
        self.began = nil
        return Hold(
            microseconds: now - min(began, now), work: work, room: host?.name,
            message: longestMessage)
    }
}
