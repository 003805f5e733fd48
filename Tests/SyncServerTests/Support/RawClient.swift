import EngineTwin
import SyncBytes
import SyncIO
import SyncModel
import SyncWire
import Testing

/// A client that knows the wire and nothing more. It records the server's messages, and checks
/// every batch for legality.
final class RawClient: ByteStreamHandler {
    /// A room as the server has sent it.
    struct Replica {
        var snapshot: Snapshot?
        /// The revisions that batches and snapshots led to, in order.
        var revisions: [Revision] = []
        var snapshotCount = 0
        var batchCount = 0
        /// Counters and their answers, in order.
        var answers: [(counter: UInt64, outcome: Answer)] = []
        /// Acknowledgements that came after the batch or the view's update that shows the
        /// transaction. Only a resent transaction may have one.
        var lateAnswers = 0

        func answer(_ counter: UInt64) -> Answer? {
            answers.first { $0.counter == counter }?.outcome
        }
    }

    enum Answer: Equatable {
        case ack(Commit)
        case reject(Rejection.Code)
    }

    let name: String
    private(set) var loop: (any EventLoop)?
    private(set) var stream: (any ByteStream)?
    private(set) var isConnected = false
    private(set) var isClosed = false
    private(set) var welcome: Welcome?
    private(set) var joined: [RequestID: Joined] = [:]
    private(set) var errors: [ErrorSubject: ErrorMessage] = [:]
    /// The errors of rooms, in order.
    private(set) var troubles: [RoomHandle: [ErrorCode]] = [:]
    private(set) var connectionError: ErrorMessage?
    private(set) var lastReject: Rejection?
    private(set) var done: Set<RequestID> = []
    private(set) var renewed: Set<RequestID> = []
    private(set) var roomLists: [RoomList] = []
    private(set) var stats: [RequestID: Stats] = [:]
    private(set) var items: [RequestID: Items] = [:]
    private(set) var heartbeats = 0
    private(set) var authors: [BatchAuthors] = []
    private(set) var viewUpdates: [ViewUpdate] = []
    private(set) var viewErrors: [ErrorMessage] = []
    private(set) var presenceUpdates: [PresenceUpdate] = []
    private(set) var dragTargets: [DragTarget] = []
    private(set) var nearLimits: [NearLimit] = []
    /// The presence of the others, by client.
    private(set) var others: [String: PresenceState] = [:]
    var replicas: [RoomHandle: Replica] = [:]
    /// The answers to requests.
    private(set) var snapshots: [RequestID: Snapshot] = [:]
    /// How often a snapshot that was asked for has begun.
    private(set) var snapshotBeginnings: [RequestID: Int] = [:]
    private(set) var batches: [RequestID: [Batch]] = [:]
    /// Whether it answers heartbeats.
    var isAlive = true
    private(set) var receivedBytes = 0
    /// How many of the received frames were deflated.
    private(set) var deflatedFrames = 0

    private var nextRequest: RequestID = 0
    /// The snapshots of rooms that it joins again.
    private var holding: [RequestID: Snapshot] = [:]
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()
    private var outgoing: [SharedBytes] = []
    private var snapshotParts: [Channel: SnapshotAssembler] = [:]
    private var batchParts: [Channel: BatchAssembler] = [:]

    init(name: String) {
        self.name = name
    }

    // MARK: Sending

    func connect(to address: SocketAddress, on loop: any EventLoop) {
        self.loop = loop
        loop.connect(to: address) { [self] result in
            switch result {
            case .success(let stream):
                self.stream = stream
                isConnected = true
                stream.open(self)
                beat()
            case .failure: isClosed = true
            }
        }
    }

    private func beat() {
        loop?.schedule(afterMilliseconds: 5000) { [self] in
            if isAlive, welcome != nil, !isClosed { send(.heartbeat(Heartbeat())) }
            beat()
        }
    }

    func send(_ message: ClientMessage, naming join: RequestID? = nil) {
        send(encoder.encode(message, naming: join).plain)
    }

    func send(_ bytes: SharedBytes) {
        outgoing.append(bytes)
        flush()
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty, !isClosed else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    func close() {
        stream?.close()
    }

    func makeRequest() -> RequestID {
        nextRequest += 1
        return nextRequest
    }

    func join(
        _ room: String, from: Revision? = nil, holding: Snapshot? = nil,
        everyRevision: Bool = false, viewOnly: Bool = false, presence: Bool = false,
        secret: [UInt8] = [1], origin: Origin? = nil, counter: UInt64 = 0, authors: Bool = false
    ) -> RequestID {
        let request = makeRequest()
        self.holding[request] = holding
        guard let roomName = RoomName(room), let client = try? Identifier(self.name) else {
            Issue.record("bad names")
            return request
        }
        send(
            .join(
                Join(
                    request: request, room: roomName, client: client, secret: secret,
                    from: holding?.revision ?? from,
                    everyRevision: everyRevision, viewOnly: viewOnly, presence: presence,
                    origin: origin, counter: counter, authors: authors)))
        return request
    }

    /// Sends a transaction. By default its base is the client's revision.
    func submit(
        _ counter: UInt64, in room: RoomHandle, base: Revision? = nil, _ operations: [ListOperation]
    ) {
        let base = base ?? replicas[room]?.snapshot?.revision ?? 0
        do throws(Rejection) {
            let transaction = ListTransaction(base: base, operations: operations)
            send(.submit(try Submit(room: room, counter: counter, transaction: transaction)))
        } catch {
            Issue.record("a transaction can't be packed: \(error)")
        }
    }

    // MARK: Receiving

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        receivedBytes += bytes.count
        var rest = bytes
        do {
            while let frame = try frames.next(&rest) {
                // The field `deflated` comes first in a frame that names no request or view.
                if frame.first == 0x0A { deflatedFrames += 1 }
                try take(try decoder.serverMessage(frame))
            }
        } catch {
            Issue.record("\(name) got an impossible message: \(error)")
        }
    }

