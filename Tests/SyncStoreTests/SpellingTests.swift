import ModelSupport
import StoreSupport
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// Rooms whose names differ by their spelling only are different rooms, in every store and in its
/// copies.
@Suite struct SpellingTests {
    private static let now = ClockReading(steadyMilliseconds: 5, wallClockMilliseconds: 2000)

    /// A store in which each spelling is a room, with more records than the one before it, and a
    /// snapshot.
    private func makeStore(_ kind: StoreKind) throws -> (StoreFixture, [RoomName: [LogRecord]]) {
        let fixture = try StoreFixture(kind)
        var records: [RoomName: [LogRecord]] = [:]
        for (index, room) in Spellings.rooms.enumerated() {
            var maker = RoomMaker(seed: UInt64(index))
            for record in maker.next(index + 2) { try fixture.append(record, to: room).get() }
            try fixture.save(ByteReplay.snapshot(after: maker.records), of: room).get()
            try fixture.append(maker.next(), to: room).get()
            records[room] = maker.records
        }
        return (fixture, records)
    }

    private func expect(_ fixture: StoreFixture, has records: [RoomName: [LogRecord]]) throws {
        #expect(try fixture.rooms().get().map(\.name) == records.keys.sorted())
        for room in Spellings.rooms {
            guard let records = records[room] else {
                #expect(try fixture.open(room).get() == nil)
                #expect(try fixture.summary(room).get() == nil)
                #expect(try fixture.readLog(room, after: 0).error == .noSuchRoom(room))
                #expect(try fixture.oldestRevision(room).error == .noSuchRoom(room))
                continue
            }
            #expect(try fixture.readLog(room, after: 0).get().records == records)
            #expect(try fixture.summary(room).get()?.name == room)
            #expect(try fixture.summary(room).get()?.recordCount == UInt64(records.count))
            let stored = try fixture.open(room).get()
            #expect(stored?.snapshot?.sequence == UInt64(records.count - 1))
            #expect(stored?.records == Array(records.suffix(1)))
        }
    }

    @Test func theirTextsAreEqualToSwift() {
        #expect(Spellings.composed == Spellings.decomposed)
        #expect(Spellings.aboveAndBelow == Spellings.belowAndAbove)
        #expect(Set(Spellings.rooms).count == 4)
    }

    @Test(arguments: StoreKind.allCases) func eachIsARoom(kind: StoreKind) throws {
        let (fixture, records) = try makeStore(kind)
        try expect(fixture, has: records)
        try fixture.reopen()
        try expect(fixture, has: records)
        try fixture.crash()
        try expect(fixture, has: records)
    }

    /// Records of all rooms that wait are committed together.
    @Test(arguments: StoreKind.allCases) func eachIsARoomOfOneCommit(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var makers = Spellings.rooms.indices.map { RoomMaker(seed: UInt64($0)) }
        let answers = (0..<3).flatMap { _ in
            Spellings.rooms.enumerated().map { index, room in
                let record = makers[index].next()
                let answer = Answer<Void>()
                fixture.store.append(record, to: room, completion: answer.completion)
                return answer
            }
        }
        fixture.worker.runAll()
        #expect(answers.allSatisfy { (try? $0.value?.get()) != nil })
        #expect(fixture.store.statistics.commits == 1)
        for _ in 0..<2 {
            for (room, maker) in zip(Spellings.rooms, makers) {
                #expect(try fixture.open(room).get()?.records == maker.records)
            }
            try fixture.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases, Spellings.rooms)
    func oneIsDeleted(kind: StoreKind, room: RoomName) throws {
        var (fixture, records) = try makeStore(kind)
        try fixture.delete(room).get()
        records[room] = nil
        try expect(fixture, has: records)
        #expect(try fixture.delete(room).error == .noSuchRoom(room))
        try fixture.reopen()
        try expect(fixture, has: records)
        var maker = RoomMaker(seed: 9)
        try fixture.append(maker.next(), to: room).get()
        #expect(try fixture.open(room).get()?.records == maker.records)
    }

    @Test(arguments: StoreKind.allCases, Spellings.rooms)
    func oneIsCompacted(kind: StoreKind, room: RoomName) throws {
        let (fixture, records) = try makeStore(kind)
        try fixture.compact(room, olderThan: .max).get()
        for _ in 0..<2 {
            for other in Spellings.rooms {
                let first = other == room ? records[room]?.count ?? 0 : 1
                let count = try fixture.summary(other).get()?.recordCount
                #expect(count == UInt64((records[other]?.count ?? 0) + 1 - first))
            }
            try fixture.reopen()
        }
    }

    @Test func theVerifierKnowsEach() throws {
        let (fixture, _) = try makeStore(.sqlite)
        fixture.store.finish()
        let replay = ByteReplay()
        #expect(try verify(fixture.folder, replay: replay) == [])
        let begun = replay.calls.filter { $0.hasPrefix("begin") && $0.hasSuffix(" 0") }
        #expect(
            begun.map { Array($0.utf8) }
                == Spellings.rooms.map { Array("begin \($0) 0".utf8) })
    }

    // MARK: Copies

