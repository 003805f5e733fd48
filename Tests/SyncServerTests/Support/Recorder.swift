import ModelSupport
import SyncAccess
import SyncBytes
import SyncIO
import SyncModel
import SyncSim
import SyncWire
import Testing

@testable import SyncRoom
@testable import SyncServer

/// A connection without a stream that records what it is sent.
class Recorder: ClientConnection, @unchecked Sendable {
    // Sendable, because a simulation has one thread.
    let id: ConnectionID
    unowned let loop: ServerLoop
    private(set) var joined: Joined?
    private(set) var lost: RoomRefusal?
    private(set) var answers: [Authors.Result] = []
    private var requests: [RequestID: (RoomName, FeedKey)] = [:]
    /// The last message about each request.
    private(set) var finished: [RequestID: ServerMessage] = [:]
    /// A client that reads the frames.
    let client: RawClient
    private let encoding: FrameEncoding
    private let encoder = MessageEncoder()

    init(_ name: String, on loop: ServerLoop, encoding: FrameEncoding = .plain) {
        self.loop = loop
        self.encoding = encoding
        id = loop.makeSessionID()
        client = RawClient(name: name)
        loop.connections.add(self)
    }

    func didVerify(_ result: Result<Access, TokenFailure>) {}

    func join(_ room: RoomName) {
        let holder = Holder(in: loop.context.pots)
        let admission = Admission(
            member: id, connection: id.connection,
            client: ModelSupport.id(client.name), secret: [1], encoding: encoding,
            holder: holder)
        loop.on(loop.loopIndex(of: room)) { loop in
            loop.join(room, admission, request: 1, at: nil)
        }
    }

    func submit(_ counter: UInt64, _ operations: [ListOperation]) throws {
        let room = try #require(joined).handle
        let base = client.revision(room) ?? 0
        let submit = try Submit(
            room: room, counter: counter,
            transaction: ListTransaction(base: base, operations: operations))
        loop.onRoom(room) { [id] host in submit.withView { host.submit($0, id) } }
    }

    func read(_ room: RoomName, request: RequestID) {
        let key = FeedKey(
            session: id, request: request, encoding: encoding,
            holder: Holder(in: loop.context.pots))
        requests[request] = (room, key)
        loop.on(loop.loopIndex(of: room)) {
            $0.readSnapshot(ReadSnapshot(request: request, room: room), for: key)
        }
    }

    func close() throws {
        let room = try #require(joined).handle
        loop.onRoom(room) { [id] in $0.leave(id) }
        loop.connections.remove(self)
    }

    // MARK: Messages from rooms

    func didJoin(_ joined: Joined, _ membership: MembershipID, awaiting answers: Int) {
        self.joined = joined
        send(.joined(joined))
    }

    func didNotJoin(_ room: RoomName, _ request: RequestID, _ refusal: RoomRefusal) {
        refuse(.request(request), refusal)
    }

    func didLose(_ lost: MembershipID, of handle: RoomHandle, _ refusal: RoomRefusal) {
        self.lost = refusal
    }

    func take(_ answers: ArraySlice<RoomAnswer>, of handle: RoomHandle) {
        self.answers += answers.map(\.result)
    }

    func wasAnswered(_ count: Int, in handle: RoomHandle) {}

    func take(_ parts: [SharedBytes], of channel: Channel) {
        for part in parts { take(part, of: channel) }
        loop.schedule(afterMilliseconds: 1) { [self] in
            switch channel {
            case .room(let handle):
                loop.onRoom(handle) { $0.ready(self.id) }
            case .request(let request):
                guard let (room, key) = self.requests[request] else { return }
                loop.on(loop.loopIndex(of: room)) { $0.feedIsReady(key) }
            }
        }
    }

    /// Takes one frame in the connection's encoding.
    func take(_ part: SharedBytes, of channel: Channel) { hear(part) }

    func send(_ message: ServerMessage) {
        hear(encoder.encode(message).plain)
    }

    private func hear(_ bytes: SharedBytes) {
        withExtendedLifetime(bytes) { client.streamDidReceive(bytes.bytes) }
    }

    func taskIsOver() {}
    func awaits(_ request: RequestID) -> Bool { requests[request] != nil }

    func finish(_ request: RequestID, with message: ServerMessage?) {
        requests[request] = nil
        if let message { finished[request] = message }
    }
}
