import SyncIO
package import SyncRoom

/// The accounts of addresses, in a table of fixed size.
///
/// The table is made of sets. A keyed hash says which set an address belongs to, so nobody can choose
/// addresses that meet there.
///
/// Invariants:
/// 1. An account gives way to another only when it is as good as new (``AddressAccount/isUnused(at:)``). So
///    nobody has an account forgotten by asking for others.
/// 2. Where a set is full, those who find no place in it share one account, until that is as good as new.
///    So strangers are limited together, the memory is bounded, and nobody has two accounts.
///
/// Cost: one look at a set for each new connection; what a connection does later goes to its account.
package final class AddressTable: Sendable {
    /// How many accounts a set has.
    package static let setSize = 8

    fileprivate struct AddressSet {
        var accounts: [(address: NetworkAddress, account: AddressAccount)] = []
        /// Of those who find no place.
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

    /// The account that an address goes by.
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
        // Who has something on the shared account must not get an own one beside it.
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
