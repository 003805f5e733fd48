/// How long to wait before the next attempt: twice as long each time, up to a maximum, less a
/// random part, so that the clients of a restarted server don't all reconnect at once.
package struct BackOff: Sendable {
    package var initialMilliseconds: UInt64
    package var maximumMilliseconds: UInt64
    private var attempts: UInt64 = 0
    private var lastMilliseconds: UInt64 = 0

    package init(initialMilliseconds: UInt64 = 100, maximumMilliseconds: UInt64 = 5_000) {
        self.initialMilliseconds = initialMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
    }

    /// The next delay, between half and all of what it has grown to.
    ///
    /// - Parameter random: any number.
    package mutating func next(random: UInt64) -> UInt64 {
        var full = max(initialMilliseconds, 1)
        for _ in 0..<attempts where full < maximumMilliseconds { full *= 2 }
        full = max(1, min(full, maximumMilliseconds))
        attempts += 1
        lastMilliseconds = full - random % (full / 2 + 1)
        return lastMilliseconds
    }

    /// Starts over if the connection has lasted longer than the delay before it.
    package mutating func didLast(forMilliseconds duration: UInt64) {
        if duration > lastMilliseconds { attempts = 0 }
    }
}
