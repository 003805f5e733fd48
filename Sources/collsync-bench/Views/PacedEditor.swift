import SyncBytes
import SyncModel
import SyncWire

/// A steady rate of edits.
struct Pace {
    private let perSecond: Double
    private var start = 0.0
    private var made = 0

    init(perSecond: Double) {
        self.perSecond = perSecond
    }

    /// Begins at a time. No edit is due for the time before it.
    mutating func begin(at seconds: Double) {
        start = seconds
        made = 0
    }

    /// Takes the next edit, if it is due at a time.
    mutating func takeNext(at seconds: Double) -> Bool {
        guard Double(made) < (seconds - start) * perSecond else { return false }
        made += 1
        return true
    }
}

/// Edits a room at a steady rate, whatever the server does, and records when each edit was sent.
final class PacedEditor {
    let socket: Socket
    private let handle: RoomHandle
    private let first: Revision
    private var pace: Pace
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
        pace = Pace(perSecond: perSecond)
        let talk = Talk(socket)
        try talk.hello()
        let joined = try talk.join(try ViewedRoom.name(), as: "editor", viewOnly: true)
        handle = joined.handle
        first = joined.revision + 1
        acknowledged = joined.revision
    }

    var edits: Int { sent.count }

    /// The revision of the last edit.
    var revision: Revision { first + Revision(sent.count) - 1 }

    /// Whether all edits are acknowledged.
    var isAnswered: Bool { acknowledged == revision }

    /// Begins to edit at a time, after the server was left alone.
    func begin(at seconds: Double) throws {
        pace.begin(at: seconds)
        try encoder.encode(.heartbeat(Heartbeat())).plain.withBytes { try socket.send($0) }
    }

    /// Sends the edits that are due at a time.
    func send(at seconds: Double) throws {
        while pace.takeNext(at: seconds) { try send(try script.next(), at: seconds) }
    }

    /// Sends an edit that every viewer is shown.
    func sendToAll(at seconds: Double) throws {
        try send(try script.lengthening(), at: seconds)
    }

    private func send(_ operation: ListOperation, at seconds: Double) throws {
        let transaction = ListTransaction(base: acknowledged, operations: [operation])
        sent.append(seconds)
        let submit = try Submit(
            room: handle, counter: UInt64(sent.count), transaction: transaction)
        try encoder.encode(.submit(submit)).plain.withBytes { try socket.send($0) }
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
