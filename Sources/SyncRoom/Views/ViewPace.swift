/// An allowance of steps: a number per millisecond, of which some are saved up. It may be
/// overdrawn. Then nothing is allowed until the debt is paid.
package struct StepAllowance: Sendable {
    private let stepsPerMillisecond: Int
    private let most: Int
    /// What is left; negative while there is a debt.
    package private(set) var left: Int
    private var refilled: UInt64?

    package init(stepsPerMillisecond: Int, atOnce most: Int) {
        self.stepsPerMillisecond = max(1, stepsPerMillisecond)
        self.most = most
        left = most
    }

    /// Adds the steps of the time until now, in milliseconds on a clock that never goes back.
    package mutating func refill(at now: UInt64) {
        let passed = now - min(refilled ?? now, now)
        refilled = now
        guard left < most, passed > 0 else { return }
        let (come, isMuch) = Int(clamping: passed).multipliedReportingOverflow(
            by: stepsPerMillisecond)
        left = isMuch || come >= most - left ? most : left + come
    }

    /// Takes steps. The debt is bounded, so that it never overflows.
    package mutating func take(_ steps: Int) {
        left = max(left - min(max(steps, 0), Int.max / 4), -(Int.max / 4))
    }

    /// When the debt will be paid; `nil` if there is none.
    package func due(after now: UInt64) -> UInt64? {
        guard left < 0 else { return nil }
        return now + UInt64((-left - 1) / stepsPerMillisecond + 1)
    }
}

/// Paces the laying out of views. In the long run a room spends a tenth of the time on it, and the
/// large rooms of a loop together spend a tenth of the loop's time.
///
/// A step takes some five nanoseconds, so ``stepsPerMillisecond`` steps take a tenth of a
/// millisecond. A layout is brought up to date in one go, whatever that costs. If it overdraws the
/// allowance, it and other layouts wait until the debt is paid. One update then has all changes and
/// requests of that time.
package struct ViewPace {
    package static let stepsPerMillisecond = 20_000
    /// How many steps are saved up at most: those of 50 ms.
    package static let stepsAtOnce = 1_000_000

    /// The allowance that all rooms of a loop share.
    package final class Shared {
        // Exclusivity checks are off here: they cost time with each update, and no two accesses
        // overlap.
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

    /// When a layout may be brought up to date; `nil` if it may be now.
    ///
    /// Small work only waits for its own room's debt, so that large rooms do not delay small ones.
    ///
    /// - Parameter estimate: how many steps it takes, about.
    mutating func due(for estimate: Int, after now: UInt64) -> UInt64? {
        own.refill(at: now)
        shared.allowance.refill(at: now)
        if let due = own.due(after: now) { return due }
        if estimate <= own.left { return nil }
        return shared.allowance.due(after: now)
    }

    mutating func take(_ steps: Int) {
        own.take(steps)
        shared.allowance.take(steps)
    }
}

/// Plans the times of the views' updates: a pause after each update.
///
/// A pause ends on a beat. Many views share a beat, so that their layouts are brought up to date
/// once for all of them. Views are spread evenly over the beats, so that no beat has too many.
package struct ViewTimetable {
    /// How long a view waits after an update for one with the room's changes, at most. A client's
    /// request is answered at once.
    static let pauseMilliseconds = pauseBeats * beatMilliseconds
    private static let beatMilliseconds: UInt64 = 4
    private static let pauseBeats: UInt64 = 7
    /// If its beat is crowded, a view comes earlier by up to so many beats.
    private static let earlierBeats: UInt64 = 3
    /// A beat with no more views than these is not crowded.
    private static let fewViews = 64

    /// The number of views that are planned for each beat around now, at the beat's number modulo
    /// the count.
    private var beats = [(number: UInt64, views: Int)](repeating: (0, 0), count: 16)

    package init() {}

    /// When a view that gets an update now is due for the next one.
    ///
    /// - Parameters:
    ///   - pendingSince: when the oldest transaction came that is not durable yet, if there is one.
    ///     The pause counts from then, as the log may be slow.
    ///   - count: how many views there are, about.
    package mutating func plan(
        after now: UInt64, _ pendingSince: UInt64?, among count: Int
    ) -> UInt64 {
        let start = min(now, pendingSince ?? now)
        let last = start / Self.beatMilliseconds + Self.pauseBeats
        let share = max(Self.fewViews, count / Int(Self.pauseBeats) + 1)
        var chosen = last
        // If the log is slow, all views that get updates meanwhile would be due on the same beat.
        for beat in (last - Self.earlierBeats...last).reversed() {
            guard views(in: chosen) >= share else { break }
            if views(in: beat) < views(in: chosen) { chosen = beat }
        }
        let place = Int(chosen % UInt64(beats.count))
        beats[place] = (chosen, views(in: chosen) + 1)
        return chosen * Self.beatMilliseconds
    }

    private func views(in beat: UInt64) -> Int {
        let known = beats[Int(beat % UInt64(beats.count))]
        return known.number == beat ? known.views : 0
    }
}
