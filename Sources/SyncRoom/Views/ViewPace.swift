/// How many steps may be taken: so many a millisecond, of which some are saved up. What was taken
/// beyond that is owed, and until it is made up for nothing is to be taken.
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

/// Paces how views are laid out: a room spends a tenth of the time on that in the long run, and
/// large rooms a tenth of their loop's together.
///
/// A step is some five nanoseconds, so this many a millisecond are a tenth of it. A layout is
/// brought up to date in one go, whatever it costs: what it takes too much, it and others wait for
/// afterwards. Until then what else changes comes together, and so does what clients ask for.
package struct ViewPace {
    package static let stepsPerMillisecond = 20_000
    /// What may be taken at once after a while without any: some ten milliseconds.
    package static let stepsAtOnce = 1_000_000

    /// What all rooms of a loop share.
    package final class Shared {
        // No two accesses overlap here. So Swift does not check that at run time, which would cost
        // time with each update.
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
    /// Small work waits for its own room only: who has one small room notices nothing of large
    /// ones.
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

/// Plans when views are told what is different: each after a pause.
///
/// A pause ends on a beat, which many views share, so that their layouts are brought up to date at
/// once; and the beats are filled evenly, so that nobody waits for a crowd.
package struct ViewTimetable {
    /// How long a view is told nothing of the room's changes after an update, at most. What its
    /// client asks for comes at once.
    static let pauseMilliseconds = pauseBeats * beatMilliseconds
    private static let beatMilliseconds: UInt64 = 4
    private static let pauseBeats: UInt64 = 7
    /// By so many beats a view comes earlier where the last one is crowded.
    private static let earlierBeats: UInt64 = 3
    /// So many views are no crowd.
    private static let fewViews = 64

    /// How many views were planned for the beats around now, at the place of each.
    private var beats = [(number: UInt64, views: Int)](repeating: (0, 0), count: 16)

    package init() {}

    /// When a view that is told something now is told more.
    ///
    /// - Parameters:
    ///   - unseenSince: when the first has come of what it is told then, if it has. The pause
    ///     counts from that, as the log may have been slow.
    ///   - count: how many views there are, about.
    package mutating func plan(
        after now: UInt64, _ unseenSince: UInt64?, among count: Int
    ) -> UInt64 {
        let start = min(now, unseenSince ?? now)
        let last = start / Self.beatMilliseconds + Self.pauseBeats
        let share = max(Self.fewViews, count / Int(Self.pauseBeats) + 1)
        var chosen = last
        // Where the log was slow, all that are told meanwhile would be due at once.
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
