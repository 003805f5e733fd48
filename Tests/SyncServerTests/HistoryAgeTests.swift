import ModelSupport
import SeededRandom
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import SyncWire
import Testing

/// How long a server keeps a room's log with `--history`, whatever its clock says.
@Suite("The age of the log")
struct HistoryAgeTests {
    /// A room in which somebody changes an item from time to time.
    private final class Story {
        let world: World
        let seed: UInt64
        private var anna: (client: RawClient, room: RoomHandle)?
        /// For each record of the log, a time before which and one after which it was appended.
        private(set) var appended: [(after: UInt64, before: UInt64)] = []
        private var counter: UInt64 = 0

        init(seed: UInt64) throws {
            self.seed = seed
            world = try World(seed: seed) {
                $0.storage.historyMilliseconds = history
                $0.storage.upkeepMilliseconds = upkeep
                $0.storage.snapshotRevisions = 1
            }
        }

        var now: UInt64 { world.simulation.nowMicroseconds / 1000 }

        /// Makes a record, and an image after every second one.
        func edit() throws {
            let before = now
            let (client, room) = try anna ?? world.join("anna \(now)")
            anna = (client, room)
            counter += 1
            let number = Field(name: id("n"), value: .text("\(counter)"))
            let change: ListOperation =
                appended.isEmpty ? .insert("i") : .update(id("i"), ItemPatch(set: [number]))
            client.submit(counter, in: room, [change])
            #expect(world.run { client.answer(counter, in: room) != nil })
            world.run(forMilliseconds: 100)
            let page = try world.storage.readLog(
                room: roomName("room"), after: UInt64(appended.count), limitBytes: .max)
            for _ in page.records { appended.append((before, now)) }
        }

        func jump(to lead: UInt64) {
            world.wallClockLeadMilliseconds = lead
            world.platform?.wallClockLeadMilliseconds = lead
        }

        /// - Parameter lead: how far the clock is ahead afterwards.
        func restart(lead: UInt64) throws {
            world.wallClockLeadMilliseconds = lead
            try world.crash()
            (anna, counter) = (nil, 0)
        }

        /// How many records are not kept any more.
        var removedCount: Int {
            do throws(StoreError) {
                _ = try world.storage.readLog(room: roomName("room"), after: 0, limitBytes: 1)
            } catch {
                if case .compacted(_, let first) = error { return Int(first) - 1 }
            }
            return 0
        }

        func checkThatYoungOnesAreKept() {
            let removed = removedCount
            for index in appended.indices where now - appended[index].after < history {
                #expect(index >= removed, "record \(index + 1) is young, seed \(seed)")
            }
        }

        /// After so long with steady clocks, all records from before are gone.
        func checkThatOldOnesAreGone() throws {
            let begin = now
            while now < begin + history + 4 * upkeep {
                try edit()
                world.run(forMilliseconds: upkeep)
                checkThatYoungOnesAreKept()
            }
            let removed = removedCount
            for index in appended.indices where appended[index].before <= begin {
                #expect(index < removed, "record \(index + 1) is old, seed \(seed)")
            }
            #expect(removed > 0 && removed < appended.count)
        }
    }

    @Test("a clock that jumps ahead makes nothing old", arguments: 1...3 as ClosedRange<UInt64>)
    func ahead(seed: UInt64) throws {
        let story = try Story(seed: seed)
        for _ in 0..<6 { try story.edit() }
        story.jump(to: year)
        for _ in 0..<6 { try story.edit() }
        story.world.run(forMilliseconds: history / 2)
        #expect(story.removedCount == 0)
        try story.restart(lead: 2 * year)
        story.world.run(forMilliseconds: history / 4)
        #expect(story.removedCount == 0)
        try story.checkThatOldOnesAreGone()
    }

    @Test("a clock that jumps back makes nothing old", arguments: 1...3 as ClosedRange<UInt64>)
    func back(seed: UInt64) throws {
        let story = try Story(seed: seed)
        story.jump(to: year)
        for _ in 0..<6 { try story.edit() }
        story.jump(to: 0)
        for _ in 0..<6 { try story.edit() }
        story.world.run(forMilliseconds: history / 2)
        #expect(story.removedCount == 0)
        try story.checkThatOldOnesAreGone()
    }

    @Test("a server that is restarted often removes old log, too")
    func restarts() throws {
        let story = try Story(seed: 4)
        let begin = story.now
        while story.now - begin < 2 * history {
            try story.edit()
            story.world.run(forMilliseconds: upkeep / 2)
            try story.restart(lead: 0)
            story.checkThatYoungOnesAreKept()
        }
        story.world.run(forMilliseconds: 2 * upkeep)
        #expect(story.removedCount > story.appended.count / 3)
    }

    @Test("after a long stop, old log is removed")
    func stop() throws {
        let story = try Story(seed: 5)
        for _ in 0..<6 { try story.edit() }
        story.world.platform?.kill()
        story.world.run(forMilliseconds: 2 * history)
        try story.restart(lead: 0)
        story.world.run(forMilliseconds: 2 * upkeep)
        #expect(story.removedCount >= 4)
    }

    @Test("jumps and restarts in any order", arguments: 0..<12 as Range<UInt64>)
    func anything(seed: UInt64) throws {
        let story = try Story(seed: seed)
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            switch random.below(8) {
            case 0: story.jump(to: UInt64.random(in: 0...2 * year, using: &random))
            case 1: try story.restart(lead: UInt64.random(in: 0...2 * year, using: &random))
            case 2...4: try story.edit()
            default:
                story.world.run(
                    forMilliseconds: UInt64.random(in: 0...2 * upkeep, using: &random))
            }
            story.checkThatYoungOnesAreKept()
        }
        try story.checkThatOldOnesAreGone()
    }
}

private let history: UInt64 = 3_600_000
private let upkeep: UInt64 = 300_000
private let year: UInt64 = 365 * 24 * 3_600_000
