import SyncEngine
import SyncWire

/// Writes items to the end of a room, each with a transaction of its own, by the protocol alone: what is
/// refused as `unavailable` is there to be seen, and is sent again with its counter.
final class RoomWriter {
    private let room: String
    private var connection: WireConnection
    private var handle: RoomHandle
    private var base: Revision
    private var counter: UInt64 = 1
    /// The ids of what was acknowledged, in order.
    private(set) var written: [String] = []

    init(_ room: String, at server: ServerProcess) throws {
        self.room = room
        connection = try WireConnection(port: server.port)
        let joined = try connection.join(room, as: "c-writer", secret: [1])
        (handle, base) = (joined.handle, joined.revision)
    }

    /// Joins again on another connection.
    func rejoin(at server: ServerProcess) throws {
        connection = try WireConnection(port: server.port)
        let joined = try connection.join(room, as: "c-writer", secret: [1])
        (handle, base) = (joined.handle, joined.revision)
    }

    /// Submits the next item.
    ///
    /// - Returns: why it was refused; `nil` if it was not.
    func submitOnce() throws -> Rejection.Code? {
        let text = Field(
            name: try Identifier("text"), value: .text(String(repeating: "x", count: 1000)))
        let item = Item(
            id: try Identifier("item-\(counter)"), content: try ItemContent(fields: [text]))
        let place = Placement(section: try Identifier("main"))
        let transaction = Transaction(base: base, operations: [.insert(item, to: place)])
        try connection.send(
            .submit(Submit(room: handle, counter: counter, transaction: transaction)))
        switch try connection.nextAnswer() {
        case .ack(let ack) where ack.counter == counter && ack.commit.superseded.isEmpty:
            written.append(item.id.text)
            counter += 1
            return nil
        case .reject(let reject) where reject.counter == counter: return reject.rejection.code
        case let answer: throw TestFailure("a transaction was answered with \(answer)")
        }
    }

    /// Submits until so many more are acknowledged.
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
