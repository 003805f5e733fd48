import SyncModel

/// The answer to a transaction. It leaves at once, or when the log has its record.
package struct RoomAnswer: Sendable {
    /// The receiver; `nil` if it has left.
    package var member: ConnectionID?
    /// The number of the receiver's membership.
    var membership: UInt32
    /// The record that the answer waits for.
    var sequence: UInt64
    /// The room's revision after the transaction. It is only used while the answer waits for the
    /// log.
    var revision: Revision
    package var result: Authors.Result

    package var counter: UInt64 { result.counter }
    package var outcome: Outcome { result.outcome }
}

/// The answers of a room, from when a transaction is applied until its answer leaves.
///
/// The answer to a transaction waits until the log has the transaction's record. Other answers need
/// no record, but they follow the pending answers of their member. These are *asides*: they are in
/// a list of their own, and are merged in when the answers that they follow are released.
///
/// Invariants:
/// 1. `pending` is in the order of the log, so its revisions only grow.
/// 2. A member's answers are released in the order of its transactions.
/// 3. No search walks through all pending answers.
///
/// # Performance
/// An answer takes O(1) amortized. There are two exceptions: k asides that are released together
/// take O(k log k), and a repeated transaction takes O(log n) with n pending answers.
/// ``stepsTaken`` counts them.
struct AnswerQueue: ~Copyable {
    typealias Answer = RoomAnswer

    /// The number of a pending answer, counted from 1 since the room was made; 0 is none.
    typealias Ordinal = UInt64

    private struct Aside {
        /// The pending answer that it follows.
        let after: Ordinal
        let answer: Answer
    }

    /// A membership that ended while some of its answers were pending.
    private struct Departure {
        let membership: UInt32
        /// The end of `pending` at that time.
        let end: Ordinal
    }

    /// The sender of each absorbed transaction: one that came again while its answer was pending.
    private var absorbed: [(member: ConnectionID, membership: UInt32)] = []
    /// Answers that wait for the log.
    private var pending: [Answer] = []
    /// The ordinal of the first pending answer.
    private var start: Ordinal = 1
    private var asides: [Aside] = []
    /// Oldest first.
    private var departures: [Departure] = []
    private var departed: Set<UInt32> = []
    /// Released answers, and how many of them were taken.
    private var released: [Answer] = []
    private var releasedStart = 0
    /// Memberships that ended since released answers were last taken.
    private var departedFromReleased: Set<UInt32> = []
    /// How often an answer was visited or moved.
    private(set) var stepsTaken = 0

    /// The array keeps its memory when it had no more answers than these.
    private static let retainedCapacity = 1 << 14

    /// The memory that it takes, without the details of the outcomes.
    var byteCount: Int {
        (pending.count + asides.count + released.count) * MemoryLayout<Aside>.stride
    }

    var isEmpty: Bool { pending.isEmpty }

    private var end: Ordinal { start + UInt64(pending.count) }

    /// Records that a member has sent a transaction again while its answer is pending. It gets no
    /// second answer.
    mutating func absorb(_ member: Member) {
        absorbed.append((member.id, member.number))
    }

    mutating func takeAbsorbed() -> [(member: ConnectionID, membership: UInt32)] {
        if absorbed.isEmpty { return [] }
        defer { absorbed = [] }
        return absorbed
    }

    /// Adds an answer that waits for the log.
    @inline(__always)
    mutating func append(_ answer: Answer, of member: Member) {
        member.lastPending = end
        pending.append(answer)
    }

    /// Adds an answer that needs no record. It follows the pending answers of its member.
    mutating func add(_ result: Authors.Result, for member: Member, durableSequence: UInt64) {
        let answer = Answer(
            member: member.id, membership: member.number, sequence: durableSequence,
            revision: result.revision, result: result)
        if member.lastPending >= start {
            asides.append(Aside(after: member.lastPending, answer: answer))
        } else {
            released.append(answer)
        }
    }

