import Foundation
import ModelSupport
import SeededRandom
import ServerSupport
import SyncIO
import SyncModel
import SyncServer
import SyncWire
import Testing

@testable import collsync

/// An audit trail is bounded in size and age, and has no address that is older than it may be.
@Suite struct AuditTrailTests {
    private let folder: TemporaryFolder
    private let path: String
    private static let hour: UInt64 = 3_600_000
    private static let day: UInt64 = 24 * hour
    private static let start: UInt64 = 1_700_000_000_000

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("audit")
    }

    /// The clocks, so many milliseconds after the start of the test.
    private func clocks(_ passed: UInt64 = 0) -> ClockReading {
        ClockReading(
            steadyMilliseconds: 5000 + passed, wallClockMilliseconds: Self.start + passed)
    }

    private func event(_ user: String = "ann", at clocks: ClockReading? = nil) -> AuditEvent {
        AuditEvent(
            .join, time: (clocks ?? self.clocks()).wallClockMilliseconds,
            user: UserName(stringLiteral: user), address: "192.0.2.1:5", room: roomName("room"))
    }

    private func stranger(at clocks: ClockReading) -> AuditEvent {
        AuditEvent(
            .signIn, time: clocks.wallClockMilliseconds, address: "198.51.100.9:1",
            code: .badToken)
    }

    private func open(_ policy: AuditPolicy = AuditPolicy()) throws -> AuditTrailFiles {
        try AuditTrailFiles(path, policy, at: clocks())
    }

    /// Ends a trail without closing it, and opens it again.
    private func reopened(
        _ trail: consuming AuditTrailFiles, _ policy: AuditPolicy = AuditPolicy(),
        at clocks: ClockReading
    ) throws -> AuditTrailFiles {
        discard(trail)
        return try AuditTrailFiles(path, policy, at: clocks)
    }

    private func discard(_ trail: consuming AuditTrailFiles) {}

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".jsonl") }
            .sorted()
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    private func lines(_ filter: AuditReader.Filter = .init(), bad: Int = 0) throws -> [AuditLine] {
        var reader = AuditReader(path)
        var lines: [AuditLine] = []
        try reader.read(filter) { lines.append($0) }
        #expect(reader.badLines == bad)
        return lines
    }

    private func bytes() throws -> Int {
        try names().reduce(0) { try $0 + content($1).utf8.count }
    }

    // MARK: Size

    @Test func sizeIsBoundedAndTheNewestLinesStay() throws {
        var policy = AuditPolicy()
        policy.bytes = 1 << 18
        var trail = try open(policy)
        var most = 0
        for number in 0..<6000 as Range<UInt64> {
            let clocks = clocks(number)
            #expect(
                trail.write([event("user-\(number)", at: clocks)], dropped: 0, at: clocks) == nil)
            if number % 500 == 0 { most = max(most, try bytes()) }
        }
        #expect(most <= policy.bytes(of: .main) && most > policy.bytes(of: .main) / 2)
        let lines = try lines()
        #expect(lines.last?["user"] == "user-5999" && lines.count > 1000)
        let numbers = lines.compactMap { Int($0["user"].dropFirst(5)) }
        #expect(numbers == Array((numbers.first ?? 0)...5999))
        for name in try names() {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func strangersPushOutNothingOfUsers() throws {
        var policy = AuditPolicy()
        policy.bytes = 1 << 18
        var trail = try open(policy)
        #expect(trail.write([event()], dropped: 0, at: clocks()) == nil)
        let flood = (1...6000).map { stranger(at: clocks($0)) }
        #expect(trail.write(flood, dropped: 0, at: clocks(6000)) == nil)
        #expect(try lines(.init(user: "ann")).count == 1)
        #expect(try bytes() <= policy.bytes)
        let ofStrangers = try names().filter { $0.hasPrefix("strangers-") }
            .reduce(0) { try $0 + content($1).utf8.count }
        #expect(ofStrangers <= policy.bytes / 4 && ofStrangers > policy.bytes / 8)
        #expect(try lines().first?["user"] == "ann")
    }

    // MARK: Names

    /// Whoever asks for one spelling gets no line of another one.
    @Test func namesAreComparedByTheirBytes() throws {
        var trail = try open()
        let events = Spellings.all.map { name in
            AuditEvent(
                .join, time: Self.start, user: UserName(stringLiteral: name), room: roomName(name))
        }
        #expect(trail.write(events, dropped: 0, at: clocks()) == nil)
        for name in Spellings.all {
            for filter in [
                AuditReader.Filter(room: roomName(name)), AuditReader.Filter(user: id(name)),
            ] {
                let found = try lines(filter)
                #expect(found.map { Array($0["room"].utf8) } == [Array(name.utf8)])
                #expect(found.map { Array($0["user"].utf8) } == [Array(name.utf8)])
            }
        }
    }

    // MARK: Age

    /// Lines and addresses go when it is time, whatever the wall clock says and however often the
    /// server or the machine restarts. Only the time while the machine is off does not count, and
    /// what was not noted before a loss of power.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func agesFollowTheTimeThatHasPassed(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var policy = AuditPolicy()
        (policy.age, policy.addressAge) = (20 * Self.day, 8 * Self.day)
        // A line may go a day early, with its file, and an address three intervals before that.
        let slack = policy.fileAge + 3 * policy.interval
        var machine = Machine()
        var trail = try AuditTrailFiles(path, policy, at: machine.clocks)
        var written: [UInt64] = []
        while machine.passed < 40 * Self.day {
            machine.run(Self.hour / 2)
            if random.next() % 10 == 0 {
                let event = event("\(written.count)", at: machine.clocks)
                #expect(trail.write([event], dropped: 0, at: machine.clocks) == nil)
                written.append(machine.passed)
            }
            switch random.next() % 100 {
            case 0: machine.jump = random.next() % 4 * 500 * Self.day
            case 1: trail = try reopened(trail, policy, at: machine.clocks)
            case 2:
                if random.next() % 2 == 0 {
                    #expect(trail.close() == nil)
                } else {
                    machine.lacking += policy.interval
                }
                machine.restart(off: random.next() % Self.day)
                trail = try reopened(trail, policy, at: machine.clocks)
            default: break
            }
            #expect(trail.keepUp(at: machine.clocks) == nil)
            guard random.next() % 30 == 0 else { continue }
            let lines = Dictionary(uniqueKeysWithValues: try lines().map { ($0["user"], $0) })
            for (number, time) in written.enumerated() {
                let age = machine.passed - time
                let line = lines["\(number)"]
                #expect(line != nil || age + slack >= policy.age, "seed \(seed)")
                let latest = policy.age + machine.lacking + 3 * Self.hour
                #expect(line == nil || age < latest, "seed \(seed)")
                guard let line else { continue }
                let isBlank = line["address"].isEmpty
                #expect(!isBlank || age + slack >= policy.addressAge, "seed \(seed)")
                #expect(isBlank || age < policy.addressAge + machine.lacking, "seed \(seed)")
            }
        }
        #expect(written.count > 100)
    }

    /// If the note with the trail's time is lost, that of the files counts.
    @Test func theTimeIsLost() throws {
        var trail = try open()
        #expect(trail.write([event()], dropped: 0, at: clocks()) == nil)
        let later = clocks(5 * 365 * Self.day)
        trail = try reopened(trail, at: later)
        #expect(trail.keepUp(at: later) == nil)
        #expect(try lines().map { $0["address"] } == ["192.0.2.1:5"])
        #expect(trail.keepUp(at: clocks((5 * 365 + 30) * Self.day)) == nil)
        #expect(try lines().map { $0["address"] } == [""])
        try "1\n2\n".write(
            toFile: "\(path)/\(AuditTrailFiles.timeName)", atomically: false, encoding: .utf8)
        trail = try reopened(trail, at: clocks())
        #expect(trail.keepUp(at: clocks()) == nil)
        #expect(try lines().count == 1)
    }

    @Test func noAddressesAreKeptAtAll() throws {
        var policy = AuditPolicy()
        policy.addressAge = 0
        var trail = try open()
        #expect(trail.write([event("ann")], dropped: 0, at: clocks()) == nil)
        trail = try reopened(trail, policy, at: clocks())
        for user in ["ben", "carl"] {
            #expect(trail.write([event(user)], dropped: 0, at: clocks(1)) == nil)
        }
        #expect(trail.keepUp(at: clocks(2)) == nil)
        #expect(try lines().map { $0["user"] } == ["ann", "ben", "carl"])
        #expect(try lines().allSatisfy { $0["address"].isEmpty })
        #expect(try names().count == 2)
    }

    // MARK: Failures

    @Test func aTornLineIsPassedOver() throws {
        var trail = try open()
        #expect(trail.write([event("one")], dropped: 0, at: clocks()) == nil)
        let name = try #require(try names().first)
        let file = try #require(FileHandle(forWritingAtPath: "\(path)/\(name)"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"time":"2023-11-14T22:13:20.000Z","kind":"jo"#.utf8))
        try file.close()
        #expect(try lines().map { $0["user"] } == ["one"])
        trail = try reopened(trail, at: clocks(1))
        #expect(trail.write([event("two")], dropped: 0, at: clocks(1)) == nil)
        #expect(try lines().map { $0["user"] } == ["one", "two"])
    }

    @Test func linesOfSomethingElseAreCounted() throws {
        var trail = try open()
        #expect(trail.write([event()], dropped: 0, at: clocks()) == nil)
        let name = try #require(try names().first)
        try ("{\"time\":\"x\"}\nrubbish\n" + content(name)).write(
            toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
        #expect(try lines(bad: 2).count == 1)
    }

    @Test func anInterruptedBlankingIsFinished() throws {
        var trail = try open()
        #expect(trail.write([event()], dropped: 0, at: clocks()) == nil)
        let name = try #require(try names().first)
        let blank = try content(name).replacing(#","address":"192.0.2.1:5""#, with: "")
        try blank.write(
            toFile: "\(path)/" + name.replacing(".jsonl", with: "-blank.jsonl"),
            atomically: false, encoding: .utf8)
        let half = "\(path)/.collsync-copy-abcdef"
        try "half".write(toFile: half, atomically: false, encoding: .utf8)
        #expect(try lines().map { $0["address"] } == [""])
        trail = try reopened(trail, at: clocks())
        #expect(try names() == [name.replacing(".jsonl", with: "-blank.jsonl")])
        #expect(!FileManager.default.fileExists(atPath: half))
        #expect(try lines().map { $0["address"] } == [""])
    }

    @Test func whatCannotBeWrittenIsCounted() throws {
        var trail = try open()
        let files = FileManager.default
        try files.moveItem(atPath: path, toPath: path + "-away")
        #expect(trail.write([event("a"), event("b")], dropped: 3, at: clocks()) != nil)
        #expect(trail.lost == 5)
        #expect(trail.keepUp(at: clocks()) != nil)
        try files.moveItem(atPath: path + "-away", toPath: path)
        #expect(trail.write([event("c")], dropped: 0, at: clocks()) == nil)
        let lines = try lines()
        #expect(lines.map { $0["kind"] } == ["lost", "join"] && trail.lost == 0)
        #expect(lines.first?["leftOut"] == "5" && lines.last?["user"] == "c")
    }

    @Test func oneServerWritesAFolder() throws {
        let trail = try open()
        let error = #expect(throws: FileFailure.self) { _ = try open() }
        #expect(error?.code == EWOULDBLOCK)
        discard(trail)
        _ = try open()
    }
}

/// A machine whose wall clock can be ahead.
private struct Machine {
    /// The time that has really passed, and how much of it nobody on the machine knows of.
    var passed: UInt64 = 0
    var lacking: UInt64 = 0
    var steady: UInt64 = 5000
    var jump: UInt64 = 0

    var clocks: ClockReading {
        ClockReading(
            steadyMilliseconds: steady, wallClockMilliseconds: 1_700_000_000_000 + passed + jump)
    }

    mutating func run(_ milliseconds: UInt64) {
        passed += milliseconds
        steady += milliseconds
    }

    mutating func restart(off milliseconds: UInt64) {
        passed += milliseconds
        lacking += milliseconds
        steady = 0
    }
}
