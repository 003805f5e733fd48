import Synchronization

/// What is held of something that has a limit: bytes of memory, rooms that are open, places in a
/// line.
///
/// Accounts form trees. The root is the **pot** that all draw from. Below it stand its **holders**:
/// users or addresses, and below an address its connections. What is counted in an account counts
/// in those above it, too. Whoever holds something has a ``Charge`` for it, and gives it back by
/// letting go of that.
///
/// # The rule of shares
/// A holder may have α times as much as is free in the pot (``Share``), and within an address a
/// connection α times as much as is free for that. So whatever some holders do, something is left
/// for one who has little: with α = 8 a holder alone gets 8/9 of the pot, two greedy ones get 8/17
/// each, and 1/17 is left. With α = 1 a holder alone gets half. A connection leaves something for
/// the others of its address, too: alone it gets a third of the places and 64/73 of the bytes, for
/// its address must have as much free as it, or an eighth.
///
/// What is free is looked at as if all but the last one of what is asked for were held: so much at
/// once is no more and no less than the same one by one.
///
/// Invariants:
/// 1. An account holds the sum of its charges and of the accounts below it. ``Charge/isPart`` and
///    ``Tally`` tell where a pot has less.
/// 2. When an account goes, nothing is held in it.
///
/// # Performance
/// A change costs an atomic addition for each account on the way up. What changes often has a
/// ``Tally``, so that loops do not disturb each other.
package final class Account: Sendable {
    /// The most that may be held.
    package let limit: Int
    private let parent: Account?
    private let share: Share?
    private let figures: MemoryFigures.Table?
    private let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - parent: the account that this one draws from; a pot has none.
    ///   - share: how much it may have of what is free there; `nil` if only its own limit counts.
    package init(limit: Int = .max, in parent: Account? = nil, share: Share? = nil) {
        self.limit = limit
        self.parent = parent
        self.share = share
        figures = nil
    }

    /// A server's memory.
    package init(memoryLimit limit: Int) {
        self.limit = limit
        parent = nil
        share = nil
        figures = MemoryFigures.Table()
    }

    deinit {
        let rest = count.load(ordering: .relaxed)
        assert(rest == 0, "\(rest) were not given back")
    }

    /// How much is held, as far as a pot was told: what is let go of may be told before a ``Tally``
    /// tells that it was there.
    package var held: Int { max(0, count.load(ordering: .relaxed)) }

    /// Whether more is held than may be, which is counted all the same.
    package var isOverLimit: Bool { held > limit }

    /// Whether so much more may be held.
    package func fits(_ more: Int) -> Bool {
        more <= 0 || free(beyond: more - 1) > 0
    }

    /// How much is free of it if so much more is held.
    private func free(beyond more: Int) -> Int {
        let held = held
        let total = more > Int.max - held ? Int.max : held + more
        let own = limit - min(total, limit)
        guard let parent else { return own }
        let free = parent.free(beyond: more)
        return min(own, share.map { max(0, $0.allowance(ofFree: free) - total) } ?? free)
    }

    /// Whether the limits of it and of those above it are kept.
    private var isWithinLimits: Bool {
        held <= limit && parent?.isWithinLimits ?? true
    }

    /// How much is held of a server's memory, by what it is held for.
    package var memory: MemoryFigures { figures?.current ?? MemoryFigures() }

    /// Sets something aside, before it is made.
    ///
    /// - Parameters:
    ///   - kind: what memory is counted as.
    ///   - spare: so much has to be left.
    /// - Returns: what has it until it is let go; `nil` if there is not so much.
    package func reserve(
        _ count: Int, as kind: MemoryKind? = nil, leaving spare: Int = 0, on tally: Tally? = nil
    ) -> Charge? {
        tally?.settle()
        let (needed, overflows) = count.addingReportingOverflow(spare)
        guard !overflows, fits(needed) else { return nil }
        let charge = Charge(in: self, as: kind)
        charge.change(to: count)
        // Two loops may have found it free at once.
        return isWithinLimits ? charge : nil
    }

    /// Counts a change here and above, up to the pot.
    func add(_ change: Int, as kind: MemoryKind?, isPart: Bool, on tally: Tally?) {
        if let parent {
            let held = count.add(change, ordering: .relaxed).newValue
            assert(held >= 0, "something was given back twice")
            return parent.add(change, as: kind, isPart: isPart, on: tally)
        }
        if isPart { return }
        if let tally, change.magnitude <= Tally.largestChange {
            tally.add(change, as: kind)
        } else {
            var figures = MemoryFigures()
            if let kind { figures[kind] = change }
            add(change, figures)
        }
    }

    /// Counts a change of a pot.
    func add(_ change: Int, _ kinds: MemoryFigures) {
        count.add(change, ordering: .relaxed)
        figures?.add(kinds)
    }
}

