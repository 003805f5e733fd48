import SyncBytes
import SyncModel
import SyncWire

/// Edits a room at a steady rate, whatever the server does, and records when each edit was sent.
final class PacedEditor {
    let socket: Socket
    private let handle: RoomHandle
    private let first: Revision
    private let perSecond: Double
    private var script: EditScript
    private let encoder = MessageEncoder()
    private let decoder = MessageDecoder()
    private var frames = FrameDecoder()
    private var acknowledged: Revision
    /// The longest time until an edit was answered, since this was set to 0.
    var longestAnswer = 0.0
    /// The times by revision, from the first one on: each edit makes one revision.
    private var sent: [Double] = []
    private var answered: [Double] = []

    init(entering socket: Socket, _ script: EditScript, perSecond: Double) throws {
        self.socket = socket
        self.script = script
        self.perSecond = perSecond
        let talk = Talk(socket)
        try talk.hello()
        let joined = try talk.join(try ViewedRoom.name(), as: "editor", viewOnly: true)
        handle = joined.handle
        first = joined.revision + 1
        acknowledged = joined.revision
    }

    var edits: Int { sent.count }

    /// Sends the edits that are due at a time.
    func send(at seconds: Double) throws {
        while Double(sent.count) < seconds * perSecond {
            let transaction = ListTransaction(base: acknowledged, operations: [try script.next()])
            sent.append(seconds)
            let submit = try Submit(
                room: handle, counter: UInt64(sent.count), transaction: transaction)
            try encoder.encode(.submit(submit)).plain.withBytes { try socket.send($0) }
        }
    }

    /// When the edit of a revision was sent; `nil` if it was not sent yet.
    func timeSent(of revision: Revision) -> Double? { time(of: revision, in: sent) }

    /// When the edit of a revision was acknowledged; `nil` if it was not yet.
    func timeAnswered(of revision: Revision) -> Double? { time(of: revision, in: answered) }

    private func time(of revision: Revision, in times: [Double]) -> Double? {
        guard revision >= first, revision < first + Revision(times.count) else { return nil }
        return times[Int(revision - first)]
    }

    /// Handles answers that arrived at a time.
    func receive(_ bytes: UnsafeRawBufferPointer, at seconds: Double) throws {
        var rest = bytes
        while let frame = try frames.next(&rest) {
            switch try decoder.serverMessage(frame) {
            case .ack(let ack):
                guard ack.commit.revision == acknowledged + 1, ack.commit.superseded.isEmpty else {
                    throw BenchError("an edit is not what the next revision has")
                }
                acknowledged = ack.commit.revision
                answered.append(seconds)
                longestAnswer = max(longestAnswer, seconds - sent[answered.count - 1])
            case .heartbeat: break
            default: throw BenchError("the server refuses an edit")
            }
        }
    }
}
