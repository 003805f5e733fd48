import Foundation
import SyncModel
import SyncServer

@testable import SyncStore

/// A store that a killed server has left, with an older copy of one of its rooms.
///
/// The room has a snapshot and records, in the database and in the write-ahead log. After the copy
/// it has changed. An item of it has a secret.
struct CopiedStore {
    static let secret = "first-secret-value"
    /// A line of the revocations in the copy. The store has none.
    static let revocation = "2026-01-31T12:34:56Z user ann\n"

    let folder: TemporaryFolder
    /// The folder of the store.
    let data: String
    /// The file with the copy of the room.
    let copy: String
    private let server: ServerProcess

    init() throws {
        folder = try TemporaryFolder()
        copy = folder.path("copy")
        server = try ServerProcess()
        data = server.data
        var writer = try RoomWriter("room", at: server)
        try writer.submit(1..<4, CopiedStore.insert)
        try RoomWriter("other", at: server).submit(11..<13, CopiedStore.insert)
        guard try server.terminate() == .exit(0) else {
            throw TestFailure("the server fails: \(server.transcript)")
        }
        let revocations = "\(data)/revocations"
        try Self.revocation.write(toFile: revocations, atomically: true, encoding: .utf8)
        guard
            try CommandResult.server(["backup", data, "--room", "room", "--to", copy]).ending
                == .exit(0)
        else { throw TestFailure("there is no copy: \(server.transcript)") }
        try FileManager.default.removeItem(atPath: revocations)
        try server.restart()
        writer = try RoomWriter("room", at: server, as: "c-later")
        try writer.submit(4..<8, CopiedStore.insert)
        try server.kill()
    }

    private static func insert(_ number: Int) throws -> [ListOperation] {
        let text = number == 2 ? secret : "text \(number)"
        let content = try ItemContent(fields: [
            Field(name: Identifier("text"), value: .text(text))
        ])
        let item = Item(id: try Identifier("item-\(number)"), content: content)
        return [.insert(item, to: Placement(section: Identifier("main")))]
    }
}

/// All rooms of a store.
struct StoreContents: Equatable {
    let rooms: [RoomName: StoredRoom]

    /// Opens a store as a server does.
    init(of directory: String) throws {
        let storage = try SQLiteStorage(directory: directory)
        defer { storage.close() }
        var rooms: [RoomName: StoredRoom] = [:]
        for name in storage.roomsByName.keys {
            rooms[name] = try storage.open(room: name) { _ in true }
        }
        self.rooms = rooms
    }

    /// Everything but the ids and times that a restoration or a purge makes anew. They are in the
    /// snapshot that it makes, or in the last record.
    var shape: [RoomName: [String]] {
        rooms.mapValues { room in
            let snapshot = room.snapshot.map { "\($0.sequence) at \($0.revision)" }
            let records = room.records.map { record in
                let body = record.sequence == room.records.last?.sequence ? [] : record.body.array
                return "\(record.sequence): \(record.firstRevision)-\(record.lastRevision) \(body)"
            }
            return [snapshot ?? "no snapshot"] + records
        }
    }

    /// Whether something in the rooms has a text.
    func hasText(_ text: String) -> Bool {
        let bytes = Data(text.utf8)
        return rooms.values.contains { room in
            let bodies = room.records.map(\.body) + (room.snapshot.map { [$0.body] } ?? [])
            return bodies.contains { Data($0.array).firstRange(of: bytes) != nil }
        }
    }

    /// What `collsync verify` finds in a store.
    static func findings(in directory: String) throws -> [String] {
        var findings: [String] = []
        _ = try StoreVerifier.verify(directory: directory, replay: RoomVerifier()) {
            findings.append("\($0)")
        }
        return findings
    }
}
