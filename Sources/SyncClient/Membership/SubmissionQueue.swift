import SyncBytes
import SyncModel

/// A client's transactions in a room until they are answered.
///
/// It owns three lists: those that wait to be sent, those that were sent, and those that the server
/// could not take now (`unavailable`).
///
/// Invariants:
/// 1. Each list is in the order in which its transactions were given, and they are always sent in
///    that order.
/// 2. While some could not be taken nothing is sent, so that no later one overtakes them; when all
///    that were sent are answered, they are sent again under their numbers.
/// 3. After a lost connection all that were sent are sent again: a server answers what it knows
///    already and does not apply it twice.
struct SubmissionQueue {
    private var waiting = Fifo<Submission>()
    private var sent = Fifo<Submission>()
    private var refused: [Submission] = []

    /// Bytes of those that were sent.
    private(set) var sentBytes = 0
    /// How many were repeated, or will be, and are not answered yet.
    private(set) var repeatedCount = 0

    /// Bytes that may be on their way at once, however few the transactions.
    static let maximumSentBytes = 32 << 20

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty && refused.isEmpty }

    /// Whether the refused ones may be tried again: there are some, and no answer is to come.
    var awaitsRetry: Bool { !refused.isEmpty && sent.isEmpty }

    /// The number of the first one that is not on its way.
    var firstUnsent: UInt64? { refused.first?.counter ?? waiting.first?.counter }

    mutating func append(_ submission: Submission) {
        waiting.append(submission)
    }

    /// Takes the next one to send; ``didSend(_:bytes:)`` says when it is sent.
    ///
    /// - Parameter limit: how many may be on their way.
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

    /// Takes out the one that is answered; nothing if there is none of that number. One that waits
    /// to be sent again may be answered, too.
    ///
    /// - Parameter sentCounter: the greatest that was ever sent.
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

    /// Takes note that the server has nothing of those up to a number, or will answer before it
    /// shows that.
    mutating func didHear(through counter: UInt64) {
        let (former, others) = (sent.removeAll(), waiting.removeAll())
        for submission in former { sent.append(heard(submission, through: counter)) }
        for submission in others { waiting.append(heard(submission, through: counter)) }
    }

    private mutating func heard(_ submission: Submission, through counter: UInt64) -> Submission {
        var submission = submission
        if submission.counter <= counter { didSettle(&submission) }
        return submission
    }

    /// Keeps one that the server could not take now. It may be on disk all the same, so it counts
    /// as repeated from here on.
    mutating func keepRefused(_ submission: Submission) {
        var submission = submission
        markRepeated(&submission)
        refused.append(submission)
    }

    /// Lets the refused ones be sent again, before all others.
    mutating func retryRefused() {
        putInFront(refused)
        refused = []
    }

    /// Takes note that the connection is lost, or that a join was refused with all that was sent
    /// behind it: what was sent will be sent again.
    ///
    /// - Parameter counter: those above it have not come to the room, as is known.
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

    /// Takes out, of those that are not on their way, those that were never sent, in order, or all
    /// of them; but for those that say what they were made for.
    mutating func removeForeign(evenIfSent: Bool) -> [Submission] {
        let all = refused + waiting.removeAll()
        refused = []
        var foreign: [Submission] = []
        for var submission in all {
            if submission.origin != nil || (submission.isRepeated && !evenIfSent) {
                waiting.append(submission)
            } else {
                didSettle(&submission)
                foreign.append(submission)
            }
        }
        return foreign
    }

    /// Takes out those that were sent, in order. Only when none is on its way.
    mutating func removeRepeated() -> [Submission] {
        let all = removeAll()
        for submission in all where !submission.isRepeated { waiting.append(submission) }
        return all.filter(\.isRepeated)
    }

    /// Takes out all, in order.
    mutating func removeAll() -> [Submission] {
        let all = (refused + sent.removeAll() + waiting.removeAll())
        self = SubmissionQueue()
        return all
    }

    /// Takes note that one of the repeated was answered, or will not be.
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
