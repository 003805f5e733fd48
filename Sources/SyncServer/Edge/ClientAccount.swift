import SyncIO
import SyncModel
package import SyncRoom
import SyncWire

/// The limits of an address, or of a user.
package struct AccountLimits: Sendable {
    /// Connections; of an address, those that have not signed in.
    package var connections = 256
    /// Connections of an address that have signed in. They count for their users, too.
    package var signedInConnections = 4096
    /// Rooms that its connections are in; one that is in two counts twice.
    package var rooms = 1000
    /// Rooms that are created for it.
    package var newRooms = Rate(perMinute: 10, burst: 100)
    /// Tokens that it gets to share rooms.
    package var newShares = Rate(perMinute: 30, burst: 30)
    /// Bytes that are read, or that they inflate to if those are more. A record of TLS counts as
    /// 512 at least.
    package var bytes = Rate(perSecond: 8 << 20)
    /// Messages of any kind.
    package var messages = Rate(perSecond: 20_000)
    /// Transactions among these messages.
    package var transactions = Rate(perSecond: 20_000)
    /// What it writes: new transactions and their bytes, when a room takes them.
    package var writes = WriteLimits()

    package init() {}

    /// The limits of all with whom a user shares rooms.
    var half: AccountLimits {
        var half = self
        half.connections = max(1, connections / 2)
        half.rooms = max(1, rooms / 2)
        half.newRooms = newRooms.half
        half.bytes = bytes.half
        half.messages = messages.half
        half.transactions = transactions.half
        half.writes = writes.half
        return half
    }
}

/// What one address or one user uses. Its connections, on all loops, share it.
///
/// All with whom a user shares rooms have one account together. What they use counts for the user,
/// too, and may be half of what the user may use.
package final class ClientAccount: Sendable {
    private enum Kind {
        case address
        case user
        /// Those with whom a user shares rooms.
        case shares
    }

    private struct State {
        var limits: AccountLimits
        var shares: ClientAccount?
        var connectionWatch = QuotaWatch()
        var roomWatch = QuotaWatch()
        var writeWatch = WriteWatch(quotas: (.ownTransactions, .ownLogBytes))
    }

    /// The name of the user, also of one who shares, or the address.
    let name: String
    private let kind: Kind
    /// Its connections, see ``AccountLimits``, and the rooms that they are in.
    package let connections: Account
    package let signedInConnections: Account
    package let rooms: Account
    /// Its shares of the server's accounts (``Pots``).
    package let holder: Holder
    private let rates: AccountRates
    private let state: Monitor<State>

    init(of key: AccountKey, _ limits: AccountLimits, in pots: Pots) {
        state = Monitor(State(limits: limits))
        rates = AccountRates(limits)
        (name, kind) =
            switch key {
            case .address(let address): ("\(address)", .address)
            case .user(let name): (name.text, .user)
            }
        connections = Account(limit: limits.connections)
        signedInConnections = Account(limit: limits.signedInConnections)
        rooms = Account(limit: limits.rooms)
        holder = Holder(in: pots)
        holder.writes.limits = limits.writes
    }

    private init(sharesOf user: ClientAccount, _ limits: AccountLimits) {
        state = Monitor(State(limits: limits))
        rates = AccountRates(limits, within: user.rates)
        (name, kind) = (user.name, .shares)
        connections = Account(limit: limits.connections, in: user.connections)
        signedInConnections = Account(limit: 0)
        rooms = Account(limit: limits.rooms, in: user.rooms)
        holder = Holder(sharesOf: user.holder)
        holder.writes.limits = limits.writes
    }

    /// The account of all with whom this user shares rooms.
    package var shares: ClientAccount {
        state.withLock { state in
            let shares = state.shares ?? ClientAccount(sharesOf: self, state.limits.half)
            state.shares = shares
            return shares
        }
    }

    /// Whether it is a user's. Then it may be used from many addresses.
    var isUser: Bool { kind != .address }

    /// Changes its limits.
    func change(to limits: AccountLimits) {
        let shares = state.withLock { state in
            state.limits = limits
            return state.shares
        }
        shares?.change(to: limits.half)
        rates.change(to: limits)
        connections.limit = limits.connections
        signedInConnections.limit = limits.signedInConnections
        rooms.limit = limits.rooms
        holder.writes.limits = limits.writes
    }

    /// Counts a room that is created.
    ///
    /// - Returns: why it may not be; then nothing has changed.
    package func takeNewRoom(at now: UInt64) -> RoomRefusal? {
        let wait = rates.takeNewRoom(at: now)
        return wait > 0 ? tooMany("new rooms", retryAfterMilliseconds: wait) : nil
    }

    /// Counts a token with which a room is shared.
    ///
    /// - Returns: why it may not be made; then nothing has changed.
    package func takeNewShare(at now: UInt64) -> RoomRefusal? {
        let wait = rates.takeNewShare(at: now)
        return wait > 0 ? tooMany("tokens to share rooms", retryAfterMilliseconds: wait) : nil
    }

    /// Counts input. Returns for how many milliseconds nothing more may be read.
    ///
    /// - Parameter transactions: how many of the messages are transactions.
    package func charge(
        bytes: Int, messages: Int, transactions: Int, at now: UInt64
    ) -> UInt64 {
        rates.charge(bytes: bytes, messages: messages, transactions: transactions, at: now)
    }

    /// What it has nearly as many of as it may, once each time.
    func takeNews(at now: UInt64) -> [QuotaUse] {
        let writes = holder.writes.recentOfLimits(at: now)
        return state.withLock { state in
            var news = state.writeWatch.news(writes.recent, writes.limits)
            if state.connectionWatch.isNews(connections.used, of: connections.limit) {
                news.append(QuotaUse(.connections, connections.used, of: connections.limit))
            }
            if state.roomWatch.isNews(rooms.used, of: rooms.limit) {
                news.append(QuotaUse(.rooms, rooms.used, of: rooms.limit))
            }
            return news
        }
    }

    /// Whether it is as good as new, so that nobody gains if it is dropped.
    package func isUnused(at now: UInt64) -> Bool {
        connections.used == 0 && signedInConnections.used == 0 && rooms.used == 0
            && holder.isIdle(at: now) && rates.areUnused(at: now)
            && state.withLock { $0.shares }?.isUnused(at: now) ?? true
    }
}