    /// Answers a transaction that was committed before and came again.
    ///
    /// - Returns: `false` if its answer is pending and will go to the member anyway.
    mutating func answerAgain(
        _ result: Authors.Result, for member: Member, durableSequence: UInt64
    ) -> Bool {
        if let index = place(of: result) {
            if pending[index].member != nil, pending[index].membership == member.number {
                return false
            }
            let ordinal = start + UInt64(index)
            if ordinal > member.lastPending {
                pending[index].member = member.id
                pending[index].membership = member.number
                member.lastPending = ordinal
                return true
            }
            // There it would leave before answers to earlier transactions of this member.
            pending[index].member = nil
        }
        add(result, for: member, durableSequence: durableSequence)
        return true
    }

    /// The index of the pending answer to a commit; `nil` if the commit is durable.
    private mutating func place(of commit: Authors.Result) -> Int? {
        var low = 0
        var high = pending.count
        while low < high {
            stepsTaken += 1
            let middle = (low + high) / 2
            let isBefore = pending[middle].revision < commit.revision
            if isBefore { low = middle + 1 } else { high = middle }
        }
        // Refusals behind it have the same revision, but their results have none.
        return low < pending.count && pending[low].result.revision == commit.revision ? low : nil
    }

    /// Records that a membership has ended. Its answers go to nobody, even released ones, as
    /// another client may join on the same connection next.
    mutating func leave(_ member: Member) {
        if !released.isEmpty { departedFromReleased.insert(member.number) }
        guard member.lastPending >= start else { return }
        departures.append(Departure(membership: member.number, end: end))
        departed.insert(member.number)
    }

    // MARK: Release

    /// Releases the answers that wait for the records up to this one.
    mutating func release(through sequence: UInt64) {
        let count = pending.firstIndex { $0.sequence > sequence } ?? pending.count
        release(count)
    }

    /// Adds an answer that leaves at once, even before earlier answers of its member.
    mutating func release(_ answer: Answer) {
        released.append(answer)
    }

    /// Takes out the first that wait for the log, with what follows them, in order.
    mutating func removeFirst(atMost limit: Int) -> [Answer] {
        let before = released
        released = []
        release(min(limit, pending.count))
        let all = released
        released = before
        return all
    }

    private mutating func release(_ count: Int) {
        if count == 0 { return }
        stepsTaken += count
        if asides.isEmpty, departed.isEmpty, released.isEmpty, count == pending.count {
            // All at once, without copies.
            swap(&released, &pending)
        } else {
            merge(count)
            pending.removeFirst(count)
        }
        start += UInt64(count)
        if !departures.isEmpty { forgetDepartures() }
    }

    /// Releases the first answers, with the asides that follow them.
    private mutating func merge(_ count: Int) {
        let end = start + UInt64(count)
        var following = asides.enumerated().filter { $0.element.after < end }
        stepsTaken += asides.count + following.count
        following.sort { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }
        asides.removeAll { $0.after < end }
        var next = 0
        for index in 0..<count {
            add(toReleased: pending[index])
            let ordinal = start + UInt64(index)
            while next < following.count, following[next].element.after == ordinal {
                add(toReleased: following[next].element.answer)
                next += 1
            }
        }
    }

    private mutating func add(toReleased answer: Answer) {
        var answer = answer
        if departed.contains(answer.membership) { answer.member = nil }
        released.append(answer)
    }

    private mutating func forgetDepartures() {
        let count = departures.firstIndex { $0.end > start } ?? departures.count
        for departure in departures[..<count] { departed.remove(departure.membership) }
        departures.removeFirst(count)
    }

    private mutating func dropDeparted() {
        stepsTaken += released.count - releasedStart
        for index in released.indices.dropFirst(releasedStart)
        where departedFromReleased.contains(released[index].membership) {
            released[index].member = nil
        }
        departedFromReleased = []
    }

    /// Whether answers may leave that were not taken.
    var hasReleased: Bool { !released.isEmpty }

    /// Lends the answers that may leave, in order, and forgets them.
    ///
    /// - Parameter limit: how many at most; the others stay.
    mutating func takeReleased(atMost limit: Int, _ body: (ArraySlice<Answer>) -> Void) {
        if released.isEmpty { return }
        if !departedFromReleased.isEmpty { dropDeparted() }
        let some = released[releasedStart...].prefix(limit)
        let end = some.endIndex
        body(some)
        if end < released.count {
            releasedStart = end
            return
        }
        releasedStart = 0
        released.removeAll(keepingCapacity: released.count <= AnswerQueue.retainedCapacity)
    }
}
