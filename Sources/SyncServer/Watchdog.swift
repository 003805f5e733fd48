import SyncCounts
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

/// Measures how long a turn blocks its loop, and which work took longest. It counts the turns.
///
/// It reads the clock between the pieces of work; a piece ends where the next one begins.
struct Watchdog {
    /// A piece of work.
    struct Piece {
        var work = TurnWork.reading
        /// The room that it was done for.
        var room: RoomHandle?
        /// The kind of message that it was done for; of the last one, if there were several.
        var message: StaticString?
    }

    /// What the loop counts.
    let counts = LoopCounts()
    /// When the turn began; `nil` between turns.
    private var began: UInt64?
    /// When the last piece ended, or the turn began.
    private(set) var last: UInt64 = 0
    private var longest: UInt64 = 0
    /// The piece that took longest.
    private(set) var longestPiece = Piece()
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
        longestPiece = Piece()
        message = nil
    }

    /// Ends a piece of work.
    ///
    /// - Returns: how long it took, in microseconds.
    mutating func note(_ work: TurnWork, _ host: RoomHost?, at now: UInt64) -> Int {
        let taken = now - min(last, now)
        last = now
        if taken > longest {
            longest = taken
            longestPiece = Piece(work: work, room: host?.handle, message: message)
        }
        return Int(clamping: taken)
    }

    /// How long the turn took until the last piece of work ended, in microseconds.
    @inline(__always)
    var turnMicroseconds: Int {
        guard let began else { return 0 }
        return Int(clamping: last - min(began, last))
    }

    /// Ends the turn.
    ///
    /// - Returns: how long it took, in microseconds; `nil` if none has begun.
    mutating func end(at now: UInt64) -> Int? {
        guard let began else { return nil }
        self.began = nil
        let taken = Int(clamping: now - min(began, now))
        counts.turns.times.observe(taken)
        counts.turns.longest.raise(to: taken)
        return taken
    }
}
