import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncWire
import Testing

@testable import collsync_bench

/// The benchmark of views: its measuring tools, and all of it at tiny sizes.
@Suite struct ViewsTests {
    @Test func aSpreadHasTheMedianAndTheWorst() {
        let spread = Spread((1...100).reversed().map(Double.init))
        #expect(spread.median == 50)
        #expect(spread.quantile(0.99) == 99)
        #expect(spread.quantile(0) == 1)
        #expect(spread.worst == 100)
        let one = Spread([3])
        #expect([one.median, one.quantile(0.99), one.worst] == [3, 3, 3])
    }

    @Test func everyEditOfAScriptStands() throws {
        let engine = Engine()
        let author = engine.author(Identifier("bench"))
        let items = 20
        let main = Identifier("main")
        let inserts = try (0..<items).map {
            ListOperation.insert(
                try ViewedRoom.item($0), to: Placement(section: main))
        }
        _ = try engine.submit(ListTransaction(base: 0, operations: inserts), by: author)
        var script = EditScript(items: items, seed: 1)
        var kinds: [String: Int] = [:]
        for _ in 0..<1200 {
            let operation = try script.next()
            switch operation {
            case .update: kinds["update", default: 0] += 1
            case .insert: kinds["insert", default: 0] += 1
            case .delete: kinds["delete", default: 0] += 1
            case .move: kinds["move", default: 0] += 1
            default: Issue.record("\(operation) is an unexpected operation")
            }
            let commit = try engine.submit(
                ListTransaction(base: engine.revision, operations: [operation]), by: author)
            #expect(commit.superseded.isEmpty)
        }
        // The long item is inserted, too.
        #expect(kinds == ["update": 899, "insert": 101, "delete": 100, "move": 100])
        #expect(engine.itemCount == items + 1)
    }

    @Test func aPaceThatBeginsAnewOwesNothing() {
        func taken(_ pace: inout Pace, at seconds: Double) -> Int {
            var count = 0
            while pace.takeNext(at: seconds) { count += 1 }
            return count
        }
        var pace = Pace(perSecond: 8)
        pace.begin(at: 2)
        #expect(taken(&pace, at: 2) == 0)
        #expect(taken(&pace, at: 2.5) == 4)
        #expect(taken(&pace, at: 3) == 4)
        pace.begin(at: 100)
        #expect(taken(&pace, at: 100) == 0)
        #expect(taken(&pace, at: 100.25) == 2)
    }

    @Test func theHeadOfAnUpdateHasItsNumberAndRevision() throws {
        let update = ViewUpdate(
            room: 70_000, view: 1, number: 300, revision: 1 << 40, isFirst: true,
            contentSize: ListSize(width: 1, height: 2))
        let frame = MessageEncoder().encode(.viewUpdate(update)).plain
        var found: [(number: UInt64, revision: Revision)] = []
        var skimmer = FrameSkimmer()
        try frame.withBytes { bytes in
            try skimmer.skim(bytes) { head in
                if let update = try Viewer.update(in: head) { found.append(update) }
            }
        }
        #expect(found.map(\.number) == [300])
        #expect(found.map(\.revision) == [1 << 40])
    }

    @Test func viewersSeeEditsAndAThinClientItsScreens() throws {
        let programs = try Programs.besideThis(cores: .shared)
        let scratch = try ScratchFolder(in: nil)
        let server = try programs.startServer(data: "\(scratch.path)/data")
        let room = ViewedRoom(.waterfall, items: 200)
        _ = try room.fill(on: server.port)
        let audience = try Audience(
            room, viewers: 4, editsPerSecond: 200, port: server.port, seed: 1)
        let outcome = try server.watched { try audience.run(seconds: 0.3) }.outcome
        #expect(audience.isSettled, "a round ends when everybody has everything")
        let next = try audience.run(seconds: 0.1)
        #expect(audience.isSettled)
        #expect(next.edits > 0)
        #expect(outcome.edits > 0)
        #expect(outcome.updates > 0)
        #expect(outcome.longestLag > 0)
        #expect(outcome.longestAnswer > 0)
        #expect(outcome.longestAbsence > 0)
        let thin = try ThinClientBenchmark(programs, folder: scratch.path, room)
        #expect(try thin.figures(scrolls: 5).bytes > 0)
    }
}
