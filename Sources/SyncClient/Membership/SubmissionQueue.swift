import SyncBytes
import SyncModel

/// A client's transactions in a room until they are answered.
///
/// It owns three lists: transactions that wait to be sent, those that are in flight, and those that
/// the server could not take (`unavailable`).
///
/// Invariants:
/// 1. Each list has its transactions in the order in which they were queued, and they are always
///    sent in that order.
/// 2. While there are refused ones nothing is sent, so that no later one overtakes them. Once none
///    is in flight, they are resent under their numbers.
/// 3. After a lost connection all that were in flight are resent: a server answers a transaction
///    that it knows already and does not apply it twice.
struct SubmissionQueue {
    private var waiting = Fifo<Submission>()
    private var sent = Fifo<Submission>()
    private var refused: [Submission] = []
    /// How long the server asks to wait before the refused ones are resent.
    private var waitMilliseconds: UInt64 = 0
    /// Whether the delay before that has begun.
    private var isDelaying = false

    /// Bytes of those in flight.
    private(set) var sentBytes = 0
    /// How many unanswered ones were resent, or will be.
    private(set) var repeatedCount = 0

    /// Bytes that may be in flight at once, however few the transactions.
    static let maximumSentBytes = 32 << 20
    /// It waits no longer than this before it asks again, whatever the server says.
    static let longestWaitMilliseconds: UInt64 = 60_000

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty && refused.isEmpty }

    /// Whether the refused ones may be resent: there are some, and none is in flight.
    var awaitsRetry: Bool { !refused.isEmpty && sent.isEmpty }

    /// The number of the first one that is not in flight.
    var firstUnsent: UInt64? { refused.first?.counter ?? waiting.first?.counter }

    mutating func append(_ submission: Submission) {
        waiting.append(submission)
    }

    /// Takes the next one to send; ``didSend(_:bytes:)`` says when it is sent.
    ///
    /// - Parameter limit: how many may be in flight.
    mutating func takeNext(limit: Int) -> Submission? {
        guard refused.isEmpty, sent.count < max(limit, 1),
            sentBytes < SubmissionQueue.maximumSentBytes
        else { return nil }
        return waiting.popFirst()
    }

    mutating func didSend(_ submission: Submission, bytes: Int) {
        var submission = submission
        submission.bytes = bytes
        sentBytes += bytes
        sent.append(submission)
    }

    /// Removes the one that is answered; `nil` if there is none of that number. One that waits to
    /// be resent may be answered, too.
    ///
    /// - Parameter sentCounter: the greatest number that was ever sent.
    mutating func takeAnswered(_ counter: UInt64, sentThrough sentCounter: UInt64) -> Submission? {
        if var submission = sent.removeFirst(where: { $0.counter == counter }) {
            sentBytes -= submission.bytes
            didSettle(&submission)
            return submission
        }
        guard counter <= sentCounter,
            var submission = waiting.removeFirst(where: { $0.counter == counter })
        else { return nil }
        didSettle(&submission)
        return submission
    }

    /// Notes that the server has none of those up to a number, or answers them before it shows
    /// them. So they no longer count as repeated.
    mutating func didLearn(through counter: UInt64) {
        let (former, others) = (sent.removeAll(), waiting.removeAll())
        for submission in former { sent.append(settled(submission, through: counter)) }
        for submission in others { waiting.append(settled(submission, through: counter)) }
    }

    private mutating func settled(_ submission: Submission, through counter: UInt64) -> Submission {
        var submission = submission
        if submission.counter <= counter { didSettle(&submission) }
        return submission
    }

    /// Keeps one that the server could not take. It may be on disk all the same, so it counts as
    /// repeated from now on.
    ///
    /// - Parameter wait: how long the server asks to wait before it is resent.
    mutating func keepRefused(_ submission: Submission, forMilliseconds wait: UInt32 = 0) {
        waitMilliseconds = max(
            waitMilliseconds, min(UInt64(wait), SubmissionQueue.longestWaitMilliseconds))
        var submission = submission
        markRepeated(&submission)
        refused.append(submission)
    }

    /// Begins the delay before the refused ones are resent; `nil` if it has begun.
    mutating func beginRetry() -> UInt64? {
        if isDelaying { return nil }
        isDelaying = true
        defer { waitMilliseconds = 0 }
        return waitMilliseconds
    }

    /// Ends the delay. Returns whether there are refused ones to resend.
    mutating func endRetry() -> Bool {
        isDelaying = false
        return awaitsRetry
    }

    /// Queues the refused ones again, before all others.
    mutating func retryRefused() {
        putInFront(refused)
        refused = []
    }

    /// Notes that the connection is lost, or that a join was refused with all that was sent after
    /// it. What was in flight is queued again.
    ///
    /// - Parameter counter: those above it have certainly not reached the room.
    mutating func didLoseConnection(cameThrough counter: UInt64 = .max) {
        var again = refused
        for var submission in sent.removeAll() {
            if submission.counter <= counter { markRepeated(&submission) }
            again.append(submission)
        }
        again.sort { $0.counter < $1.counter }
        refused = []
        sentBytes = 0
        putInFront(again)
    }

    /// Removes the transactions that were never sent, in order. Those with an origin of their own
    /// stay.
    mutating func removeForeign() -> [Submission] {
        let all = refused + waiting.removeAll()
        refused = []
        var foreign: [Submission] = []
        for var submission in all {
            if submission.origin != nil || submission.isRepeated {
                waiting.append(submission)
            } else {
                didSettle(&submission)
                foreign.append(submission)
            }
        }
        return foreign
    }

    /// Removes those that were sent, in order. None may be in flight.
    mutating func removeRepeated() -> [Submission] {
        let all = removeAll()
        for submission in all where !submission.isRepeated { waiting.append(submission) }
        return all.filter(\.isRepeated)
    }

    /// Removes all, in order.
    mutating func removeAll() -> [Submission] {
        let all = (refused + sent.removeAll() + waiting.removeAll())
        self = SubmissionQueue()
        return all
    }

    /// Notes that a transaction no longer counts as repeated, for instance since it is answered.
    mutating func didSettle(_ submission: inout Submission) {
        if submission.isRepeated { repeatedCount -= 1 }
        submission.isRepeated = false
    }

    private mutating func markRepeated(_ submission: inout Submission) {
        if !submission.isRepeated { repeatedCount += 1 }
        submission.isRepeated = true
    }

    private mutating func putInFront(_ submissions: [Submission]) {
        guard !submissions.isEmpty else { return }
        let behind = waiting.removeAll()
        for submission in submissions + behind { waiting.append(submission) }
    }
}
