import Foundation
import SeededRandom
import SyncModel
import SyncWire
import Testing

@testable import SyncStore

extension ProcessTests {
    /// Bytes are flipped in copies of a store that a killed server leaves. `serve` refuses a copy,
    /// or one of its rooms, with a clear message, or its answers are correct. Whatever it refuses
    /// `verify` reports.
    ///
    /// `COLLSYNC_SEED` damages one copy again; `COLLSYNC_COPIES` sets the number of copies.
    @Suite struct DamagedStoreTests {
        private static var seeds: [UInt64] {
            let environment = ProcessInfo.processInfo.environment
            if let seed = environment["COLLSYNC_SEED"].flatMap(UInt64.init) { return [seed] }
            return Array(1...(environment["COLLSYNC_COPIES"].flatMap(UInt64.init) ?? 40))
        }

        @Test func nothingIsSilentlyWrong() throws {
            let original = try StoredTruth()
            var refusals = 0
            for seed in DamagedStoreTests.seeds {
                var generator = SplitMix64(seed: seed)
                let folder = try TemporaryFolder()
                let damage = try StoreDamage(
                    copying: original.data, to: folder.path("data"), using: &generator)
                let findings = try damage.check(against: original)
                refusals += findings.isRefused ? 1 : 0
                #expect(
                    findings.problems == [],
                    "\(damage); again: COLLSYNC_SEED=\(seed) swift test --filter DamagedStore")
            }
            // A single copy may have been damaged at an unused place.
            let count = DamagedStoreTests.seeds.count
            #expect(count == 1 || refusals * 5 > count)
        }

        /// Its checksum is correct, as if a person or another program had written the row.
        @Test func aRoomWhoseLogEndsBeforeItBeginsIsRefused() throws {
            let server = try ServerProcess()
            try RoomWriter("hall", at: server).submit(1..<4) { number in
                [
                    .insert(
                        Item(id: try Identifier("item-\(number)")),
                        to: Placement(section: Identifier("main")))
                ]
            }
            #expect(try server.terminate() == .exit(0))
            let storage = try SQLiteStorage(directory: server.data)
            var room = try storage.existing(try RoomName(named: "hall"))
            room.state.firstSequence = room.state.lastSequence + 7
            let changed = room
            try storage.transaction { () throws(StoreError) in try storage.write(changed) }
            storage.close()
            for command in [["serve", "--listen", "127.0.0.1:0", "--data"], ["verify"]] {
                let result = try CommandResult.server(command + [server.data])
                #expect(result.ending == .exit(65))
                let said = result.output + result.errors
                #expect(said.contains { $0.contains("says what can't be") })
            }
        }
    }
}
