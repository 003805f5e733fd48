import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// No changed value in a store goes unnoticed: the test changes each column of each table in turn.
@Suite struct ColumnDamageTests {
    private static let rooms: [RoomName] = ["a", "b"]

    /// A store with two rooms, one of which has a snapshot of several parts.
    private func makeStore() throws -> StoreFixture {
        let fixture = try StoreFixture(.sqlite)
        for (index, room) in Self.rooms.enumerated() {
            var maker = RoomMaker(seed: UInt64(index))
            for record in maker.next(20) { try fixture.append(record, to: room).get() }
            let bytes = index == 0 ? 3 << 20 : 9000
            try fixture.save(maker.snapshot(bodyBytes: bytes), of: room).get()
            for record in maker.next(20) { try fixture.append(record, to: room).get() }
        }
        let reading = ClockReading(steadyMilliseconds: 5, wallClockMilliseconds: 6)
        let time = TrustedTime(milliseconds: 7, reading: reading)
        try fixture.ask { $0.note(time, completion: $1) }.get()
        fixture.store.finish()
        return fixture
    }

    /// All columns, according to the database itself.
    private func columns(of path: String) throws -> [(table: String, column: String)] {
        let connection = try SQLiteConnection(path: path, access: .create)
        defer { connection.close() }
        let query = try connection.prepare(
            """
            SELECT tables.name, columns.name FROM sqlite_schema AS tables, \
            pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
            """)
        var columns: [(String, String)] = []
        while try query.step() {
            columns.append(
                (
                    try #require(query.text(0, atMost: 4096)),
                    try #require(query.text(1, atMost: 4096))
                ))
        }
        return columns
    }

    /// Gives a column another value of the same type in one row.
    ///
    /// - Returns: how many rows were changed.
    private func change(_ column: String, of table: String, row: Int, in path: String) throws
        -> Int64
    {
        let connection = try SQLiteConnection(path: path, access: .create)
        defer { connection.close() }
        try connection.execute(
            """
            UPDATE \(table) SET \(column) = CASE typeof(\(column)) \
            WHEN 'integer' THEN \(column) + 1000000 WHEN 'text' THEN \(column) || 'x' \
            ELSE CAST(\(column) || x'00' AS BLOB) END \
            WHERE rowid = (SELECT rowid FROM \(table) ORDER BY rowid LIMIT 1 OFFSET \(row))
            """)
        return try connection.integer("SELECT changes()")
    }

    /// The rooms that can be read; `nil` if the store can't be opened.
    private func read(_ path: String) -> [Result<StoredRoom?, StoreError>]? {
        guard let store = try? WorkerStore.sqlite(directory: path, worker: ManualWorker()) else {
            return nil
        }
        let answers = Self.rooms.map { _ in Answer<StoredRoom?>() }
        for (room, answer) in zip(Self.rooms, answers) {
            store.open(room: room, admitting: { _ in true }, completion: answer.completion)
        }
        store.finish()
        return answers.compactMap(\.value)
    }

    /// A name is judged before anything is done with it, whatever the row's checksum says.
    @Test(arguments: [
        "''", "'a/b'", "'a' || char(10)", "x'ff'", "x'61cc'", "7.5 || '/'",
        "printf('%.*c', 129, 'x')", "printf('%.*c', 5000000, 'x')",
    ])
    func aNameThatCantBeOneIsDamage(name: String) throws {
        let fixture = try makeStore()
        let connection = try SQLiteConnection(
            path: "\(fixture.folder.path)/\(Files.database)", access: .create)
        try connection.execute("UPDATE rooms SET name = \(name) WHERE name = 'b'")
        connection.close()
        let what = "the name of room 2 can't be one"
        #expect(try verify(fixture.folder) == [StoreFinding(room: nil, what: what)])
        #expect(throws: StoreError.corrupt(room: nil, what: what)) {
            try SQLiteStorage(directory: fixture.folder.path)
        }
        #expect(throws: StoreError.corrupt(room: nil, what: what)) {
            try backUp(fixture.folder.path, rooms: ["a"])
        }
    }

    @Test func everyColumnIsChecked() throws {
        let whole = try makeStore()
        let path = "\(whole.folder.path)/\(Files.database)"
        let columns = try columns(of: path)
        let right = try #require(read(whole.folder.path)).map { try? $0.get() }
        var changed = 0
        for (table, column) in columns {
            for row in 0..<3 {
                let copy = TemporaryFolder()
                Files.copyStore(from: whole.folder.path, to: copy.path)
                let damaged = "\(copy.path)/\(Files.database)"
                guard try change(column, of: table, row: row, in: damaged) > 0 else { continue }
                changed += 1
                let comment: Comment = "\(table).\(column), row \(row)"
                let findings = Result { try verify(copy) }
                if case .success(let findings) = findings { #expect(findings != [], comment) }
                // Whatever can be read is correct.
                for (found, room) in zip(read(copy.path) ?? [], right) {
                    if case .success(let found) = found { #expect(found == room, comment) }
                }
            }
        }
        #expect(columns.count > 25 && changed > 60, "\(columns)")
    }
}
