import SyncIO
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
    /// Bytes that are read, or that they inflate to if those are more.
    package var bytes = Rate(perSecond: 8 << 20)
    /// Messages of any kind.
    package var messages = Rate(perSecond: 20_000)

    package init() {}
}

/// What one address or one user uses. Its connections, on all loops, share it.
package final class ClientAccount: Sendable {
    private struct State {
        var newRooms = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
    }

    /// Whether it is a user's. Then it may be used from many addresses.
    let isUser: Bool
    /// Its connections, see ``AccountLimits``, and the rooms that they are in.
    package let connections: Account
    package let signedInConnections: Account
    package let rooms: Account
    /// Its shares of the server's accounts (``Pots``).
    package let holder: Holder
    private let state = Monitor(State())
    private let limits: AccountLimits

    init(of key: AccountKey, _ limits: AccountLimits, in pots: Pots) {
        self.limits = limits
        isUser =
            switch key {
            case .address: false
            case .user: true
            }
        connections = Account(limit: limits.connections)
        signedInConnections = Account(limit: limits.signedInConnections)
        rooms = Account(limit: limits.rooms)
        holder = Holder(in: pots)
    }

    /// Counts a room that is created.
    ///
    /// - Returns: whether the rate allows it.
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
        guard connections.used == 0, signedInConnections.used == 0, rooms.used == 0,
            holder.isIdle
        else { return false }
        return state.withLock { state in
            state.newRooms.isFull(limits.newRooms, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
        }
    }
}

// What is said when a limit is reached.
extension ClientAccount {
    /// Whom it is for, in sentences.
    private var noun: String { isUser ? "the user" : "the address" }

    /// The refusal of something beyond its limits.
    private func refusal(_ text: String) -> RoomRefusal {
        RoomRefusal(code: isUser ? .userLimit : .addressLimit, text: "\(noun) \(text)")
    }

    var tooManyConnections: String { "\(noun) has \(connections.limit) connections already" }

    var tooManySignedIn: String {
        "\(noun) has \(signedInConnections.limit) connections of users already"
    }

    var tooManyRooms: RoomRefusal { refusal("is in \(rooms.limit) rooms already") }

    var tooManyNewRooms: RoomRefusal {
        refusal("has had too many rooms made; try again in a while")
    }
}
