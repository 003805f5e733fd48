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
}

/// What one address or one user uses. Its connections, on all loops, share it.
package final class ClientAccount: Sendable {
    private struct State {
        var limits: AccountLimits
        var newRooms = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
        var transactions = TokenBucket()
        var connectionWatch = QuotaWatch()
        var roomWatch = QuotaWatch()
        var writeWatch = WriteWatch(quotas: (.ownTransactions, .ownLogBytes))
    }

    /// The user's name, or the address.
    let name: String
    /// Whether it is a user's. Then it may be used from many addresses.
    let isUser: Bool
    /// Its connections, see ``AccountLimits``, and the rooms that they are in.
    package let connections: Account
    package let signedInConnections: Account
    package let rooms: Account
    /// Its shares of the server's accounts (``Pots``).
    package let holder: Holder
    private let state: Monitor<State>

    init(of key: AccountKey, _ limits: AccountLimits, in pots: Pots) {
        state = Monitor(State(limits: limits))
        (name, isUser) =
            switch key {
            case .address(let address): ("\(address)", false)
            case .user(let name): (name.text, true)
            }
        connections = Account(limit: limits.connections)
        signedInConnections = Account(limit: limits.signedInConnections)
        rooms = Account(limit: limits.rooms)
        holder = Holder(in: pots)
        holder.writes.limits = limits.writes
    }

    /// Changes its limits.
    func change(to limits: AccountLimits) {
        state.withLock { $0.limits = limits }
        connections.limit = limits.connections
        signedInConnections.limit = limits.signedInConnections
        rooms.limit = limits.rooms
        holder.writes.limits = limits.writes
    }

    /// Counts a room that is created.
    ///
    /// - Returns: why it may not be; then nothing has changed.
    package func takeNewRoom(at now: UInt64) -> RoomRefusal? {
        let wait = state.withLock { state in
            let rate = state.limits.newRooms
            return state.newRooms.take(rate, at: now) ? 0 : state.newRooms.wait(rate, at: now)
        }
        return wait > 0 ? tooManyNewRooms(retryAfterMilliseconds: wait) : nil
    }

    /// Counts input. Returns for how many milliseconds nothing more may be read.
    ///
    /// - Parameter transactions: how many of the messages are transactions.
    package func charge(
        bytes: Int, messages: Int, transactions: Int, at now: UInt64
    ) -> UInt64 {
        state.withLock { state in
            let limits = state.limits
            return max(
                state.bytes.charge(bytes, limits.bytes, at: now),
                state.messages.charge(messages, limits.messages, at: now),
                state.transactions.charge(transactions, limits.transactions, at: now))
        }
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
        guard connections.used == 0, signedInConnections.used == 0, rooms.used == 0,
            holder.isIdle(at: now)
        else { return false }
        return state.withLock { state in
            let limits = state.limits
            return state.newRooms.isFull(limits.newRooms, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
                && state.transactions.isFull(limits.transactions, at: now)
        }
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
    private var noun: String { isUser ? "the user" : "the address" }

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

    private func tooManyNewRooms(retryAfterMilliseconds wait: UInt64) -> RoomRefusal {
        refusal(
            "has had too many rooms made; try again in \(wait) milliseconds",
            retryAfterMilliseconds: wait)
    }
}
