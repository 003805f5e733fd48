import Synchronization

/// Counts the use of a resource that has a limit: bytes of memory, open rooms, places in a queue.
///
/// Accounts form trees. The root is the **pot**. Below it are the accounts of its **holders**:
/// users and addresses, and below each of these its connections. What is counted in an account is
/// counted in all accounts above it, too. Each use has a ``Charge``; releasing the charge returns
/// what it counted.
///
/// # The rule of shares
/// A holder may use α times as much as is free in the pot (``Share``). Within a holder, a
/// connection may use α times as much as is free for the holder. So whatever some holders do,
/// something is left for a holder that has little. With α = 8 a single holder gets 8/9 of the pot;
/// two greedy ones get 8/17 each, and 1/17 is left. With α = 1 a single holder gets half. A
/// connection leaves something for the others of its holder, too. A single one gets a third of the
/// places: its holder must have as many free as it uses. It gets 64/73 of the bytes: its holder
/// must have an eighth of these free.
///
/// A request for n units is decided as if n − 1 of them were used already. So a large request gets
/// no more and no less than the same units one by one.
///
/// Invariants:
/// 1. An account counts the sum of its charges and of the accounts below it. A pot may count less,
///    see ``Charge/isPart`` and ``Tally``.
/// 2. When an account is freed, its count is 0.
///
/// # Performance
/// A change costs an atomic addition for each account up to the pot. Charges that change often have
/// a ``Tally``, so that loops do not contend for the pot.
package final class Account: Sendable {
    private let most: Atomic<Int>
    private let parent: Account?
    private let share: Share?
    private let figures: MemoryFigures.Table?
    private let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - parent: the account that this one draws from; a pot has none.
    ///   - share: how much it may use of what is free there; `nil` if only the limits count.
    package init(limit: Int = .max, in parent: Account? = nil, share: Share? = nil) {
        most = Atomic(limit)
        self.parent = parent
        self.share = share
        figures = nil
    }

    /// Makes the pot of a server's memory.
    package init(memoryLimit limit: Int) {
        most = Atomic(limit)
        parent = nil
        share = nil
        figures = MemoryFigures.Table()
    }

    deinit {
        let rest = count.load(ordering: .relaxed)
        assert(rest == 0, "\(rest) were not released")
    }

    /// The most that may be used. What is used already stays if the limit is lowered; but nothing
    /// more fits then.
    package var limit: Int {
        get { most.load(ordering: .relaxed) }
        set { most.store(newValue, ordering: .relaxed) }
    }

    /// How much is used. It is at least 0, although a pot may count a release before a ``Tally``
    /// adds what was released.
    package var used: Int { max(0, count.load(ordering: .relaxed)) }

    /// Whether more is used than the limit. ``Charge/change(to:)`` counts beyond it.
    package var isOverLimit: Bool { used > limit }

    /// Whether so much more may be used.
    ///
    /// - Parameter released: how much of what is nobody's part, so that only the pot counts it,
    ///   would be released before.
    package func fits(_ more: Int, withoutUnowned released: Int = 0) -> Bool {
        more <= 0 || free(beyond: more - 1, withoutUnowned: released) > 0
    }

    /// Whether so much may be used if nothing else is.
    package func couldFit(_ count: Int) -> Bool {
        count <= 0 || free(beyond: count - 1, isUnused: true) > 0
    }

    /// How much would be free if so much more were used.
    ///
    /// - Parameter isUnused: whether nothing else is used.
    private func free(
        beyond more: Int, withoutUnowned released: Int = 0, isUnused: Bool = false
    ) -> Int {
        let used = isUnused ? 0 : parent == nil ? max(0, used - released) : used
        let total = more > Int.max - used ? Int.max : used + more
        let limit = limit
        let own = limit - min(total, limit)
        guard let parent else { return own }
        let free = parent.free(beyond: more, withoutUnowned: released, isUnused: isUnused)
        return min(own, share.map { max(0, $0.allowance(ofFree: free) - total) } ?? free)
    }

    /// Whether its own limit and those of the accounts above it are kept.
    fileprivate var isWithinLimits: Bool {
        used <= limit && parent?.isWithinLimits ?? true
    }

    /// The server's memory in use, by kind. Only in the pot of memory.
    package var memory: MemoryFigures { figures?.current ?? MemoryFigures() }

    /// Reserves something before it is made.
    ///
    /// - Parameters:
    ///   - kind: what memory is counted as.
    ///   - spare: how much has to be left free.
    /// - Returns: a charge for it; `nil` if there is not enough.
    package func reserve(
        _ count: Int, as kind: MemoryKind? = nil, leaving spare: Int = 0, on tally: Tally? = nil
    ) -> Charge? {
        tally?.settle()
        let (needed, overflows) = count.addingReportingOverflow(spare)
        guard !overflows, fits(needed) else { return nil }
        let charge = Charge(in: self, as: kind)
        charge.change(to: count)
        // Another loop may have reserved the same at this moment.
        return isWithinLimits ? charge : nil
    }

    /// Counts a change here and above, up to the pot.
    func add(_ change: Int, as kind: MemoryKind?, isPart: Bool, on tally: Tally?) {
        if let parent {
            let used = count.add(change, ordering: .relaxed).newValue
            assert(used >= 0, "something was released twice")
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

/// How many times as much as is free in a pot a holder may use.
package enum Share: Sendable {
    /// Of bytes: 8 times.
    case ofBytes
    /// Of places: as much. There are few, and others need some soon.
    case ofPlaces
    /// Of a user's bytes or places, for the user's guests: so much that they have half of what the
    /// user alone would have. A user with the share α of a pot P alone has αP / (1 + α). When the
    /// guests have x = αP / 2(1 + α), the user has α(P − x) − x = αP / 2 free, which is (1 + α)x.
    case halfOfBytes
    case halfOfPlaces

    func allowance(ofFree free: Int) -> Int {
        switch self {
        case .ofBytes: free > Int.max / 8 ? Int.max : free * 8
        case .ofPlaces: free
        case .halfOfBytes: free / 9
        case .halfOfPlaces: free / 2
        }
    }
}

/// A use of an account's resource. It is charged before the thing is made, changes with the thing's
/// size, and ends when the charge is released.
///
/// Invariant: one thread at a time uses it. With a ``Tally`` that is the tally's loop. Any thread
/// may release it.
package final class Charge: @unchecked Sendable {
    // Sendable by the invariant.

    // Exclusivity checks are off here: they cost time with each write to a connection, and no two
    // accesses overlap.
    @exclusivity(unchecked) private var account: Account
    private let kind: MemoryKind?
    private let tally: Tally?
    /// Whether it counts only below the pot. So it is with a holder's part of a room: the room's
    /// own charge counts in the pot.
    private let isPart: Bool
    // The same holds here. It is private, so other modules read it by ``count``.
    @exclusivity(unchecked) private var amount = 0

    /// Makes a charge of 0.
    ///
    /// - Parameters:
    ///   - kind: what memory is counted as.
    ///   - tally: collects small changes for the pot until the end of a turn.
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
        if amount != 0 { account.add(-amount, as: kind, isPart: isPart, on: nil) }
    }

    /// How much it is.
    package var count: Int { amount }

    /// Sets how much it is, even beyond the limit.
    @inline(__always)
    package func change(to count: Int) {
        if count == amount { return }
        account.add(count - amount, as: kind, isPart: isPart, on: tally)
        amount = count
    }

    /// Sets how much it is, if that is allowed. Less is always allowed.
    ///
    /// - Parameter spare: how much has to be left free.
    /// - Returns: `false` if there is not enough; then nothing has changed.
    package func reserve(_ count: Int, leaving spare: Int = 0) -> Bool {
        let former = amount
        guard count <= former || account.fits(count - former + spare) else { return false }
        change(to: count)
        // Another loop may have reserved the same at this moment.
        if count <= former || account.isWithinLimits { return true }
        change(to: former)
        return false
    }

    /// Moves it to another account of the same pot.
    package func move(to other: Account) {
        if other === account { return }
        account.add(-amount, as: kind, isPart: isPart, on: tally)
        account = other
        account.add(amount, as: kind, isPart: isPart, on: tally)
    }
}

/// The changes of a loop's charges that the server's pot of memory does not have yet. Each loop
/// adds them once a turn. So the pot lags behind by up to a turn of each loop.
package final class Tally {
    private let pot: Account
    @exclusivity(unchecked) private var change = MemoryFigures()
    @exclusivity(unchecked) private var hasChanged = false

    /// The pot gets larger changes at once.
    static let largestChange: UInt = 64 << 10

    /// - Parameter pot: the server's memory.
    package init(of pot: Account) {
        self.pot = pot
    }

    deinit {
        settle()
    }

    /// Whether the pot has all changes.
    package var isSettled: Bool { !hasChanged }

    func add(_ change: Int, as kind: MemoryKind?) {
        guard let kind else { return pot.add(change, MemoryFigures()) }
        self.change[kind] += change
        hasChanged = true
    }

    /// Adds the changes to the pot.
    package func settle() {
        guard hasChanged else { return }
        pot.add(change.total, change)
        change = MemoryFigures()
        hasChanged = false
    }
}

/// What memory is used for.
package enum MemoryKind: Int, Sendable, CaseIterable {
    /// Connections: incomplete frames, queued input, and output.
    case connections
    /// Rooms' work in progress: queued transactions, records and answers that wait for the log, and
    /// the chunks that members are being sent.
    case queues
    /// Rooms, also while they are opened: items and sections, what they remember of the past, and
    /// authors.
    case rooms
    /// Layouts, the screens of connections' views, and updates of views that are not read yet.
    case views
    /// Presence and drags.
    case presence
    /// Snapshots on their way to the store.
    case store
    /// Answers to requests that are not sent yet, and rooms that are replayed for them.
    case reads
}

/// Bytes in use, by kind.
package struct MemoryFigures: Sendable, Equatable, CustomStringConvertible {
    private var bytes = SIMD8<Int>.zero

    package init() {}

    package subscript(kind: MemoryKind) -> Int {
        get { bytes[kind.rawValue] }
        set { bytes[kind.rawValue] = newValue }
    }

    /// All of them.
    package var total: Int { bytes.wrappedSum() }

    /// Names and bytes of the kinds in use.
    package var description: String {
        MemoryKind.allCases.filter { self[$0] != 0 }.map { "\($0) \(self[$0])" }
            .joined(separator: ", ")
    }

    package static func += (left: inout MemoryFigures, right: MemoryFigures) {
        left.bytes &+= right.bytes
    }

    /// A server's figures, to which its loops add.
    final class Table: Sendable {
        private let figures = Mutex(MemoryFigures())

        var current: MemoryFigures { figures.withLock { $0 } }

        func add(_ change: MemoryFigures) {
            figures.withLock { $0 += change }
        }
    }
}