extension ClientAccount {
    /// What its clients are told of it when they ask.
    func figures(at now: UInt64) -> Figures<AccountFigure> {
        let (recent, limits) = holder.writes.recentOfLimits(at: now)
        return Figures { figure in
            switch figure {
            case .connections: UInt64(clamping: connections.used)
            case .connectionLimit: UInt64(clamping: connections.limit)
            case .rooms: UInt64(clamping: rooms.used)
            case .roomLimit: UInt64(clamping: rooms.limit)
            case .memoryBytes: UInt64(clamping: holder.memory.used)
            case .writtenBytes: UInt64(clamping: holder.diskBytes)
            case .recentTransactions: UInt64(clamping: recent.transactions)
            case .recentTransactionLimit: UInt64(clamping: limits.transactions?.burst ?? 0)
            case .recentLogBytes: UInt64(clamping: recent.bytes)
            case .recentLogByteLimit: UInt64(clamping: limits.bytes?.burst ?? 0)
            }
        }
    }
}

// What is said when a limit is reached.
extension ClientAccount {
    /// Whom it is for, in sentences.
    private var noun: String {
        switch kind {
        case .address: "the address"
        case .user: "the user"
        case .shares: "everybody with whom the user shares rooms"
        }
    }

    /// The refusal of something beyond its limits.
    private func refusal(_ text: String, retryAfterMilliseconds wait: UInt64 = 0) -> RoomRefusal {
        RoomRefusal(
            code: isUser ? .userLimit : .addressLimit, text: "\(noun) \(text)",
            retryAfterMilliseconds: wait)
    }

    var tooManyConnections: String { "\(noun) has \(connections.limit) connections already" }

    var tooManySignedIn: String {
        "\(noun) has \(signedInConnections.limit) connections of users already"
    }

    var tooManyRooms: RoomRefusal { refusal("is in \(rooms.limit) rooms already") }

    private func tooMany(_ things: String, retryAfterMilliseconds wait: UInt64) -> RoomRefusal {
        refusal(
            "has had too many \(things) made; try again in \(wait) milliseconds",
            retryAfterMilliseconds: wait)
    }
}
