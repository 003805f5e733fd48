import Foundation
import SeededRandom
import Testing

@testable import SyncStore

extension ProcessTests {
    /// `restore` and `purge` are killed at some of the changes that they make on the disk. The
    /// store is then as it was before, or as it should be. It can be verified and served, and the
    /// command can be run again.
    ///
    /// `COLLSYNC_SEED` chooses other changes; `COLLSYNC_KILLS` sets how many of each command.
    @Suite struct KilledCopyTests {
        enum Command: String, CaseIterable {
            case replaceRoom
            case addRoom
            case makeStore
            /// In a folder with revocations, where it is made in place.
            case makeStoreInPlace
            case purge

            var makesStore: Bool { self == .makeStore || self == .makeStoreInPlace }
            var addsRooms: Bool { makesStore || self == .addRoom }
        }

        private static let seed = number("COLLSYNC_SEED") ?? 1
        private static let killCount = Int(number("COLLSYNC_KILLS") ?? 12)

        private static let revocation = "2026-01-31T12:34:56Z token t\n"

        private static func number(_ name: String) -> UInt64? {
            ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
        }

        private let files = FileManager.default
        private let killer: CountedKill
        private let store: CopiedStore

        init() throws {
            killer = try CountedKill()
            store = try CopiedStore()
        }

        /// Makes the place that a command changes, and returns its folder.
        private func makePlace(for command: Command, in folder: TemporaryFolder) throws -> String {
            let place = folder.path("place")
            switch command {
            case .makeStore: break
            case .makeStoreInPlace:
                try files.createDirectory(atPath: place, withIntermediateDirectories: false)
                _ = try folder.write(Self.revocation, to: "place/revocations")
            case .replaceRoom, .addRoom, .purge:
                try files.copyItem(atPath: store.data, toPath: place)
            }
            return place
        }

        private func arguments(of command: Command, in place: String) -> [String] {
            let restore = ["restore", place, "--from", store.copy]
            return switch command {
            case .replaceRoom: restore + ["--replace"]
            case .addRoom: restore + ["--room", "room", "--as", "another"]
            case .makeStore, .makeStoreInPlace: restore
            case .purge: ["purge", place, "room", "--item", "item-2"]
            }
        }

        /// So many points, spread over all changes.
        private func points(among changes: Int) -> [CountedKill.Point] {
            var random = SplitMix64(seed: Self.seed)
            let count = min(changes, Self.killCount)
            return (0..<count).map { index in
                let (start, end) = (changes * index / count, changes * (index + 1) / count)
                return CountedKill.Point(
                    change: 1 + start + random.below(end - start), isHalfWritten: random.chance(50))
            }
        }

        @Test(arguments: Command.allCases)
        func allOrNothing(command: Command) throws {
            let whole = try TemporaryFolder()
            let place = try makePlace(for: command, in: whole)
            let before: StoreContents? =
                command.makesStore ? nil : try Self.contents(of: place, in: whole)
            let changes = try killer.countChanges(of: arguments(of: command, in: place))
            let after = try StoreContents(of: place)
            #expect(after.shape != before?.shape)
            #expect(after.hasText(CopiedStore.secret) == (command != .purge))
            for (index, point) in points(among: changes).enumerated() {
                let hint: Comment = "\(command) at \(point); COLLSYNC_SEED=\(Self.seed)"
                do {
                    try kill(command, at: point, isServed: index % 4 == 0, before, after, hint)
                } catch {
                    Issue.record(error, hint)
                }
            }
        }

        private func kill(
            _ command: Command, at point: CountedKill.Point, isServed: Bool,
            _ before: StoreContents?, _ after: StoreContents, _ hint: Comment
        ) throws {
            let folder = try TemporaryFolder()
            let place = try makePlace(for: command, in: folder)
            let arguments = arguments(of: command, in: place)
            try killer.run(arguments, killedAt: point)
            var isDone = false
            if files.fileExists(atPath: "\(place)/collsync.db") {
                let found = try Self.contents(of: place, in: folder)
                isDone = found.shape == after.shape
                #expect(isDone || found.rooms == before?.rooms ?? [:], hint)
                // A new store may have no tables yet.
                if isDone || before != nil {
                    #expect(try StoreContents.findings(in: place) == [], hint)
                    if isServed { try serve(place, in: folder, hint) }
                }
            } else {
                #expect(before == nil, hint)
            }

            // Revocations are added all at once, before the rooms appear.
            let former = command == .makeStoreInPlace ? Self.revocation : nil
            let added = command == .purge ? former : (former ?? "") + CopiedStore.revocation
            let found = revocations(in: place)
            #expect(found == added || !isDone && found == former, hint)

            // What is there is not replaced without --replace.
            let isRefused = isDone && command.addsRooms
            let again = try CommandResult.server(arguments)
            #expect(again.ending == .exit(isRefused ? 73 : 0), "\(hint): \(again)")
            #expect(try StoreContents.findings(in: place) == [], hint)
            if command == .purge {
                #expect(try !hasSecret(in: place), hint)
            } else {
                #expect(try StoreContents(of: place).shape == after.shape, hint)
            }
            #expect(revocations(in: place) == added, hint)
        }

        private func revocations(in place: String) -> String? {
            try? String(contentsOfFile: "\(place)/revocations", encoding: .utf8)
        }

        private func serve(_ place: String, in folder: TemporaryFolder, _ hint: Comment) throws {
            let copy = folder.path("served")
            try files.copyItem(atPath: place, toPath: copy)
            let server = try ServerProcess(data: copy)
            #expect(try server.export("room").identifiers.count > 1, hint)
            #expect(try server.terminate() == .exit(0), hint)
        }

        /// Whether the secret is in any file of a store.
        private func hasSecret(in place: String) throws -> Bool {
            try files.files(in: place).contains { name in
                let data = try Data(contentsOf: URL(filePath: "\(place)/\(name)"))
                return data.firstRange(of: Data(CopiedStore.secret.utf8)) != nil
            }
        }

        /// Opening a store changes it, so a copy is opened.
        private static func contents(
            of place: String, in folder: TemporaryFolder
        ) throws -> StoreContents {
            let copy = folder.path("opened")
            try FileManager.default.copyItem(atPath: place, toPath: copy)
            return try StoreContents(of: copy)
        }
    }
}
