import Foundation
import SyncModel
import SyncWire

/// A store that a killed server leaves, with snapshots, a database and a write-ahead log, and the
/// answers of its rooms while it is undamaged.
final class StoredTruth {
    static let rooms = ["room1", "room2"]

    /// A room's answers to all requests for its present and its past.
    typealias Answers = [ServerMessage]

    private let server: ServerProcess
    /// The answers of each room…
    private(set) var answers: [String: Answers] = [:]
    /// … and its answers before the very last commit.
    private(set) var answersBefore: [String: Answers] = [:]
    /// The length of the write-ahead log before the very last commit. Damage after it looks like a
    /// commit that was torn by a loss of power.
    private(set) var lengthBefore = 0

    init() throws {
        server = try ServerProcess()
        // These records go into the database, with a snapshot.
        try write(1...60, to: "room1")
        try write(1...60, to: "room2")
        guard try server.terminate() == .exit(0) else { throw TestFailure(server.transcript) }
        // These records stay in the write-ahead log.
        try server.restart()
        try write(61...90, to: "room1")
        try write(61...90, to: "room2")
        answersBefore = try readAll()
        lengthBefore = try Data(contentsOf: URL(filePath: data + "/collsync.db-wal")).count
        try write(91...91, to: "room2")
        answers = try readAll()
        try server.kill()
    }

    var data: String { server.data }

    private func readAll() throws -> [String: Answers] {
        let connection = try WireConnection(port: server.port)
        var answers: [String: Answers] = [:]
        for room in StoredTruth.rooms {
            answers[room] = try StoredTruth.read(room, on: connection)
        }
        return answers
    }

    /// Reads the current state of a room and its history.
    static func read(_ room: String, on connection: WireConnection) throws -> Answers {
        let name = try RoomName(named: room)
        return try connection.answers(
            to: .readSnapshot(ReadSnapshot(request: 1, room: name)))
            + connection.answers(
                to: .readHistory(
                    ReadHistory(request: 2, room: name, from: 0, everyRevision: true)))
    }

    /// Inserts, edits, moves and deletes items.
    private func write(_ numbers: ClosedRange<Int>, to room: String) throws {
        let writer = try RoomWriter(room, at: server, as: "c-\(numbers.lowerBound)")
        let main = Placement(section: Identifier("main"))
        func item(_ number: Int) throws -> Identifier { try Identifier("item-\(number)") }
        for number in numbers {
            let text = Field(
                name: Identifier("text"),
                value: .text(String(repeating: "\(room) \(number) ", count: number % 7 * 100)))
            var operations: [ListOperation] = [
                .insert(
                    Item(id: try item(number), content: try ItemContent(fields: [text])),
                    to: main)
            ]
            if number % 3 == 0, number / 3 % 5 != 4 {
                operations.append(.move(try item(number / 3), to: main))
            }
            if number % 5 == 0 { operations.append(.delete(try item(number - 1))) }
            if number % 4 == 0 {
                operations.append(.update(try item(number), ItemPatch(set: [text])))
            }
            // One after the other, so that each is a commit of its own.
            try writer.submit(number..<number + 1) { _ in operations }
        }
    }
}
