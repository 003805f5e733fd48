/// How many steps may be taken: so many a millisecond, of which some are saved up. What was taken beyond that is owed,
/// and until it is made up for nothing is to be taken.
package struct StepAllowance: Sendable {
    private let stepsPerMillisecond: Int
    private let most: Int
    /// What is left; negative while something is owed.
    package private(set) var left: Int
    private var refilled: UInt64?

    package init(stepsPerMillisecond: Int, atOnce most: Int) {
        self.stepsPerMillisecond = max(1, stepsPerMillisecond)
        self.most = most
        left = most
    }

    /// Adds what has come by a time, in milliseconds on a clock that never goes back.
    package mutating func refill(at now: UInt64) {
        let passed = now - min(refilled ?? now, now)
        refilled = now
        guard left < most, passed > 0 else { return }
        let (come, isMuch) = Int(clamping: passed).multipliedReportingOverflow(
            by: stepsPerMillisecond)
        left = isMuch || come >= most - left ? most : left + come
    }

    /// Takes steps. What is owed stays a number, whatever is taken.
    package mutating func take(_ steps: Int) {
        left = max(left - min(max(steps, 0), Int.max / 4), -(Int.max / 4))
    }

    /// When nothing is owed any more; `nil` if that is now.
    package func due(after now: UInt64) -> UInt64? {
        guard left < 0 else { return nil }
        return now + UInt64((-left - 1) / stepsPerMillisecond + 1)
    }
}

/// Paces how views are laid out: a room spends a tenth of the time on that in the long run, and large rooms a tenth of
/// their loop's together.
///
/// A step is some five nanoseconds, so this many a millisecond are a tenth of it. A layout is brought up to date
/// in one go, whatever it costs: what it takes too much, it and others wait for afterwards. Until then what else
/// changes comes together, and so does what clients ask for.
package struct ViewPace {
    package static let stepsPerMillisecond = 20_000
    /// What may be taken at once after a while without any: some ten milliseconds.
    package static let stepsAtOnce = 1_000_000

    /// What all rooms of a loop share.
    package final class Shared {
        // Not checked for exclusive access, as it costs for each update: no access spans another.
        @exclusivity(unchecked) package var allowance = ViewPace.allowance

        package init() {}
    }

    package static var allowance: StepAllowance {
        StepAllowance(stepsPerMillisecond: stepsPerMillisecond, atOnce: stepsAtOnce)
    }

    private var own: StepAllowance
    private let shared: Shared

    package init(own: StepAllowance = ViewPace.allowance, shared: Shared = Shared()) {
        self.own = own
        self.shared = shared
    }

    /// When something may be laid out; `nil` if it may be now.
    ///
    /// Small work waits for its own room only: who has one small room notices nothing of large ones.
    ///
    /// - Parameter estimate: how many steps it takes, about.
    mutating func due(for estimate: Int, after now: UInt64) -> UInt64? {
        own.refill(at: now)
        shared.allowance.refill(at: now)
        if let due = own.due(after: now) { return due }
        if estimate <= own.left { return nil }
        return shared.allowance.due(after: now)
    }

    /// Takes note of steps that were taken.
    mutating func take(_ steps: Int) {
        own.take(steps)
        shared.allowance.take(steps)
    }
}
