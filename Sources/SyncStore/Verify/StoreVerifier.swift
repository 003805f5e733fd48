package import SyncModel

/// Checks a whole store without changing it: that it has not lost its end, the database's own
/// structure, the checksums of all
/// records and snapshots, that logs have no gaps, and that snapshots are within them. With a
/// ``RoomReplay`` it also checks that each snapshot matches the records before it.
///
/// It locks the store, so a store in use can't be verified. The store need not be writable; its
/// write-ahead log is read, too.
///
/// # Performance
/// One pass over everything that is stored, with one record and one snapshot in memory.
package struct StoreVerifier {
    /// How much was checked.
    package struct Summary: Sendable, Equatable {
        package var rooms = 0
        package var records = 0
        package var snapshots = 0
        package var findings = 0
        /// Whether the database has all the commits that the file beside it has seen.
        package var tail = TailCheck.reached
    }

    /// SQLite says up to a hundred things about the pages of a table in one text.
    private static let maximumFindingBytes = 1 << 16

    private let storage: SQLiteStorage
    private let report: (StoreFinding) -> Void
    private var summary = Summary()

    /// Verifies the store in a folder.
    ///
    /// - Parameters:
    ///   - replay: replays rooms; without it, bodies are not checked beyond their checksums.
    ///   - maximumBytes: a larger snapshot is not read; that is reported.
    ///   - report: called for each thing that is wrong.
    /// - Throws: why the store cannot be verified: there is none, or it is in use, or of another
    ///   version. Damage is reported, however bad it is.
    package static func verify(
        directory: String, replay: (any RoomReplay)?, atMost maximumBytes: Int = .max,
        report: @escaping (StoreFinding) -> Void
    ) throws(StoreError) -> Summary {
        let storage: SQLiteStorage
        do throws(StoreError) {
            storage = try SQLiteStorage(
                directory: directory, options: SQLiteOptions(), opening: .unchanging)
        } catch .corrupt(let room, let what) {
            report(StoreFinding(room: room, what: what))
            return Summary(findings: 1)
        }
        defer { storage.close() }
        var verifier = StoreVerifier(storage: storage, report: report)
        verifier.checkTail()
        verifier.checkDatabase()
        verifier.checkOwners(of: "log")
        verifier.checkOwners(of: "snapshots")
        for room in storage.roomsByName.values.sorted(by: { $0.state.name < $1.state.name }) {
            var verification = RoomVerification(
                room, in: storage, replay: replay, atMost: maximumBytes
            ) { flaw in
                verifier.add(room.state.name, flaw)
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

    private mutating func add(_ room: RoomName?, _ flaw: RoomFlaw) {
        summary.findings += 1
        report(
            StoreFinding(room: room, what: flaw.description, isTooLarge: flaw.isTooLarge))
    }

    /// A file that is missing or torn is no finding.
    private mutating func checkTail() {
        summary.tail = storage.tailCheck
        if case .lost = storage.tailCheck {
            add(nil, RoomFlaw(storage.tailCheck.description ?? ""))
        }
    }

    /// Lets SQLite check its pages.
    private mutating func checkDatabase() {
        attempt { storage throws(StoreError) in
            var findings: [String] = []
            let query = try storage.connection.prepare("PRAGMA integrity_check")
            defer { query.reset() }
            while try query.step() {
                if query.has("ok", in: 0) { continue }
                findings.append(
                    query.text(0, atMost: Self.maximumFindingBytes) ?? "SQLite finds it damaged")
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
            for what in try check(storage) { add(nil, RoomFlaw(what)) }
        } catch {
            add(nil, RoomFlaw(error.description))
        }
    }
}

/// Something that is wrong in a store.
package struct StoreFinding: Error, Sendable, Equatable, CustomStringConvertible {
    /// `nil` if it does not concern one room.
    package var room: RoomName?
    package var what: String
    /// Whether it is only that a room is larger than may be read.
    package var isTooLarge = false

    package init(room: RoomName?, what: String, isTooLarge: Bool = false) {
        self.room = room
        self.what = what
        self.isTooLarge = isTooLarge
    }

    package var description: String {
        if let room { "room '\(room)': \(what)" } else { "the store: \(what)" }
    }
}
