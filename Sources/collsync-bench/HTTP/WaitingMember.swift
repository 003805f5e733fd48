import SyncModel
import SyncWire

/// A member of a room that reads an item and sets a title, again and again, and measures how long
/// it waits for each. It has a connection for either.
final class WaitingMember {
    /// A question that is answered, or under way since some time.
    private struct Question {
        var sent: Stopwatch?
        var longest = 0.0

        mutating func end() {
            if let sent { longest = max(longest, sent.seconds) }
            sent = nil
        }
    }

    private let room: RoomName
    private let sockets: [Socket]
    private let reader: Talk
    private let writer: Talk
    private let joined: Joined
    private var ping = Question()
    private var edit = Question()
    private var request: RequestID = 1000
    private var counter: UInt64 = 0

    init(of room: RoomName, at port: UInt16) throws {
        self.room = room
        sockets = try (0..<2).map { _ in try Socket(port: port) }
        (reader, writer) = (Talk(sockets[0]), Talk(sockets[1]))
        try reader.hello()
        try writer.hello()
        joined = try writer.join(room, as: "waiting", viewOnly: true)
    }

    var longestPing: Double { ping.longest }
    var longestEdit: Double { edit.longest }

    /// Adds its connections under the numbers 1 and 2.
    func add(to set: SocketSet) throws {
        for (number, socket) in sockets.enumerated() { try set.add(socket, as: number + 1) }
    }

    /// Forgets its waits so far.
    func forget() {
        (ping.longest, edit.longest) = (0, 0)
    }

    /// Asks what is answered anew.
    func ask() throws {
        let item = try EngineBenchmark.id(0)
        if ping.sent == nil {
            request += 1
            ping.sent = Stopwatch()
            try reader.send(
                .readItems(
                    ReadItems(
                        request: request, room: room, ItemQuery(.these([item]), limit: 1))))
        }
        if edit.sent == nil {
            counter += 1
            edit.sent = Stopwatch()
            let title = Field(name: Identifier("title"), value: .text("edit \(counter)"))
            try writer.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: counter,
                        transaction: ListTransaction(
                            base: joined.revision,
                            operations: [.update(item, ItemPatch(set: [title]))]))))
        }
    }

    /// Reads what has come on a connection.
    func receive(_ number: Int) throws {
        let talk = number == 1 ? reader : writer
        repeat {
            switch try talk.receive() {
            case .items(let items) where items.request == request: ping.end()
            case .ack(let ack) where ack.counter == counter: edit.end()
            case .error(let error): throw BenchError("the server says: \(error.text)")
            case .reject(let reject): throw BenchError(reject.rejection.message)
            default: break
            }
        } while !talk.hasReadAll
    }

    /// Waits for the answers that are under way.
    func settle() throws {
        while ping.sent != nil { try receive(1) }
        while edit.sent != nil { try receive(2) }
    }
}
