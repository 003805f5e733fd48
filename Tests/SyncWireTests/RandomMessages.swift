import SeededRandom
import SyncModel
import SyncWire
import Testing

/// Messages of every kind.
extension SplitMix64 {
    mutating func roomName() throws -> RoomName {
        let text = try identifier().text.replacing("/", with: "_")
        return try #require(RoomName(text))
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

    static let clientKinds = 13

    mutating func clientMessage(_ kind: Int) throws -> ClientMessage {
        switch kind {
        case 0:
            .hello(
                Hello(
                    minimumVersion: uint32(), maximumVersion: uint32(),
                    features: Features(rawValue: uint64()), token: text(atMost: 40),
                    agent: text(atMost: 10)))
        case 1:
            .join(
                Join(
                    request: uint32(), room: try roomName(), client: try identifier(),
                    secret: (0..<below(65)).map { _ in UInt8(below(256)) },
                    from: chance(50) ? revision() : nil, everyRevision: chance(50),
                    viewOnly: chance(20), presence: chance(20),
                    origin: chance(50) ? origin() : nil, counter: chance(50) ? number() : 0,
                    answeredThrough: chance(50) ? number() : nil, authors: chance(20)))
        case 2: .leave(Leave(request: uint32(), room: uint32()))
        case 3:
            .submit(
                try Submit(
                    room: uint32(), counter: number(), transaction: try transaction(),
                    origin: chance(20) ? origin() : nil))
        case 4: .heartbeat(heartbeat())
        case 5: .listRooms(ListRooms(request: uint32()))
        case 6: .readStats(RoomRequest(request: uint32(), room: try roomName()))
        case 7: .deleteRoom(RoomRequest(request: uint32(), room: try roomName()))
        case 8:
            .readSnapshot(
                ReadSnapshot(
                    request: uint32(), room: try roomName(),
                    revision: chance(50) ? revision() : nil,
                    origin: chance(50) ? origin() : nil))
        case 9: .view(try viewRequest())
        case 10: .presence(try presence())
        case 11: .drag(try drag())
        default:
            .readHistory(
                ReadHistory(
                    request: uint32(), room: try roomName(), from: revision(),
                    until: chance(50) ? revision() : nil, everyRevision: chance(50),
                    origin: chance(50) ? origin() : nil))
        }
    }

    static let serverKinds = 15

    mutating func serverMessage(_ kind: Int) throws -> ServerMessage {
        switch kind {
        case 0: .welcome(welcome())
        case 1:
            .joined(
                Joined(
                    request: uint32(), handle: uint32(), room: try roomName(),
                    client: try identifier(), user: text(atMost: 10),
                    role: Role.allCases[below(Role.allCases.count)], revision: revision(),
                    resumed: chance(50), identity: identity(), changed: chance(50),
                    counter: number(), acks: (0..<below(3)).map { _ in ack() },
                    rejects: (0..<below(3)).map { _ in reject() },
                    answeredThrough: number()))
        case 2: .snapshot(try snapshotPart())
        case 3:
            .ack(ack())
        case 4: .reject(reject())
        case 5:
            .batch(
                BatchMessage(
                    channel: channel(), batch: try batch(stages: below(3)), isContinued: chance(20),
                    hasMore: chance(20)))
        case 6: .heartbeat(heartbeat())
        case 7: .roomList(try roomList())
        case 8: .stats(try stats())
        case 9: .done(Done(request: uint32()))
        case 10: .viewUpdate(try viewUpdate())
        case 11: .presenceUpdate(try presenceUpdate())
        case 12: .dragTarget(try dragTarget())
        case 13: .authors(try authors())
        default: .error(errorMessage())
        }
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
                Heartbeat.Held(
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
        return Welcome(
            version: uint32(), features: Features(rawValue: uint64()), agent: text(atMost: 10),
            heartbeatMilliseconds: uint32(), limits: limits)
    }

    private mutating func snapshotPart() throws -> SnapshotPart {
        let pieces = try (0..<below(4)).map { _ in
            SnapshotPart.Piece(
                section: chance(80) ? try section() : nil, items: try items(atMost: 3))
        }
        return SnapshotPart(
            channel: channel(), revision: revision(), pieces: pieces, isFirst: chance(50),
            isLast: chance(50), totalItems: uint64())
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
            figures: Figures { _ in number() }, server: Figures { _ in number() })
        stats.revision = revision()
        stats.horizon = revision()
        stats.oldestRevision = revision()
        stats.snapshotRevision = revision()
        return stats
    }

    private mutating func errorSubject() -> ErrorSubject? {
        switch below(7) {
        case 0: .request(uint32())
        case 1: .room(uint32())
        case 2: .transaction(number(), in: uint32())
        case 3: .view(uint32(), serial: number(), in: uint32())
        case 4: .drag(uint32(), in: uint32())
        case 5: .presence(in: uint32())
        default: nil
        }
    }

    private mutating func errorMessage() -> ErrorMessage {
        var message = ErrorMessage(
            ErrorCode.allCases[below(ErrorCode.allCases.count)], text(atMost: 20),
            about: errorSubject())
        message.retry = chance(50)
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
