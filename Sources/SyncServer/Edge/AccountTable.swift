import SyncIO
package import SyncModel
package import SyncRoom

/// Whom an account is for.
package enum AccountKey: Hashable, Sendable {
    /// An address: with all others that limits count for the same, see ``NetworkAddress/holder``.
    case address(NetworkAddress)
    /// A user that has signed in, from whatever addresses.
    case user(Identifier)

    func hash(with hash: SipHash) -> UInt64 {
        switch self {
        case .address(let address):
            withUnsafeBytes(of: (address.high, address.low)) { hash($0) }
        case .user(let name): name.withBytes { hash($0) }
        }
    }
}

/// The accounts of addresses or of users, in a table of fixed size.
///
/// The table consists of sets. A keyed hash selects the set of a key, so nobody can choose keys
/// that collide. Addresses and users have a table each, so that no number of addresses takes the
/// places of users.
///
/// Invariants:
/// 1. An account is replaced only when it is as good as new (``ClientAccount/isUnused(at:)``). So
///    nobody can evict an account by using other addresses or users.
/// 2. If a set is full, all further keys share one account, until that is as good as new. So they
///    are limited together, the memory is bounded, and no key has two accounts.
///
/// Cost: one lookup in a set for each new connection, and one when it signs in. Otherwise the
/// connection uses its account directly.
package final class AccountTable: Sendable {
    /// How many accounts a set has.
    package static let setSize = 8

    fileprivate struct AccountSet {
        var accounts: [(key: AccountKey, account: ClientAccount)] = []
        /// The account of the keys that find no place.
        var shared: ClientAccount?
    }

    private struct State {
        var sets: [AccountSet]
        /// The limits of each account.
        var limits: AccountLimits
    }

    private let state: Monitor<State>
    private let setCount: Int
    private let hash: SipHash
    private let pots: Pots

    /// - Parameter capacity: how many keys have an account of their own at most.
    package init(
        _ limits: AccountLimits, hash: SipHash, in pots: Pots = Pots(), capacity: Int = 16_384
    ) {
        self.pots = pots
        self.hash = hash
        setCount = max(1, capacity / AccountTable.setSize)
        state = Monitor(
            State(sets: [AccountSet](repeating: AccountSet(), count: setCount), limits: limits))
    }

    /// The account of an address or of a user.
    package func account(of key: AccountKey, at now: UInt64) -> ClientAccount {
        let place = Int(key.hash(with: hash) % UInt64(setCount))
        return state.withLock { state in
            let limits = state.limits
            return state.sets[place].account(of: key, at: now) {
                ClientAccount(of: key, limits, in: pots)
            }
        }
    }

    /// Changes the limits of all accounts, also of those to come.
    package func change(to limits: AccountLimits) {
        state.withLock { state in
            state.limits = limits
            for set in state.sets {
                for (_, account) in set.accounts { account.change(to: limits) }
                set.shared?.change(to: limits)
            }
        }
    }
}

extension AccountTable.AccountSet {
    fileprivate mutating func account(
        of key: AccountKey, at now: UInt64, _ make: () -> ClientAccount
    ) -> ClientAccount {
        if let known = accounts.first(where: { $0.key == key }) { return known.account }
        // A key that uses the shared account must not get a second one.
        if let shared, !shared.isUnused(at: now) { return shared }
        if accounts.count < AccountTable.setSize {
            let account = make()
            accounts.append((key, account))
            return account
        }
        if let free = accounts.firstIndex(where: { $0.account.isUnused(at: now) }) {
            let account = make()
            accounts[free] = (key, account)
            return account
        }
        let account = shared ?? make()
        shared = account
        return account
    }
}

/// The accounts of all who connect to a server; its loops share them.
struct ClientAccounts: Sendable {
    private let addresses: AccountTable
    private let users: AccountTable

    init(_ configuration: ServerConfiguration, hash: SipHash, in pots: Pots) {
        addresses = AccountTable(configuration.addresses, hash: hash, in: pots)
        users = AccountTable(configuration.users, hash: hash, in: pots)
    }

    func change(to configuration: ServerConfiguration) {
        addresses.change(to: configuration.addresses)
        users.change(to: configuration.users)
    }

    func account(of address: NetworkAddress, at now: UInt64) -> ClientAccount {
        addresses.account(of: .address(address.holder), at: now)
    }

    /// - Parameter sharer: who has shared a room with this user, if anybody has.
    func account(
        ofUser name: Identifier, sharedBy sharer: Identifier? = nil, at now: UInt64
    ) -> ClientAccount {
        guard let sharer else { return users.account(of: .user(name), at: now) }
        return users.account(of: .user(sharer), at: now).shares
    }
}
