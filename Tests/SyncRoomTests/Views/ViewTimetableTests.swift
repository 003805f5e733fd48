import SeededRandom
import SyncRoom
import Testing

@Suite("When views get their updates")
struct ViewTimetableTests {
    @Test("a few views wait for the whole pause, counted from the arrival of their news")
    func few() {
        var timetable = ViewTimetable()
        for _ in 0..<20 {
            #expect(timetable.plan(after: 1003, nil, among: 64) == 1028)
            #expect(timetable.plan(after: 1003, 995, among: 64) == 1020)
            #expect(timetable.plan(after: 1003, 2000, among: 64) == 1028)
        }
    }

    @Test("many views that are updated at once are spread out the next time")
    func many() {
        var timetable = ViewTimetable()
        var beats: [UInt64: Int] = [:]
        for _ in 0..<1000 {
            beats[timetable.plan(after: 5000, nil, among: 1000), default: 0] += 1
        }
        #expect(beats.keys.sorted() == [5016, 5020, 5024, 5028])
        #expect(beats.values.allSatisfy { (249...251).contains($0) }, "\(beats)")
    }

    @Test("no view is later than its pause, and crowds become smaller", arguments: 1...8)
    func crowds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var timetable = ViewTimetable()
        // All views are due at the same time.
        var due = [UInt64](repeating: 4000, count: 700)
        var largest = 0
        for beat: UInt64 in 1000...1400 {
            let now = beat * 4 + UInt64.random(in: 0..<4, using: &random)
            let turn = due.indices.filter { due[$0] <= now }
            for index in turn {
                // Now and then the log takes up to 20 ms.
                let since = beat % 50 < 5 ? now - UInt64.random(in: 0...20, using: &random) : nil
                due[index] = timetable.plan(after: now, since, among: 700)
                let start = since ?? now
                #expect((start / 4 * 4 + 16...start / 4 * 4 + 28).contains(due[index]))
            }
            if beat > 1040, !(0..<15).contains(beat % 50) { largest = max(largest, turn.count) }
        }
        // 700 views share seven beats.
        #expect(largest > 0 && largest <= 210, "\(largest) at once")
    }
}
