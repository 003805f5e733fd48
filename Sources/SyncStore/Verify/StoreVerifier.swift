/// Checks a store from end to end, without changing it: the database's own structure, the checksum
/// of every record and snapshot, that logs have no gaps, that snapshots stand within them, and,
/// with the help of a ``RoomReplay``, that each snapshot is what the records before it make.
///
/// It takes the store's lock: a store in use is not verified. The store need not be writable: what
/// is in its write-ahead log is read with it.
///
/// # Performance
/// One pass over everything that is stored; what is in memory is one record and one snapshot.
package struct StoreVerifier {
    /// What was looked at.
    package struct Summary: Sendable, Equatable {
        package var rooms = 0
        package var records = 0
        package var snapshots = 0
        package var findings = 0
    }

    private let storage: SQLiteStorage
    private let report: (StoreFinding) -> Void
    private var summary = Summary()

    /// Verifies the store in a folder.
    ///
    /// - Parameters:
    ///   - replay: who replays rooms; without it bodies are not looked into.
    ///   - report: called for each thing that is wrong.
    /// - Throws: why the store cannot be verified: there is none, or it is in use, or of a newer
    ///   version. Damage is reported, however bad it is.
    package static func verify(
        directory: String, replay: (any RoomReplay)?,
        report: @escaping (StoreFinding) -> Void
    ) throws(StoreError) -> Summary {
        let storage: SQLiteStorage
        do throws(StoreError) {
            storage = try SQLiteStorage(
                directory: directory, options: SQLiteOptions(), isReadOnly: true)
        } catch .corrupt(let room, let what) {
            report(StoreFinding(room: room, what: what))
            return Summary(findings: 1)
        }
        defer { storage.close() }
        var verifier = StoreVerifier(storage: storage, report: report)
        verifier.checkDatabase()
        verifier.checkOwners(of: "log")
        verifier.checkOwners(of: "snapshots")
        for room in storage.roomsByName.values.sorted(by: { $0.state.name < $1.state.name }) {
            var verification = RoomVerification(room, in: storage, replay: replay) { what in
                verifier.add(room.state.name, what)
            }
            verification.run()
            verifier.summary.rooms += 1
            verifier.summary.records += verification.recordCount
            verifier.summary.snapshots += verification.snapshotCount
        }
        return verifier.summary
    }

    private init(storage: SQLiteStorage, report: @escaping (StoreFinding) -> Void) {
        self.storage = storage
        self.report = report
    }

    private mutating func add(_ room: String?, _ what: String) {
        summary.findings += 1
        report(StoreFinding(room: room, what: what))
    }

    /// Has SQLite check its pages.
    private mutating func checkDatabase() {
        attempt { storage throws(StoreError) in
            var findings: [String] = []
            let query = try storage.connection.prepare("PRAGMA integrity_check")
            defer { query.reset() }
            while try query.step() {
                if let text = query.text(0), text != "ok" { findings.append(text) }
            }
            return findings
        }
    }

    /// Checks that every row belongs to a room.
    private mutating func checkOwners(of table: String) {
        attempt { storage throws(StoreError) in
            var findings: [String] = []
            let owners = Set(storage.roomsByName.values.map(\.id)).union(storage.deletedRooms)
            let query = try storage.connection.prepare("SELECT DISTINCT key >> ? FROM \(table)")
            defer { query.reset() }
            try query.bind(1, RowKey.sequenceBits)
            while try query.step() {
                let owner = query.integer(0)
                if owners.contains(owner) { continue }
                findings.append("the table '\(table)' has rows of no room (\(owner))")
            }
            return findings
        }
    }

    private mutating func attempt(
        _ check: (SQLiteStorage) throws(StoreError) -> [String]
    ) {
        do throws(StoreError) {
            for what in try check(storage) { add(nil, what) }
        } catch {
            add(nil, error.description)
        }
    }
}

/// Something that is wrong in a store.
package struct StoreFinding: Error, Sendable, Equatable, CustomStringConvertible {
    /// `nil` if it is not one room's.
    package var room: String?
    package var what: String

    package init(room: String?, what: String) {
        self.room = room
        self.what = what
    }

    package var description: String {
        if let room { "room '\(room)': \(what)" } else { "the store: \(what)" }
    }
}
