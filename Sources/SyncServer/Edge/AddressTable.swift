import SyncIO
package import SyncRoom

/// The accounts of addresses, in a table of fixed size.
///
/// The table consists of sets. A keyed hash selects the set of an address, so nobody can choose
/// addresses that collide.
///
/// Invariants:
/// 1. An account is replaced only when it is as good as new (``AddressAccount/isUnused(at:)``). So
///    nobody can evict an account by using other addresses.
/// 2. If a set is full, all further addresses share one account, until that is as good as new. So
///    they are limited together, the memory is bounded, and no address has two accounts.
///
/// Cost: one lookup in a set for each new connection. Later the connection uses its account
/// directly.
package final class AddressTable: Sendable {
    /// How many accounts a set has.
    package static let setSize = 8

    fileprivate struct AddressSet {
        var accounts: [(address: NetworkAddress, account: AddressAccount)] = []
        /// The account of the addresses that find no place.
        var shared: AddressAccount?
    }

    private let sets: Monitor<[AddressSet]>
    private let setCount: Int
    private let hash: SipHash
    private let limits: AddressLimits
    private let pots: Pots

    /// - Parameter capacity: how many addresses have an account of their own at most.
    package init(
        _ limits: AddressLimits, hash: SipHash, in pots: Pots = Pots(), capacity: Int = 16_384
    ) {
        self.pots = pots
        self.limits = limits
        self.hash = hash
        setCount = max(1, capacity / AddressTable.setSize)
        sets = Monitor([AddressSet](repeating: AddressSet(), count: setCount))
    }

    /// The account of an address.
    package func account(of address: NetworkAddress, at now: UInt64) -> AddressAccount {
        let holder = address.holder
        let words = (holder.high, holder.low)
        let place = withUnsafeBytes(of: words) { Int(hash($0) % UInt64(setCount)) }
        return sets.withLock { sets in
            sets[place].account(of: holder, limits, pots, at: now)
        }
    }
}

extension AddressTable.AddressSet {
    fileprivate mutating func account(
        of holder: NetworkAddress, _ limits: AddressLimits, _ pots: Pots, at now: UInt64
    ) -> AddressAccount {
        if let known = accounts.first(where: { $0.address == holder }) { return known.account }
        // An address that uses the shared account must not get a second one.
        if let shared, !shared.isUnused(at: now) { return shared }
        if accounts.count < AddressTable.setSize {
            let account = AddressAccount(limits, in: pots)
            accounts.append((holder, account))
            return account
        }
        if let free = accounts.firstIndex(where: { $0.account.isUnused(at: now) }) {
            let account = AddressAccount(limits, in: pots)
            accounts[free] = (holder, account)
            return account
        }
        let account = shared ?? AddressAccount(limits, in: pots)
        shared = account
        return account
    }
}

/// An address's limits.
package struct AddressLimits: Sendable {
    package var connections = 256
    /// Rooms that its connections are in; one that is in two counts twice.
    package var rooms = 1000
    /// Rooms that are created for it.
    package var newRooms = Rate(perMinute: 10, burst: 100)
    /// Bytes that are read, or that they inflate to if those are more.
    package var bytes = Rate(perSecond: 8 << 20)
    /// Messages of any kind.
    package var messages = Rate(perSecond: 20_000)

    package init() {}
}

/// What one address uses. Its connections, on all loops, share it.
package final class AddressAccount: Sendable {
    private struct State {
        var newRooms = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
    }

    /// Its connections, and the rooms that they are in.
    package let connections: Account
    package let rooms: Account
    /// Its shares of the server's accounts (``Pots``).
    package let holder: Holder
    private let state = Monitor(State())
    private let limits: AddressLimits

    init(_ limits: AddressLimits, in pots: Pots) {
        self.limits = limits
        connections = Account(limit: limits.connections)
        rooms = Account(limit: limits.rooms)
        holder = Holder(in: pots)
    }

    /// Counts a room that is created; `false` if the rate allows none.
    package func takeNewRoom(at now: UInt64) -> Bool {
        state.withLock { $0.newRooms.take(limits.newRooms, at: now) }
    }

    /// Counts input. Returns for how many milliseconds nothing more may be read.
    package func charge(bytes: Int, messages: Int, at now: UInt64) -> UInt64 {
        state.withLock { state in
            max(
                state.bytes.charge(bytes, limits.bytes, at: now),
                state.messages.charge(messages, limits.messages, at: now))
        }
    }

    /// Whether it is as good as new, so that nobody gains if it is dropped.
    package func isUnused(at now: UInt64) -> Bool {
        guard connections.used == 0, rooms.used == 0, holder.isIdle else { return false }
        return state.withLock { state in
            state.newRooms.isFull(limits.newRooms, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
        }
    }
}

/// How often something may happen: a rate in the long run, and a burst at once.
package struct Rate: Hashable, Sendable {
    package let perMinute: Int
    package let burst: Int

    /// The most of either, so that no sum overflows.
    package static let maximum = 1 << 40

    package init(perMinute: Int, burst: Int) {
        self.perMinute = min(max(perMinute, 1), Rate.maximum)
        self.burst = min(max(burst, 1), Rate.maximum)
    }

    /// A rate per second, with a second's worth as the burst.
    package init(perSecond: Int) {
        let count = min(max(perSecond, 1), Rate.maximum / 60)
        self.init(perMinute: count * 60, burst: count)
    }
}

/// A bucket of tokens, which fills at a rate. The caller passes the time, in milliseconds that
/// never go back.
///
/// It counts the missing tokens. So a full bucket is as good as new, whatever its rate.
package struct TokenBucket: Sendable {
    /// Parts of a token: at one token a minute, one comes back each millisecond.
    private static let parts = 60_000

    /// What is missing, in parts, at that time.
    private var missing = 0
    private var asOfMilliseconds: UInt64 = 0

    package init() {}

    /// Whether nothing is missing.
    package mutating func isFull(_ rate: Rate, at now: UInt64) -> Bool {
        refill(rate, at: now)
        return missing == 0
    }

    /// Takes a token, if there is one.
    package mutating func take(_ rate: Rate, at now: UInt64) -> Bool {
        refill(rate, at: now)
        guard missing <= (rate.burst - 1) * TokenBucket.parts else { return false }
        missing += TokenBucket.parts
        return true
    }

    /// Takes tokens for something that has happened already, even if they are missing.
    ///
    /// - Returns: how many milliseconds it takes until the debt is paid; 0 if there is none.
    package mutating func charge(_ count: Int, _ rate: Rate, at now: UInt64) -> UInt64 {
        refill(rate, at: now)
        let (parts, isTooMuch) = count.multipliedReportingOverflow(by: TokenBucket.parts)
        let (sum, overflows) = missing.addingReportingOverflow(parts)
        missing = isTooMuch || overflows ? Int.max / 2 : min(sum, Int.max / 2)
        let debt = missing - rate.burst * TokenBucket.parts
        guard debt > 0 else { return 0 }
        return UInt64((debt - 1) / rate.perMinute + 1)
    }

    private mutating func refill(_ rate: Rate, at now: UInt64) {
        guard now > asOfMilliseconds else { return }
        let passed = now - asOfMilliseconds
        asOfMilliseconds = now
        guard missing > 0 else { return }
        let (gain, overflows) = passed.multipliedReportingOverflow(by: UInt64(rate.perMinute))
        missing = overflows || gain >= UInt64(missing) ? 0 : missing - Int(gain)
    }
}
