import SyncAccess
import SyncBytes
import SyncLayout
import SyncModel
import SyncWire

/// Messages of a hostile server, from an input's choices.
enum HostileMessages {
    /// What a client has asked last, and what the server has said to it.
    struct Asked {
        var join: Join?
        var renewal: RequestID = 0
        var requests: [RequestID] = []
        var counter: UInt64 = 1
        var view: ViewNumber = 1
        var serial: UInt64 = 0
        var drag: DragNumber = 1
        /// The handle of the last room that the client was let into.
        var handle: RoomHandle = 0
        /// The revision that the client has, unless it has refused the last news.
        var revision: Revision = 5
        /// The number of the view's last update.
        var update: UInt64 = 0

        mutating func note(_ message: ClientMessage) {
            switch message {
            case .join(let join): self.join = join
            case .renew(let renew): renewal = renew.request
            case .submit(let submit): counter = submit.counter
            case .view(let request): note(request)
            case .drag(let drag): self.drag = drag.number
            case .listRooms(let list): note(list.request)
            case .readHistory(let read): note(read.request)
            case .readSnapshot(let read): note(read.request)
            case .readItems(let read): note(read.request)
            case .readStats(let read): note(read.request)
            case .deleteRoom(let deletion): note(deletion.request)
            case .revoke(let revoke): note(revoke.request)
            case .hello, .leave, .heartbeat, .presence: break
            }
        }

        private mutating func note(_ request: ViewRequest) {
            if request.view != view { update = 0 }
            (view, serial) = (request.view, request.serial)
        }

        private mutating func note(_ request: RequestID) {
            requests = requests.suffix(7) + [request]
        }
    }

    // MARK: What an honest server says

    static let welcome: Welcome = {
        var welcome = Welcome(
            version: 1, features: .all, agent: "hostile", heartbeatMilliseconds: 60_000,
            limits: WireLimits())
        welcome.user = "ann"
        welcome.tokenMilliseconds = 5_000
        return welcome
    }()

    private static let identity = RoomIdentity(
        RoomID(high: 0, low: 1), Epoch(EpochID(value: 1), first: 0))

    /// The answer to a join, and the room's content.
    static func admission(of join: Join, as handle: RoomHandle) -> [ServerMessage] {
        let joined = Joined(
            request: join.request, handle: handle, room: join.room, client: join.client,
            user: "ann", role: .editor, revision: 5, resumed: false, identity: identity)
        let sections = [ListSection(id: name("s", 0)), ListSection(id: name("s", 1))]
        let items = (0..<3).map { Item(id: name("i", $0)) }
        let part = SnapshotPart(
            channel: .room(handle), revision: 5,
            pieces: sections.map { section in
                SnapshotPart.Piece(section: section, items: section.id.text == "s0" ? items : [])
            }, isFirst: true, isLast: true, totalItems: 3)
        return join.viewOnly ? [.joined(joined)] : [.joined(joined), .snapshot(part)]
    }

    // MARK: Choices

    private static let numbers: [UInt64] = [0, 1, 2, 3, 5, 6, 1_000, 1 << 31, 1 << 63, .max]

    /// A message in a frame, mostly whole.
    static func frame(_ choices: inout InputBytes, to asked: inout Asked) -> SharedBytes {
        let frame = MessageEncoder().encode(message(&choices, &asked))
        if choices.oneIn(8) { return frame.bytes(by: Deflater(thresholdBytes: 0)) }
        guard choices.oneIn(16) else { return frame.plain }
        let kept = choices.below(256)
        return frame.plain.withBytes { SharedBytes([UInt8]($0.prefix(kept))) }
    }

    /// Some bytes, as they are or in a frame.
    static func noise(_ choices: inout InputBytes) -> SharedBytes {
        let bytes = choices.list(below: 64) { $0.byte() }
        guard choices.oneIn(2) else { return SharedBytes(bytes) }
        return SharedBytes([UInt8(bytes.count)] + bytes)
    }

    static func number(_ choices: inout InputBytes) -> UInt64 {
        numbers[choices.below(numbers.count)]
    }

    /// A request of the client's, mostly one that it has made.
    static func request(_ choices: inout InputBytes, _ asked: Asked) -> RequestID {
        if choices.oneIn(8) || asked.requests.isEmpty { return RequestID(choices.below(16)) }
        return asked.requests[choices.below(asked.requests.count)]
    }

    static func handle(_ choices: inout InputBytes, _ asked: Asked) -> RoomHandle {
        choices.oneIn(4) ? RoomHandle(choices.below(5)) : max(asked.handle, 1)
    }

    static func channel(_ choices: inout InputBytes, _ asked: Asked) -> Channel {
        choices.oneIn(3) ? .request(request(&choices, asked)) : .room(handle(&choices, asked))
    }

