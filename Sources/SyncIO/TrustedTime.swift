/// What the clocks of a machine say at one moment.
package struct ClockReading: Sendable, Equatable {
    /// Milliseconds since the machine has started, or since a later start. This clock can't be set.
    package var steadyMilliseconds: UInt64
    /// Milliseconds since 1970. This clock may jump.
    package var wallClockMilliseconds: UInt64

    package init(steadyMilliseconds: UInt64, wallClockMilliseconds: UInt64) {
        self.steadyMilliseconds = min(steadyMilliseconds, TrustedTime.maximum)
        self.wallClockMilliseconds = min(wallClockMilliseconds, TrustedTime.maximum)
    }
}

extension EventLoop {
    /// What the clocks say now. Each call reads them. So of two readings on different loops, the
    /// later one has the later steady time.
    package var clocks: ClockReading {
        ClockReading(
            steadyMilliseconds: clockMicroseconds / 1000,
            wallClockMilliseconds: wallClockMilliseconds)
    }
}

/// A time by which the age of stored things is measured, so that a jump of the clock makes nothing
/// old.
///
/// It begins with the wall clock, and then is a time of its own: the wall clock may be ahead of it
/// or behind. What is stored gets this time as its date. Whoever stores it notes the time, too,
/// every few minutes, and resumes it after a restart.
///
/// While a process runs, the time follows the steady clock. When it is resumed, it grows by the
/// time that has passed at least:
/// - If the steady clock says more than in the note, by that difference.
/// - If it says less, the machine has started again since the note. Then it grows by the time since
///   that start.
/// - By no more than the wall clock says, as the note may come from another machine.
///
/// Invariants:
/// 1. Between two moments it grows by at most what has really passed. So nothing is taken for older
///    than it is, unless a note is moved to another machine whose wall clock is ahead.
/// 2. It stands still only while the machine is off, and at a resumption for which the wall clock
///    was set back. So what is stored gets old in the end, also if the process restarts often.
package struct TrustedTime: Sendable, Equatable {
    /// Like milliseconds since 1970, but only differences mean anything.
    package private(set) var milliseconds: UInt64
    /// What the clocks said at that time.
    package private(set) var reading: ClockReading

    /// More than any time. Sums of two such numbers don't overflow.
    package static let maximum = UInt64(Int64.max)

    /// A time that was noted.
    package init(milliseconds: UInt64, reading: ClockReading) {
        self.milliseconds = min(milliseconds, TrustedTime.maximum)
        self.reading = reading
    }

    /// Begins where no time was noted.
    ///
    /// - Parameter newest: the newest date of what is stored already, in milliseconds since 1970;
    ///   `nil` if there is nothing. If the wall clock is ahead of it, perhaps by a jump, the time
    ///   begins with this date.
    package init(beginningAt reading: ClockReading, newestMilliseconds newest: UInt64?) {
        let wallClock = reading.wallClockMilliseconds
        self.init(milliseconds: min(newest ?? wallClock, wallClock), reading: reading)
    }

    /// Advances within a process.
    package mutating func advance(to reading: ClockReading) {
        let (now, before) = (reading.steadyMilliseconds, self.reading.steadyMilliseconds)
        grow(by: now - min(now, before), reading)
    }

    /// Advances a time that was noted by an earlier process.
    package mutating func resume(at reading: ClockReading) {
        let (now, before) = (reading.steadyMilliseconds, self.reading.steadyMilliseconds)
        let passed = now >= before ? now - before : now
        let (wall, noted) = (
            reading.wallClockMilliseconds, self.reading.wallClockMilliseconds
        )
        grow(by: min(passed, wall - min(wall, noted)), reading)
    }

    private mutating func grow(by passed: UInt64, _ reading: ClockReading) {
        milliseconds = min(milliseconds + passed, TrustedTime.maximum)
        self.reading = reading
    }
}
