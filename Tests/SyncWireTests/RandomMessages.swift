import SeededRandom
import SyncModel
import SyncWire
import Testing

/// Messages of every kind.
extension SplitMix64 {
    mutating func roomName() throws -> RoomName {
        // A mark behind a slash makes it another Character.
        let scalars = try identifier().text.unicodeScalars.map { $0 == "/" ? "_" : $0 }
        return try #require(RoomName(String(String.UnicodeScalarView(scalars))))
    }

    mutating func revision() -> Revision { number() }

    mutating func channel() -> Channel {
        chance(50) ? .room(uint32()) : .request(uint32())
    }

    mutating func origin() -> Origin {
        Origin(room: RoomID(high: uint64(), low: uint64()), epoch: EpochID(value: uint64()))
    }

    mutating func identity() -> RoomIdentity {
        let origin = origin()
        let first = UInt64(below(1000))
        var identity = RoomIdentity(origin.room, Epoch(origin.epoch, first: first))
        if chance(50) {
            identity.begin(
                Epoch(EpochID(value: origin.epoch.value ^ 1), first: first + UInt64(below(99))))
        }
        return identity
    }

    mutating func clientMessage(_ kind: ClientMessageKind) throws -> ClientMessage {
        switch kind {
        case .hello:
            .hello(
                Hello(
                    minimumVersion: uint32(), maximumVersion: uint32(),
                    features: Features(rawValue: uint64()), token: text(atMost: 40),
                    agent: text(atMost: 10)))
        case .revoke:
            .revoke(
                Revoke(
                    request: uint32(),
                    [
                        .token("t"), .user("änn"), .key("main"), .all,
                        .role(of: "änn", in: try roomName()),
                    ][below(5)]))
        case .renew: .renew(Renew(request: uint32(), token: text(atMost: 40)))
        case .join:
            .join(
                Join(
                    request: uint32(), room: try roomName(), client: try identifier(),
                    secret: (0..<below(65)).map { _ in UInt8(below(256)) },
                    from: chance(50) ? revision() : nil, everyRevision: chance(50),
                    viewOnly: chance(20), presence: chance(20),
                    origin: chance(50) ? origin() : nil, counter: chance(50) ? number() : 0,
                    answeredThrough: chance(50) ? number() : nil, authors: chance(20)))
        case .leave: .leave(Leave(request: uint32(), room: uint32()))
        case .submit:
            .submit(
                try Submit(
                    room: uint32(), counter: number(), transaction: try transaction(),
                    origin: chance(20) ? origin() : nil))
        case .heartbeat: .heartbeat(heartbeat())
        case .listRooms: .listRooms(ListRooms(request: uint32()))
        case .readStats: .readStats(RoomRequest(request: uint32(), room: try roomName()))
        case .deleteRoom: .deleteRoom(RoomRequest(request: uint32(), room: try roomName()))
        case .readSnapshot:
            .readSnapshot(
                ReadSnapshot(
                    request: uint32(), room: try roomName(),
                    revision: chance(50) ? revision() : nil,
                    origin: chance(50) ? origin() : nil))
        case .readItems:
            .readItems(
                ReadItems(
                    request: uint32(), room: try roomName(),
                    revision: chance(50) ? revision() : nil,
                    origin: chance(50) ? origin() : nil, try itemQuery()))
        case .view: .view(try viewRequest())
        case .presence: .presence(try presence())
        case .drag: .drag(try drag())
        case .readHistory:
            .readHistory(
                ReadHistory(
                    request: uint32(), room: try roomName(), from: revision(),
                    until: chance(50) ? revision() : nil, everyRevision: chance(50),
                    origin: chance(50) ? origin() : nil))
        }
    }

    mutating func serverMessage(_ kind: ServerMessageKind) throws -> ServerMessage {
        switch kind {
        case .welcome: .welcome(welcome())
        case .renewed:
            .renewed(Renewed(request: uint32(), tokenMilliseconds: number()))
        case .joined:
            .joined(
                Joined(
                    request: uint32(), handle: uint32(), room: try roomName(),
                    client: try identifier(), user: text(atMost: 10),
                    role: pick(Role.self), revision: revision(),
                    resumed: chance(50), identity: identity(), changed: chance(50),
                    counter: number(), acks: (0..<below(3)).map { _ in ack() },
                    rejects: (0..<below(3)).map { _ in reject() },
                    answeredThrough: number()))
        case .snapshot: .snapshot(try snapshotPart())
        case .ack:
            .ack(ack())
        case .reject: .reject(reject())
        case .batch:
            .batch(
                BatchMessage(
                    channel: channel(), batch: try batch(stages: below(3)), isContinued: chance(20),
                    hasMore: chance(20)))
        case .heartbeat: .heartbeat(heartbeat())
        case .roomList: .roomList(try roomList())
        case .stats: .stats(try stats())
        case .items: .items(try items())
        case .done: .done(Done(request: uint32()))
        case .viewUpdate: .viewUpdate(try viewUpdate())
        case .presenceUpdate: .presenceUpdate(try presenceUpdate())
        case .dragTarget: .dragTarget(try dragTarget())
        case .authors: .authors(try authors())
        case .nearLimit:
            .nearLimit(
                NearLimit(
                    room: uint32(),
                    QuotaUse(pick(Quota.self), used: number(), limit: number())))
        case .error: .error(errorMessage())
        }
    }

