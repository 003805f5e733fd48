import SeededRandom
import SyncIO
import Testing

@Suite("trusted time")
struct TrustedTimeTests {
    private static let day: UInt64 = 24 * 3_600_000
    private static let year = 365 * day

    @Test("a jump of the wall clock in a running process changes nothing")
    func jumps() {
        var machine = Machine()
        var time = TrustedTime(beginningAt: machine.reading, newestMilliseconds: nil)
        let begin = time.milliseconds
        #expect(begin == machine.wallClock)
        for jump in [Self.year, 0, 2 * Self.year, Self.day, 0] {
            machine.jump = jump
            time.advance(to: machine.reading)
            machine.run(1000)
            time.advance(to: machine.reading)
        }
        #expect(time.milliseconds - begin == 5000)
    }

    @Test("after a stop, the machine's steady clock says how long it was")
    func stops() {
        var machine = Machine()
        var time = TrustedTime(beginningAt: machine.reading, newestMilliseconds: nil)
        let begin = time.milliseconds
        machine.run(90 * Self.day)
        time.resume(at: machine.reading)
        #expect(time.milliseconds - begin == 90 * Self.day, "a long stop counts")
        machine.jump = Self.year
        machine.run(1000)
        time.resume(at: machine.reading)
        #expect(time.milliseconds - begin == 90 * Self.day + 1000, "a jump meanwhile does not")
        machine.jump = 0
        machine.run(1000)
        time.resume(at: machine.reading)
        #expect(time.milliseconds - begin == 90 * Self.day + 1000, "nor a jump back")
        machine.run(1000)
        time.resume(at: machine.reading)
        #expect(time.milliseconds - begin == 90 * Self.day + 2000)
    }

    @Test("if the machine has started again, the time since then counts")
    func starts() {
        var machine = Machine()
        machine.run(Self.day)
        var time = TrustedTime(beginningAt: machine.reading, newestMilliseconds: nil)
        let begin = time.milliseconds
        machine.restart(off: 30 * Self.day)
        machine.jump = Self.year
        machine.run(3000)
        time.resume(at: machine.reading)
        #expect(time.milliseconds - begin == 3000)
    }

    @Test("a note from another machine counts by the wall clock at most")
    func moves() {
        var (old, new) = (Machine(), Machine())
        old.run(Self.day)
        new.run(Self.day)
        var time = TrustedTime(beginningAt: old.reading, newestMilliseconds: nil)
        let begin = time.milliseconds
        new.steady += 300 * Self.day
        new.run(500)
        time.resume(at: new.reading)
        #expect(time.milliseconds - begin == 500)
    }

    @Test("it begins with the newest date, or with the wall clock if that is earlier")
    func beginnings() {
        let reading = ClockReading(steadyMilliseconds: 7, wallClockMilliseconds: 5000)
        func begin(_ newest: UInt64?) -> UInt64 {
            TrustedTime(beginningAt: reading, newestMilliseconds: newest).milliseconds
        }
        #expect(begin(nil) == 5000)
        #expect(begin(4000) == 4000)
        #expect(begin(6000) == 5000)
    }

    @Test("impossible notes and clocks overflow nothing")
    func extremes() {
        let last = ClockReading(steadyMilliseconds: .max, wallClockMilliseconds: .max)
        let first = ClockReading(steadyMilliseconds: 0, wallClockMilliseconds: 0)
        for (noted, now) in [(last, first), (first, last), (last, last)] {
            var time = TrustedTime(milliseconds: .max, reading: noted)
            time.advance(to: now)
            time.resume(at: last)
            time.resume(at: first)
            #expect(time.milliseconds == TrustedTime.maximum)
        }
    }

    @Test("it grows by no more than what has passed, and stands still only with the machine")
    func anything() {
        for seed in 0..<500 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var machine = Machine()
            var time = TrustedTime(beginningAt: machine.reading, newestMilliseconds: nil)
            let begin = time.milliseconds
            // What the time may lack: while the machine was off, and since the last note.
            var lacking: UInt64 = 0
            for _ in 0..<100 {
                let passed = UInt64.random(in: 0...Self.day, using: &random)
                let before = machine
                machine.run(passed)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1: time.advance(to: machine.reading)
                case 2: time.resume(at: machine.reading)
                case 3:
                    machine.jump = UInt64.random(in: 0...Self.year, using: &random)
                    time.advance(to: machine.reading)
                case 4:
                    machine.jump = UInt64.random(in: 0...Self.year, using: &random)
                    if machine.jump < before.jump { lacking += passed }
                    time.resume(at: machine.reading)
                default:
                    let off = UInt64.random(in: 0...Self.year, using: &random)
                    machine.restart(off: off)
                    lacking += passed + off
                    time.resume(at: machine.reading)
                }
                let grown = time.milliseconds - begin
                #expect(grown <= machine.passed, "seed \(seed)")
                #expect(grown + lacking >= machine.passed, "seed \(seed)")
            }
        }
    }
}

/// A machine whose wall clock can be ahead.
private struct Machine {
    /// The time that has really passed.
    var passed: UInt64 = 0
    var steady: UInt64 = 5000
    var jump: UInt64 = 0

    var wallClock: UInt64 { 1_700_000_000_000 + passed + jump }

    var reading: ClockReading {
        ClockReading(steadyMilliseconds: steady, wallClockMilliseconds: wallClock)
    }

    mutating func run(_ milliseconds: UInt64) {
        passed += milliseconds
        steady += milliseconds
    }

    mutating func restart(off milliseconds: UInt64) {
        passed += milliseconds
        steady = 0
    }
}
