import SyncModel
import SyncWire

/// The kinds of work in a loop's turn that may delay others.
enum TurnWork: String {
    case accepting
    /// Reading a connection's input, and handling it.
    case reading
    /// Handling finished writes, after the last piece that was noted.
    case draining
    case closing
    /// Work that another thread has posted.
    case posted
    /// The action of a timer.
    case timing
    case applying
    /// Doing a room's tasks, after its transactions.
    case asking
    case composing
    /// Sending answers to requests.
    case answering
    case writing
}

/// Measures how long a turn blocks its loop, and which work took longest.
///
/// It reads the clock between the pieces of work; a piece ends where the next one begins.
struct Watchdog {
    struct Hold {
        var microseconds: UInt64
        /// The work that took longest, and its room.
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
    /// The kind of message that the current piece is done for; `nil` if it is not known.
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