/// How much of what is free a holder may have of a pot.
package enum Share: Int, Sendable {
    /// Of bytes.
    case ofBytes = 8
    /// Of places, of which there are few: others come soon.
    case ofPlaces = 1

    fileprivate func allowance(ofFree free: Int) -> Int {
        free > Int.max / rawValue ? Int.max : free * rawValue
    }
}

/// What somebody holds, in an account. It is charged before it is made, changed as it becomes more
/// or less, and given back once, with the charge.
///
/// Invariant: one thread at a time uses it. On a ``Tally`` that is the tally's loop; any thread may
/// let go of it.
package final class Charge: @unchecked Sendable {
    // Sendable by the invariant.

    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each write to a connection.
    @exclusivity(unchecked) private var account: Account
    private let kind: MemoryKind?
    private let tally: Tally?
    /// Whether the pot has it from somebody else: then it counts only below the pot. So it is with
    /// a holder's part of a room, which the room itself is charged for.
    private let isPart: Bool
    // Nor is this one, which other modules therefore read through a call.
    @exclusivity(unchecked) private var held = 0

    /// Begins with nothing.
    ///
    /// - Parameters:
    ///   - kind: what memory is counted as.
    ///   - tally: counts small changes for the pot until the end of a turn.
    package init(
        in account: Account, as kind: MemoryKind? = nil, isPart: Bool = false,
        on tally: Tally? = nil
    ) {
        self.account = account
        self.kind = kind
        self.isPart = isPart
        self.tally = tally
    }

    deinit {
        if held != 0 { account.add(-held, as: kind, isPart: isPart, on: nil) }
    }

    /// How much it is.
    package var count: Int { held }

    /// Counts what there is now, whether that may be or not.
    @inline(__always)
    package func change(to count: Int) {
        if count == held { return }
        account.add(count - held, as: kind, isPart: isPart, on: tally)
        held = count
    }

    /// Takes more, or gives some back.
    ///
    /// - Returns: `false` if there is not so much; then nothing has changed.
    package func reserve(_ count: Int) -> Bool {
        guard count <= held || account.fits(count - held) else { return false }
        change(to: count)
        return true
    }

    /// Has another holder in the same pot pay for it.
    package func move(to other: Account) {
        if other === account { return }
        account.add(-held, as: kind, isPart: isPart, on: tally)
        account = other
        account.add(held, as: kind, isPart: isPart, on: tally)
    }
}

/// By how much the charges of a loop have changed since it last told the server's pot of memory:
/// loops count by themselves, and settle once a turn. So the pot is behind by a turn of each loop.
package final class Tally {
    private let pot: Account
    @exclusivity(unchecked) private var change = MemoryFigures()
    @exclusivity(unchecked) private var hasChanged = false

    /// What is more is told at once.
    static let largestChange: UInt = 64 << 10

    /// - Parameter pot: the server's memory.
    package init(of pot: Account) {
        self.pot = pot
    }

    deinit {
        settle()
    }

    /// Whether there is nothing to settle.
    package var isSettled: Bool { !hasChanged }

    func add(_ change: Int, as kind: MemoryKind?) {
        guard let kind else { return pot.add(change, MemoryFigures()) }
        self.change[kind] += change
        hasChanged = true
    }

    /// Tells the pot.
    package func settle() {
        guard hasChanged else { return }
        pot.add(change.total, change)
        change = MemoryFigures()
        hasChanged = false
    }
}

/// What memory is held for.
package enum MemoryKind: Int, Sendable, CaseIterable {
    /// What connections hold: frames that have not come whole, input that waits, and output.
    case connections
    /// What rooms have under way: transactions that wait to be applied, records and answers that
    /// wait for the log, and what members are being sent in parts.
    case queues
    /// Rooms, those that are being opened included: their items and sections, what they remember of
    /// the past, and their authors.
    case rooms
    /// Layouts, and for connections what is on the screens of their views and not read yet.
    case views
    /// What members show each other, and drag.
    case presence
    /// Snapshots on their way to the store.
    case store
    /// Answers to requests that were not taken yet, and rooms replayed for them.
    case reads
}

/// How many bytes are held, by what they are held for.
package struct MemoryFigures: Sendable, Equatable, CustomStringConvertible {
    private var bytes = SIMD8<Int>.zero

    package init() {}

    package subscript(kind: MemoryKind) -> Int {
        get { bytes[kind.rawValue] }
        set { bytes[kind.rawValue] = newValue }
    }

    /// All of them.
    package var total: Int { bytes.wrappedSum() }

    /// Names and bytes, without those of which nothing is held.
    package var description: String {
        MemoryKind.allCases.filter { self[$0] != 0 }.map { "\($0) \(self[$0])" }
            .joined(separator: ", ")
    }

    package static func += (left: inout MemoryFigures, right: MemoryFigures) {
        left.bytes &+= right.bytes
    }

    /// The figures of a server, which its loops tell.
    final class Table: Sendable {
        private let figures = Mutex(MemoryFigures())

        var current: MemoryFigures { figures.withLock { $0 } }

        func add(_ change: MemoryFigures) {
            figures.withLock { $0 += change }
        }
    }
}