    private func restore(
        _ bytes: [UInt8], into path: String, _ options: RestoreOptions = RestoreOptions()
    ) throws -> RestoreSummary {
        /// Ends each room with a record without revisions.
        final class Ends: RoomRestorer {
            func finish(
                room: RoomName, _ stored: StoredRoom, isCopy: Bool
            ) throws(StoreError) -> RestoredEnd {
                guard var last = stored.records.last else { throw .badCopy("no record") }
                last.sequence += 1
                last.firstRevision = last.lastRevision + 1
                return .record(last)
            }
        }
        var offset = 0
        return try StoreRestore.restore(
            into: path, options, at: Self.now, by: Ends(), checkedBy: ByteReplay(),
            willReplace: { () throws(StoreError) in }
        ) { memory throws(StoreError) in
            let count = min(memory.count, bytes.count - offset)
            memory.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
    }

    /// How many records each room of a store has.
    private func counts(_ folder: TemporaryFolder) throws -> [RoomName: UInt64] {
        let storage = try SQLiteStorage(directory: folder.path)
        defer { storage.close() }
        return storage.roomsByName.mapValues(\.state.lastSequence)
    }

    @Test func aCopyHasEach() throws {
        let (fixture, records) = try makeStore(.sqlite)
        let bytes = try backUp(fixture.folder.path)
        let copied = try BackupContents(reading: bytes).rooms
        #expect(copied.map(\.state.name) == Spellings.rooms)
        #expect(copied.map(\.records) == Spellings.rooms.map { records[$0] })
        let target = TemporaryFolder()
        try SQLiteStorage(directory: target.path).close()
        #expect(try restore(bytes, into: target.path).rooms == 4)
        #expect(try counts(target) == records.mapValues { UInt64($0.count) + 1 })
        #expect(try verify(target, replay: ByteReplay()) == [])
    }

    @Test(arguments: Spellings.rooms) func oneIsCopiedAndReplaced(room: RoomName) throws {
        let (fixture, records) = try makeStore(.sqlite)
        let bytes = try backUp(fixture.folder.path, rooms: [room, room])
        #expect(try BackupContents(reading: bytes).rooms.map(\.state.name) == [room])
        fixture.store.finish()
        #expect(throws: StoreError.roomExists(room)) {
            try restore(bytes, into: fixture.folder.path)
        }
        var options = RestoreOptions()
        options.replaces = true
        let summary = try restore(bytes, into: fixture.folder.path, options)
        #expect(summary.replaced == [room])
        var expected = records.mapValues { UInt64($0.count) }
        expected[room]? += 1
        #expect(try counts(fixture.folder) == expected)
        #expect(try verify(fixture.folder, replay: ByteReplay()) == [])
    }

    @Test(arguments: Spellings.rooms) func oneOfACopyIsRestored(room: RoomName) throws {
        let (fixture, records) = try makeStore(.sqlite)
        let bytes = try backUp(fixture.folder.path)
        let target = TemporaryFolder()
        try SQLiteStorage(directory: target.path).close()
        var options = RestoreOptions()
        options.rooms = [room]
        #expect(try restore(bytes, into: target.path, options).rooms == 1)
        #expect(try counts(target) == [room: UInt64(records[room]?.count ?? 0) + 1])
        // The others are rooms that the store lacks.
        for other in Spellings.rooms where other != room {
            let one = try backUp(target.path, rooms: [room])
            options.rooms = [other]
            #expect(throws: StoreError.noSuchRoom(other)) {
                try restore(one, into: target.path, options)
            }
            #expect(throws: StoreError.noSuchRoom(other)) {
                try backUp(target.path, rooms: [other])
            }
        }
    }

    @Test(arguments: Spellings.rooms) func oneIsPurged(room: RoomName) throws {
        let (fixture, records) = try makeStore(.sqlite)
        fixture.store.finish()
        try StorePurge.purge(directory: fixture.folder.path, room: room, at: Self.now) { stored in
            var image = ByteReplay.snapshot(after: records[room] ?? [])
            image.sequence += 1
            return image
        }
        var expected = records.mapValues { UInt64($0.count) }
        expected[room]? += 1
        #expect(try counts(fixture.folder) == expected)
        #expect(try verify(fixture.folder, replay: ByteReplay()) == [])
        let storage = try SQLiteStorage(directory: fixture.folder.path)
        defer { storage.close() }
        for other in Spellings.rooms {
            let kept = try storage.open(room: other)
            #expect((kept?.records == []) == (other == room))
        }
    }

    // MARK: Backups of others

    /// A program of before wrote rooms in the order of their texts, in which these come first.
    @Test func theOrderOfACopyMeansNothing() throws {
        let (fixture, _) = try makeStore(.sqlite)
        var contents = try BackupContents(reading: try backUp(fixture.folder.path))
        contents.rooms.reverse()
        let bytes = try contents.written(timeMilliseconds: 7)
        #expect(try BackupContents(reading: bytes) == contents)
        let target = TemporaryFolder()
        try SQLiteStorage(directory: target.path).close()
        #expect(try restore(bytes, into: target.path).rooms == 4)
        #expect(try counts(target).keys.sorted() == Spellings.rooms)
    }

    /// Wherever the room stands that comes twice.
    @Test(arguments: Spellings.rooms) func aRoomComesOnce(room: RoomName) throws {
        let (fixture, _) = try makeStore(.sqlite)
        let contents = try BackupContents(reading: try backUp(fixture.folder.path))
        let again = try #require(contents.rooms.first { $0.state.name == room })
        for place in 0...contents.rooms.count {
            var wrong = contents
            wrong.rooms.insert(again, at: place)
            let bytes = try wrong.written(timeMilliseconds: 7)
            #expect(throws: StoreError.badCopy("room '\(room)' comes twice")) {
                try BackupContents(reading: bytes)
            }
            let target = TemporaryFolder()
            try SQLiteStorage(directory: target.path).close()
            #expect(throws: StoreError.self) { try restore(bytes, into: target.path) }
            #expect(try counts(target) == [:])
        }
    }
}