    private func take(_ message: ServerMessage) throws {
        switch message {
        case .welcome(let welcome): self.welcome = welcome
        case .renewed(let renewed): self.renewed.insert(renewed.request)
        case .joined(let joined):
            self.joined[joined.request] = joined
            // The client may have left in the middle of a snapshot or batch.
            snapshotParts[.room(joined.handle)] = nil
            batchParts[.room(joined.handle)] = nil
            replicas[joined.handle, default: Replica()].snapshot =
                joined.resumed ? holding[joined.request] : nil
        case .snapshot(let part): try take(part)
        case .batch(let message): try take(message)
        case .authors(let authors): self.authors.append(authors)
        case .ack(let ack): answer(ack.room, ack.counter, .ack(ack.commit))
        case .reject(let reject):
            lastReject = reject.rejection
            answer(reject.room, reject.counter, .reject(reject.rejection.code))
        case .heartbeat: heartbeats += 1
        case .roomList(let list): roomLists.append(list)
        case .stats(let stats): self.stats[stats.request] = stats
        case .items(let items): self.items[items.request] = items
        case .done(let done): self.done.insert(done.request)
        case .viewUpdate(let update): viewUpdates.append(update)
        case .presenceUpdate(let update): take(update)
        case .dragTarget(let target): dragTargets.append(target)
        case .nearLimit(let near): nearLimits.append(near)
        case .error(let error):
            if case .view = error.subject { viewErrors.append(error) }
            if let subject = error.subject {
                errors[subject] = error
                if let room = subject.room { troubles[room, default: []].append(error.code) }
            } else {
                connectionError = error
            }
        }
    }

    private func take(_ update: PresenceUpdate) {
        presenceUpdates.append(update)
        if let client = update.client {
            others[client.text] = update.left ? nil : update.state
        } else {
            others = [:]
        }
    }

    private func answer(_ room: RoomHandle, _ counter: UInt64, _ answer: Answer) {
        let seen = max(
            revision(room) ?? 0, viewUpdates.last { $0.room == room }?.revision ?? 0)
        if case .ack(let commit) = answer, commit.revision <= seen {
            replicas[room, default: Replica()].lateAnswers += 1
        }
        replicas[room, default: Replica()].answers.append((counter, answer))
    }

    private func take(_ part: SnapshotPart) throws {
        if part.isFirst, case .request(let request) = part.channel {
            snapshotBeginnings[request, default: 0] += 1
        }
        guard let snapshot = try snapshotParts[part.channel, default: SnapshotAssembler()].add(part)
        else { return }
        switch part.channel {
        case .room(let handle):
            replicas[handle, default: Replica()].snapshot = snapshot
            replicas[handle, default: Replica()].revisions.append(snapshot.revision)
            replicas[handle, default: Replica()].snapshotCount += 1
        case .request(let request): snapshots[request] = snapshot
        }
    }

    private func take(_ message: BatchMessage) throws {
        guard let batch = try batchParts[message.channel, default: BatchAssembler()].add(message)
        else { return }
        switch message.channel {
        case .room(let handle):
            let held = try #require(replicas[handle]?.snapshot, "a batch without a snapshot")
            replicas[handle]?.snapshot = try LegalityChecker.apply(batch, to: held)
            replicas[handle]?.revisions.append(batch.to)
            replicas[handle]?.batchCount += 1
        case .request(let request): batches[request, default: []].append(batch)
        }
    }

    func streamDidDrain() {
        flush()
    }

    func streamDidClose(_ error: IOError?) {
        isClosed = true
    }
}

extension RawClient {
    /// The ids of the items in a room's section.
    func items(_ room: RoomHandle, section: Int = 0) -> [String] {
        guard let sections = replicas[room]?.snapshot?.sections, sections.count > section else {
            return []
        }
        return sections[section].items.map(\.id.text)
    }

    func revision(_ room: RoomHandle) -> Revision? {
        replicas[room]?.snapshot?.revision
    }

    func answer(_ counter: UInt64, in room: RoomHandle) -> Answer? {
        replicas[room]?.answer(counter)
    }
}
