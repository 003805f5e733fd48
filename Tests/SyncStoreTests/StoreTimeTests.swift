import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// A store keeps the time by which its snapshots get old.
@Suite struct StoreTimeTests {
    private static let noted = TrustedTime(
        milliseconds: 70_000,
        reading: ClockReading(steadyMilliseconds: 100, wallClockMilliseconds: 90_000))
    private static let later = ClockReading(
        steadyMilliseconds: 600, wallClockMilliseconds: 99_000)

    @Test func theNotedTimeIsResumed() throws {
        let fixture = try StoreFixture(.sqlite)
        #expect(fixture.store.time == StoreTime())
        var maker = RoomMaker(seed: 1)
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        try fixture.reopen()
        #expect(fixture.store.time == StoreTime(newestMilliseconds: maker.time))
        try fixture.ask { $0.note(Self.noted, completion: $1) }.get()
        // Commits that change rooms leave the note as it is.
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        try fixture.save(maker.snapshot(), of: "r").get()
        try fixture.crash()
        #expect(fixture.store.time.noted == Self.noted)
        #expect(fixture.store.time.resumed(at: Self.later).milliseconds == 70_500)
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }

    /// The clock may have jumped before the first note.
    @Test func withoutANoteTheNewestRecordSaysTheTime() throws {
        let storage = MemoryStorage()
        #expect(storage.time.resumed(at: Self.later).milliseconds == 99_000)
        var maker = RoomMaker(seed: 1)
        _ = try storage.append([PendingAppend(record: maker.next(), room: "r")])
        #expect(storage.time.resumed(at: Self.later).milliseconds == maker.time)
        storage.note(Self.noted)
        #expect(storage.time.resumed(at: Self.later).milliseconds == 70_500)
    }

    @Test(arguments: [3, 4]) func anOlderStoreIsUpgraded(version: Int) throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        try fixture.ask { $0.deleteRoom("r", completion: $1) }.get()
        fixture.store.finish()
        try downgrade(fixture.folder, to: version)
        #expect(try verify(fixture.folder) == [])
        let storage = try SQLiteStorage(directory: fixture.folder.path)
        #expect(storage.time.noted == nil)
        #expect(storage.counts.otherCommits == (version == 3 ? 0 : 4))
        try storage.note(Self.noted)
        storage.close()
        let again = try SQLiteStorage(directory: fixture.folder.path)
        #expect(again.time.noted == Self.noted)
        again.close()
        #expect(try verify(fixture.folder) == [])
    }
}

/// Makes the tables of an older version out of those of today.
func downgrade(_ folder: TemporaryFolder, to version: Int) throws {
    let connection = try SQLiteConnection(path: "\(folder.path)/collsync.db", access: .create)
    var columns = ["trusted_time", "steady_clock", "wall_clock"]
    if version < 4 { columns += ["other_commits", "checksum"] }
    for column in columns { try connection.execute("ALTER TABLE store DROP COLUMN \(column)") }
    try connection.execute("PRAGMA user_version = \(version)")
    connection.close()
    Files.remove("\(folder.path)/collsync.tail")
}
