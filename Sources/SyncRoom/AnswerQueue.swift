import SyncModel

/// What a member is told about a transaction, now or when the log has it.
package struct RoomAnswer: Sendable {
    /// `nil` if it has left.
    package var member: ConnectionID?
    /// Which of the connection's memberships it is.
    var membership: UInt32
    /// The record that the answer waits for.
    var sequence: UInt64
    /// The room's revision behind the transaction, where its answer waits.
    var revision: Revision
    package var result: Authors.Result

    package var counter: UInt64 { result.counter }
    package var outcome: Outcome { result.outcome }
}

/// The answers of a room, from when a transaction is applied until its answer leaves.
///
/// An answer to a transaction waits until the log has the record that the transaction is in. Other
/// answers wait for nothing themselves, but follow the answers that their member waits for: they
/// are *asides*, kept in a list of their own and merged in when what they follow is released.
///
/// Invariants:
/// 1. `pending` is in the order of the log, so its revisions only grow.
/// 2. A member's answers are released in the order of its questions.
/// 3. Nothing here is looked for by a walk through all that waits.
///
/// # Performance
/// Everything is O(1) amortized for an answer, but for k asides that are released together: O(k log
/// k), and for a transaction that comes again: O(log n) in n that wait. ``stepsTaken`` counts.
struct AnswerQueue: ~Copyable {
    typealias Answer = RoomAnswer

    /// The place of an answer in `pending`, counted since the room was made; 0 is no place.
    typealias Ordinal = UInt64

    private struct Aside {
        /// Which answer it follows.
        let after: Ordinal
        let answer: Answer
    }

    /// A membership that ended before all its answers were released.
    private struct Departure {
        let membership: UInt32
        /// The end of `pending` at that time.
        let end: Ordinal
    }

    /// Who sent a transaction again whose answer was waiting for the log.
    private var absorbed: [(member: ConnectionID, membership: UInt32)] = []
    /// Answers that wait for the log.
    private var pending: [Answer] = []
    /// The ordinal of the first one.
    private var start: Ordinal = 1
    private var asides: [Aside] = []
    /// Oldest first.
    private var departures: [Departure] = []
    private var departed: Set<UInt32> = []
    /// Answers that may leave, and how many of them have left.
    private var released: [Answer] = []
    private var releasedStart = 0
    /// Memberships that ended since those before were taken.
    private var departedFromReleased: Set<UInt32> = []
    /// How many answers were looked at or moved, each time counted.
    private(set) var stepsTaken = 0

    /// The memory of so many answers is kept for others.
    private static let keptAnswers = 1 << 14

    /// The memory that it takes, but for what refusals say.
    var byteCount: Int {
        (pending.count + asides.count + released.count) * MemoryLayout<Aside>.stride
    }

    var isEmpty: Bool { pending.isEmpty }

    private var end: Ordinal { start + UInt64(pending.count) }

    /// Notes that a member has sent a transaction again whose answer waits for the log: it gets no
    /// answer of its own.
    mutating func absorb(_ member: Member) {
        absorbed.append((member.id, member.number))
    }

    mutating func takeAbsorbed() -> [(member: ConnectionID, membership: UInt32)] {
        if absorbed.isEmpty { return [] }
        defer { absorbed = [] }
        return absorbed
    }

    /// Adds the answer to a member's transaction, which the log is to keep.
    @inline(__always)
    mutating func append(_ answer: Answer, of member: Member) {
        member.lastPending = end
        pending.append(answer)
    }

    /// Adds an answer that the log need not keep, behind all that its member waits for.
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
    /// - Returns: `false` if its answer waits for the log and will go to the member anyway.
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
            // Its place is before answers to what the member asked earlier.
            pending[index].member = nil
        }
        add(result, for: member, durableSequence: durableSequence)
        return true
    }

    /// Where the answer to a commit waits; `nil` if it is durable.
    private mutating func place(of commit: Authors.Result) -> Int? {
        var low = 0
        var high = pending.count
        while low < high {
            stepsTaken += 1
            let middle = (low + high) / 2
            let isBefore = pending[middle].revision < commit.revision
            if isBefore { low = middle + 1 } else { high = middle }
        }
        // What was refused behind it has the same revision.
        return low < pending.count && pending[low].result.revision == commit.revision ? low : nil
    }

    /// Notes that a membership ends: its answers go to nobody, those that may leave included. What
    /// its connection is told next may be of another client.
    mutating func leave(_ member: Member) {
        if !released.isEmpty { departedFromReleased.insert(member.number) }
        guard member.lastPending >= start else { return }
        departures.append(Departure(membership: member.number, end: end))
        departed.insert(member.number)
    }

    // MARK: Release

    /// Releases what waits for the records up to one.
    mutating func release(through sequence: UInt64) {
        let count = pending.firstIndex { $0.sequence > sequence } ?? pending.count
        release(count)
    }

    /// Adds an answer that waits for nothing, not even for others of its member.
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
        released.removeAll(keepingCapacity: released.count <= AnswerQueue.keptAnswers)
    }
}