    private mutating func itemQuery() throws -> ItemQuery {
        let section = chance(50) ? try identifier() : nil
        let after = chance(50) ? try identifier() : nil
        let part: ItemQuery.Part =
            switch below(3) {
            case 0: .page(in: section, after: after)
            case 1:
                .search(
                    try #require(SearchText("a" + text(atMost: 10))), in: section, after: after)
            default: .these(try (0..<below(4)).map { _ in try identifier() })
            }
        return ItemQuery(part, limit: 1 + below(ItemQuery.mostItems))
    }

    private mutating func items() throws -> Items {
        Items(
            request: uint32(), revision: revision(), origin: chance(80) ? origin() : nil,
            sections: try (0..<below(3)).map { _ in
                Items.SectionName(index: Int(uint32()), id: try identifier())
            },
            items: try (0..<below(4)).map { _ in
                Stage.PlacedItem(
                    path: ItemPath(section: Int(uint32()), item: Int(uint32())), item: try item())
            },
            next: chance(50) ? try identifier() : nil)
    }

    private mutating func authors() throws -> BatchAuthors {
        let authors = try (0..<below(3)).map { _ in
            BatchAuthors.Author(client: try identifier(), user: text(atMost: 10))
        }
        let transactions =
            authors.isEmpty
            ? []
            : (0..<below(4)).map { _ in
                BatchAuthors.Transaction(
                    revision: revision(), counter: number(), author: below(authors.count))
            }
        return BatchAuthors(room: uint32(), authors: authors, transactions: transactions)
    }

    private mutating func ack() -> Ack {
        Ack(
            room: uint32(), counter: number(),
            commit: Commit(
                revision: revision(), superseded: (0..<below(3)).map { _ in superseded() }))
    }

    private mutating func reject() -> Reject {
        Reject(room: uint32(), counter: number(), rejection: rejection())
    }

    private mutating func heartbeat() -> Heartbeat {
        Heartbeat(
            rooms: (0..<below(4)).map { _ in
                Heartbeat.Entry(
                    room: uint32(), revision: revision(), origin: chance(50) ? origin() : nil)
            })
    }

    private mutating func welcome() -> Welcome {
        var limits = WireLimits()
        limits.frameBytes = index()
        limits.transactionBytes = index()
        limits.transactionOperations = index()
        limits.contentBytes = index()
        limits.contentFields = index()
        limits.unansweredTransactions = index()
        limits.views = index()
        limits.viewElements = index()
        limits.transactionSteps = index()
        var welcome = Welcome(
            version: uint32(), features: Features(rawValue: uint64()), agent: text(atMost: 10),
            heartbeatMilliseconds: uint32(), limits: limits)
        welcome.user = text(atMost: 10)
        welcome.tokenMilliseconds = number()
        return welcome
    }

    private mutating func snapshotPart() throws -> SnapshotPart {
        let pieces = try (0..<below(4)).map { _ in
            SnapshotPart.Piece(
                section: chance(80) ? try section() : nil, items: try items(atMost: 3))
        }
        return SnapshotPart(
            channel: channel(), revision: revision(), pieces: pieces, isFirst: chance(50),
            isLast: chance(50), totalItems: number())
    }

    private mutating func roomList() throws -> RoomList {
        let rooms = try (0..<below(4)).map { _ in
            RoomList.Entry(name: try roomName(), revision: revision(), members: uint32())
        }
        return RoomList(request: uint32(), rooms: rooms, hasMore: chance(50))
    }

    private mutating func stats() throws -> Stats {
        var stats = Stats(
            request: uint32(), room: try roomName(), identity: identity(),
            figures: Figures { _ in number() }, server: Figures { _ in number() },
            account: Figures { _ in number() })
        stats.revision = revision()
        stats.horizon = revision()
        stats.oldestRevision = revision()
        stats.snapshotRevision = revision()
        return stats
    }

    private mutating func errorSubject() -> ErrorSubject {
        switch pick(ErrorSubjectKind.self) {
        case .request: .request(uint32())
        case .room: .room(uint32())
        case .transaction: .transaction(number(), in: uint32())
        case .view: .view(uint32(), serial: number(), in: uint32())
        case .drag: .drag(uint32(), in: uint32())
        case .presence: .presence(in: uint32())
        }
    }

    private mutating func errorMessage() -> ErrorMessage {
        var message = ErrorMessage(
            pick(ErrorCode.self), text(atMost: 20), about: chance(85) ? errorSubject() : nil)
        message.retry = chance(50)
        if chance(50) { message.retryAfterMilliseconds = uint32() }
        return message
    }

    mutating func batch(stages: Int) throws -> Batch {
        Batch(
            from: revision(), to: revision(), stages: try (0..<stages).map { _ in try stage() },
            sections: index(),
            counts: (0..<below(3)).map { _ in SectionCount(section: index(), items: index()) })
    }

    private mutating func path() -> ItemPath {
        ItemPath(section: index(), item: index())
    }

    mutating func stage(atMost count: Int = 2) throws -> Stage {
        var stage = Stage()
        for _ in 0..<below(count + 1) {
            stage.reloads.append(Stage.PlacedItem(path: path(), item: try item()))
            stage.inserts.append(Stage.PlacedItem(path: path(), item: try item()))
        }
        for _ in 0..<below(count + 1) {
            stage.changedSections.append(
                Stage.PlacedSection(index: index(), section: try section()))
            stage.insertSections.append(
                Stage.PlacedSection(index: index(), section: try section()))
        }
        for _ in 0..<below(count + 1) {
            stage.moveSections.append(Stage.SectionMove(from: index(), to: index()))
            stage.moves.append(Stage.ItemMove(from: path(), to: path()))
        }
        stage.deletes = (0..<below(count + 1)).map { _ in path() }
        stage.deleteSections = (0..<below(count + 1)).map { _ in index() }
        return stage
    }
}
