/// Plans when views are told what is different: each after a pause.
///
/// A pause ends on a beat, which many views share, so that their layouts are brought up to date at once; and
/// the beats are filled evenly, so that nobody waits for a crowd.
package struct ViewTimetable {
    /// How long a view is told nothing of the room's changes after an update, at most. What its client asks
    /// for comes at once.
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
    ///   - unseenSince: when the first has come of what it is told then, if it has. The pause counts from
    ///     that, as the log may have been slow.
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
