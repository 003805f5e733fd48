import SyncBytes
import SyncModel
import SyncStore

/// The verifier's findings in a store.
func verify(
    _ folder: TemporaryFolder, replay: (any RoomReplay)? = nil
) throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    let summary = try StoreVerifier.verify(directory: folder.path, replay: replay) {
        findings.append($0)
    }
    precondition(summary.findings == findings.count, "the summary counts the findings")
    return findings
}

/// A replay whose state is the list of all bytes of a room's records.
final class ByteReplay: RoomReplay {
    private var state: [UInt8] = []
    /// The calls, for the tests.
    private(set) var calls: [String] = []

    func begin(room: RoomName, at snapshot: StoredSnapshot?) -> RoomFlaw? {
        calls.append("begin \(room) \(snapshot?.sequence ?? 0)")
        state = snapshot.map { $0.body.array } ?? []
        return nil
    }

    func apply(_ record: LogRecord) -> RoomFlaw? {
        calls.append("apply \(record.sequence)")
        state += record.body.array
        return nil
    }

    func compare(with snapshot: StoredSnapshot) -> RoomFlaw? {
        calls.append("compare \(snapshot.sequence)")
        return state == snapshot.body.array ? nil : "the bytes differ"
    }

    /// The snapshot that a replay of the records produces.
    static func snapshot(after records: [LogRecord]) -> StoredSnapshot {
        StoredSnapshot(
            sequence: UInt64(records.count), revision: records.last?.lastRevision ?? 0,
            trustedMilliseconds: records.last?.wallClockMilliseconds ?? 0,
            body: SharedBytes(records.flatMap { $0.body.array }))
    }
}
