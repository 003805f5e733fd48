import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// A reader that stops reading while 100,000 edits pass costs the server no more than its
    /// share. Then it is sent what it lacks once, in the smaller of two ways.
    @Suite struct SlowReaderTests {
        /// Some of the items are edited, so the batch is smaller than the room.
        @Test func catchesUpByOneBatch() throws {
            let stall = try Stall(items: 4000)
            try stall.pass { number in try stall.edit(number % 2000, in: number) }
            guard case .batch(let from, let bytes) = try stall.catchUp().last else {
                Issue.record("there is no batch in the end")
                return
            }
            #expect(from < stall.firstRevision + stall.transactions / 2, "it did not stall")
            #expect(try bytes < stall.snapshotBytes())
        }

        /// All items are edited and moved, so the room is smaller than the batch.
        @Test func catchesUpByASnapshot() throws {
            let stall = try Stall(items: 2000)
            try stall.pass { number in
                let item = number / 2 % 2000
                if number % 2 == 0 { return try stall.edit(item, in: number) }
                let anchor = try Stall.identifier((item * 7 + 1) % 2000)
                return .move(try Stall.identifier(item), to: Placement(position: .after(anchor)))
            }
            guard case .snapshot(let bytes) = try stall.catchUp().last else {
                Issue.record("there is no snapshot in the end")
                return
            }
            #expect(try bytes < stall.batchBytes())
        }

        /// The edits are far larger than what the server may retain of them.
        @Test func memoryIsBounded() throws {
            let stall = try Stall(
                items: 1000, textBytes: 1000, ["--max-horizon-bytes", "\(4 << 20)"])
            try stall.pass { number in try stall.edit(number % 1000, in: number) }
            #expect(stall.growthBytes < stall.passedBytes || Program.isSanitized)
            try stall.expectMemoryWithinAccounts()
            _ = try stall.catchUp()
        }
    }
}

/// A room with a member that does not read.
private final class Stall {
    /// What the reader was sent.
    enum Sent {
        case batch(from: Revision, bytes: Int)
        case snapshot(bytes: Int)
    }

    private static let edits = Program.isSanitized ? 40_000 : 100_000
    private static let editsInTransaction = 10

    private let server: ServerProcess
    private let writer: RoomWriter
    private let reader: WireConnection
    private let textBytes: Int
    /// The revision before the edits.
    private(set) var firstRevision: Revision = 0
    /// The largest growth of the server's memory during the edits.
    private(set) var growthBytes = 0

    /// Makes a room with items.
    init(items: Int, textBytes: Int = 300, _ options: [String] = []) throws {
        server = try ServerProcess(["--heartbeat", "10m"] + options)
        writer = try RoomWriter("room1", at: server)
        self.textBytes = textBytes
        let place = Placement(section: Identifier("main"))
        try writer.submit(0..<items / 10) { number in
            try (number * 10..<(number + 1) * 10).map { item in
                let content = try ItemContent(fields: [Stall.text(0, bytes: textBytes)])
                return .insert(Item(id: try Stall.identifier(item), content: content), to: place)
            }
        }
        firstRevision = writer.base
        reader = try WireConnection(port: server.port, features: [], receiveBufferBytes: 4096)
        _ = try reader.join("room1", as: "c-reader", secret: [1])
    }

    var transactions: Revision { Revision(Stall.edits / Stall.editsInTransaction) }
    var passedBytes: Int { Stall.edits * textBytes }

    static func identifier(_ number: Int) throws -> Identifier {
        try Identifier("item-\(number)")
    }

    private static func text(_ number: Int, bytes: Int) throws -> Field {
        Field(
            name: Identifier("text"),
            value: .text("\(number) " + String(repeating: "x", count: bytes)))
    }

    /// A new text for an item.
    func edit(_ item: Int, in transaction: Int) throws -> ListOperation {
        let text = try Stall.text(transaction, bytes: textBytes)
        return .update(try Stall.identifier(item), ItemPatch(set: [text]))
    }

    /// Has edits acknowledged while the reader is paused.
    func pass(_ edit: (Int) throws -> ListOperation) throws {
        let before = try server.residentBytes
        let size = Stall.editsInTransaction
        try writer.submit(0..<Stall.edits / size) { number in
            try (number * size..<(number + 1) * size).map(edit)
        }
        growthBytes = try server.peakResidentBytes - before
    }

    /// Checks that the server's memory is in its accounts.
    func expectMemoryWithinAccounts() throws {
        try server.expectMemoryWithinAccounts(
            "a slow reader", "room1", by: try WireConnection(port: server.port, features: []))
    }

    /// Reads until the reader has the newest revision.
    func catchUp() throws -> [Sent] {
        var sent: [Sent] = []
        var read = reader.byteCount
        while true {
            let message = try reader.next()
            switch message {
            case .batch(let message) where !message.hasMore:
                sent.append(.batch(from: message.batch.from, bytes: reader.byteCount - read))
                if message.batch.to == writer.base { return sent }
            case .snapshot(let part) where part.isLast:
                sent.append(.snapshot(bytes: reader.byteCount - read))
                if part.revision == writer.base { return sent }
            case .batch, .snapshot: continue
            default: throw TestFailure("the reader was sent \(message)")
            }
            read = reader.byteCount
        }
    }

    /// The size of the room's snapshot.
    func snapshotBytes() throws -> Int {
        try bytes { room in .readSnapshot(ReadSnapshot(request: 1, room: room)) }
    }

    /// The size of the batch over all edits.
    func batchBytes() throws -> Int {
        try bytes { room in
            .readHistory(ReadHistory(request: 1, room: room, from: firstRevision))
        }
    }

    /// The bytes of an answer.
    private func bytes(_ request: (RoomName) -> ClientMessage) throws -> Int {
        let other = try WireConnection(port: server.port, features: [])
        try other.send(request(RoomName(named: "room1")))
        let before = other.byteCount
        while true {
            let message = try other.next()
            if case .done = message { return other.byteCount - before }
            if case .error(let error) = message { throw TestFailure("\(error)") }
        }
    }
}
