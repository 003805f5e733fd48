package import SyncIO

/// What a store knows of time.
package struct StoreTime: Sendable, Equatable {
    /// The time that was noted last; `nil` if none was.
    package var noted: TrustedTime?
    /// The newest time in the rooms' logs, in milliseconds since 1970; `nil` if there are no rooms.
    package var newestMilliseconds: UInt64?

    package init(noted: TrustedTime? = nil, newestMilliseconds: UInt64? = nil) {
        self.noted = noted
        self.newestMilliseconds = newestMilliseconds
    }

    /// The time now, for a process that has opened the store.
    package func resumed(at reading: ClockReading) -> TrustedTime {
        guard var time = noted else {
            return TrustedTime(beginningAt: reading, newestMilliseconds: newestMilliseconds)
        }
        time.resume(at: reading)
        return time
    }
}
