import SyncModel
import SyncWire

/// Writes to a room with the protocol alone, and reads nothing but the answers. Transactions
/// refused as `unavailable` are recorded, and resent with their counters.
final class RoomWriter {
    /// How many transactions are in flight at most.
    private static let window = 500

    private let room: String
    private let client: String
    private var connection: WireConnection
    private var handle: RoomHandle
    /// The newest revision that was acknowledged.
    private(set) var base: Revision
    private var counter: UInt64 = 1
    /// The ids of the items that were acknowledged, in order.
    private(set) var written: [String] = []

    init(_ room: String, at server: ServerProcess, as client: String = "c-writer") throws {
        self.room = room
        self.client = client
        connection = try WireConnection(port: server.port)
        let joined = try connection.join(room, as: client, secret: [1], viewOnly: true)
        (handle, base) = (joined.handle, joined.revision)
    }

    /// Joins again on another connection.
    func rejoin(at server: ServerProcess) throws {
        connection = try WireConnection(port: server.port)
        let joined = try connection.join(room, as: client, secret: [1], viewOnly: true)
        (handle, base) = (joined.handle, joined.revision)
    }

    /// Submits transactions, without waiting for each answer.
    ///
    /// - Parameter operations: makes the operations of the transaction with a number.
    func submit(
        _ numbers: Range<Int>, _ operations: (Int) throws -> [ListOperation]
    ) throws {
        var unanswered = 0
        for number in numbers {
            if unanswered == RoomWriter.window {
                try takeAck()
                unanswered -= 1
            }
            try send(operations(number))
            counter += 1
            unanswered += 1
        }
        for _ in 0..<unanswered { try takeAck() }
    }

    private func takeAck() throws {
        let answer = try connection.nextAnswer()
        guard case .ack(let ack) = answer, ack.commit.superseded.isEmpty else {
            throw TestFailure("a transaction was answered with \(answer)")
        }
        base = ack.commit.revision
    }

    private func send(_ operations: [ListOperation]) throws {
        let transaction = ListTransaction(base: base, operations: operations)
        try connection.send(
            .submit(try Submit(room: handle, counter: counter, transaction: transaction)))
    }

    /// Submits the next item, which is appended to the room.
    ///
    /// - Returns: the reason of a refusal; `nil` if it was accepted.
    func submitOnce() throws -> Rejection.Code? {
        let text = Field(
            name: Identifier("text"), value: .text(String(repeating: "x", count: 1000)))
        let item = Item(
            id: try Identifier("item-\(counter)"), content: try ItemContent(fields: [text]))
        let place = Placement(section: Identifier("main"))
        try send([.insert(item, to: place)])
        switch try connection.nextAnswer() {
        case .ack(let ack) where ack.counter == counter && ack.commit.superseded.isEmpty:
            written.append(item.id.text)
            counter += 1
            return nil
        case .reject(let reject) where reject.counter == counter: return reject.rejection.code
        case let answer: throw TestFailure("a transaction was answered with \(answer)")
        }
    }

    /// Submits items until this many more are acknowledged.
    func submit(count: Int) throws {
        let target = written.count + count
        while written.count < target { try submitAgainAndAgain() }
    }

    private func submitAgainAndAgain() throws {
        while let code = try submitOnce() {
            guard code == .unavailable else { throw TestFailure("refused with \(code)") }
        }
    }

    func submitUntilRefused() throws {
        while true {
            guard let code = try submitOnce() else { continue }
            guard code == .unavailable else { throw TestFailure("refused with \(code)") }
            return
        }
    }
}
