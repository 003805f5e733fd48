import SyncIO
package import SyncRoom

/// How much an address may have and do.
package struct AddressLimits: Sendable {
    package var connections = 256
    /// Rooms that its connections are in; one that is in two counts twice.
    package var rooms = 1000
    /// Rooms that are made for it.
    package var newRooms = Rate(perMinute: 10, burst: 100)
    /// Bytes that are read, or that they inflate to if those are more.
    package var bytes = Rate(perSecond: 8 << 20)
    /// Messages of any kind.
    package var messages = Rate(perSecond: 20_000)

    package init() {}
}

/// What one address has and has done. Its connections, on all loops, share it.
package final class AddressAccount: Sendable {
    private struct State {
        var newRooms = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
    }

    /// Its connections, and the rooms that they are in.
    package let connections: Account
    package let rooms: Account
    /// What it draws from the server's pots.
    package let holder: Holder
    private let state = Monitor(State())
    private let limits: AddressLimits

    init(_ limits: AddressLimits, in pots: Pots) {
        self.limits = limits
        connections = Account(limit: limits.connections)
        rooms = Account(limit: limits.rooms)
        holder = Holder(in: pots)
    }

    /// Counts a room that is made; `false` if there were as many as there may be.
    package func takeNewRoom(at now: UInt64) -> Bool {
        state.withLock { $0.newRooms.take(limits.newRooms, at: now) }
    }

    /// Counts what was read.
    ///
    /// - Returns: for how many milliseconds nothing more is to be read.
    package func charge(bytes: Int, messages: Int, at now: UInt64) -> UInt64 {
        state.withLock { state in
            max(
                state.bytes.charge(bytes, limits.bytes, at: now),
                state.messages.charge(messages, limits.messages, at: now))
        }
    }

    /// Whether it is as good as new, so that nobody gains if it is forgotten.
    package func isUnused(at now: UInt64) -> Bool {
        guard connections.held == 0, rooms.held == 0, holder.isIdle else { return false }
        return state.withLock { state in
            state.newRooms.isFull(limits.newRooms, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
        }
    }
}
