import SyncIO

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
        var connections = 0
        var rooms = 0
        var newRooms = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
    }

    private let state = Monitor(State())
    private let limits: AddressLimits

    init(_ limits: AddressLimits) {
        self.limits = limits
    }

    /// Counts a connection; `false` if there are as many as there may be.
    package func takeConnection() -> Bool {
        state.withLock { state in
            guard state.connections < limits.connections else { return false }
            state.connections += 1
            return true
        }
    }

    package func giveConnectionBack() {
        state.withLock { $0.connections -= 1 }
    }

    /// Counts that a connection is in a room; `false` if there are as many as there may be.
    package func takeRoom() -> Bool {
        state.withLock { state in
            guard state.rooms < limits.rooms else { return false }
            state.rooms += 1
            return true
        }
    }

    package func giveRoomsBack(_ count: Int) {
        state.withLock { $0.rooms -= count }
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
        state.withLock { state in
            state.connections == 0 && state.rooms == 0
                && state.newRooms.isFull(limits.newRooms, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
        }
    }
}