    /// Text of up to 10,000 bytes.
    static func text(_ choices: inout InputBytes) -> String {
        String(repeating: "é", count: choices.oneIn(4) ? choices.below(256) * 20 : choices.below(9))
    }

    private static func message(
        _ choices: inout InputBytes, _ asked: inout Asked
    ) -> ServerMessage {
        switch choices.below(20) {
        case 0: .welcome(welcome(&choices))
        case 1, 2: joined(&choices, &asked)
        case 3, 4, 5: snapshot(&choices, &asked)
        case 6, 7, 8: batch(&choices, &asked)
        case 9: .authors(authors(&choices, asked))
        case 10, 11: .viewUpdate(viewUpdate(&choices, &asked))
        case 12: .presenceUpdate(presence(&choices, asked))
        case 13: .ack(ack(&choices, asked))
        case 14: .reject(reject(&choices, asked))
        case 15: .error(error(&choices, asked))
        case 16: list(&choices, asked)
        case 17: .done(Done(request: request(&choices, asked)))
        case 18: .dragTarget(dragTarget(&choices, asked))
        default: other(&choices, asked)
        }
    }

    private static func other(_ choices: inout InputBytes, _ asked: Asked) -> ServerMessage {
        switch choices.below(5) {
        case 0:
            let last = choices.oneIn(4) ? RequestID(choices.below(8)) : asked.renewal
            return .renewed(Renewed(request: last, tokenMilliseconds: number(&choices)))
        case 1:
            let room = RoomName("room") ?? asked.join?.room
            guard let room else { return .heartbeat(Heartbeat()) }
            let value = number(&choices)
            var stats = Stats(
                request: request(&choices, asked), room: room, identity: identity,
                figures: Figures { _ in value }, server: Figures { _ in value },
                account: Figures { _ in value })
            stats.revision = number(&choices)
            return .stats(stats)
        case 2:
            let quota = Quota.allCases[choices.below(Quota.allCases.count)]
            return .nearLimit(
                NearLimit(
                    room: choices.oneIn(3) ? 0 : handle(&choices, asked),
                    QuotaUse(quota, used: number(&choices), limit: number(&choices))))
        case 3: return .items(items(&choices, asked))
        default: return .heartbeat(Heartbeat())
        }
    }

    private static func welcome(_ choices: inout InputBytes) -> Welcome {
        var welcome = HostileMessages.welcome
        welcome.features = Features(rawValue: UInt64(choices.byte()))
        welcome.heartbeatMilliseconds = [1, 0, 60_000, .max][choices.below(4)]
        welcome.tokenMilliseconds = number(&choices)
        welcome.limits.frameBytes = choices.below(4) << 14
        welcome.limits.transactionBytes = choices.below(4) << 6
        welcome.limits.unansweredTransactions = choices.below(3)
        welcome.limits.views = choices.below(3)
        return welcome
    }

    static func joined(_ choices: inout InputBytes, _ asked: inout Asked) -> ServerMessage {
        guard let join = asked.join else { return .heartbeat(Heartbeat()) }
        asked.handle = choices.oneIn(4) ? RoomHandle(choices.below(5)) : asked.handle + 1
        asked.revision = number(&choices)
        let epoch = Epoch(EpochID(value: UInt64(choices.below(3))), first: number(&choices))
        let roles: [Role] = [.viewer, .editor, .admin]
        return .joined(
            Joined(
                request: join.request, handle: asked.handle, room: join.room,
                client: choices.oneIn(8) ? name("another") : join.client,
                user: text(&choices), role: roles[choices.below(3)], revision: asked.revision,
                resumed: choices.oneIn(4),
                identity: RoomIdentity(RoomID(high: 0, low: UInt64(choices.below(2))), epoch),
                changed: choices.oneIn(4), counter: number(&choices),
                acks: choices.list(below: 3) { ack(&$0, asked) },
                rejects: choices.list(below: 3) { reject(&$0, asked) },
                answeredThrough: number(&choices)))
    }

    static func error(_ choices: inout InputBytes, _ asked: Asked) -> ErrorMessage {
        let room = handle(&choices, asked)
        let subject: ErrorSubject? =
            switch choices.below(9) {
            case 0: nil
            case 1: .request(asked.renewal)
            case 2: .request(asked.join?.request ?? 0)
            case 3: .room(room)
            case 4: .transaction(asked.counter, in: room)
            case 5: .view(asked.view, serial: asked.serial, in: room)
            case 6: .drag(asked.drag, in: room)
            case 7: .presence(in: room)
            default: .request(request(&choices, asked))
            }
        let codes = ErrorCode.allCases
        return ErrorMessage(
            codes[choices.below(codes.count)], text(&choices), about: subject,
            retryAfterMilliseconds: UInt32(truncatingIfNeeded: number(&choices)))
    }
}
