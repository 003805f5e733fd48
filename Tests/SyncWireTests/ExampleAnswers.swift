import SyncLayout
import SyncModel
import SyncWire
import Testing

extension ExampleMessages {
    static func server() throws -> [(name: String, message: ServerMessage)] {
        let room = try #require(RoomName("room1"))
        let lost = [
            Superseded(operation: 0, reason: .deleted), Superseded(operation: 2, reason: .exists),
        ]
        let rejection = Rejection(
            operation: 0, code: .unknownItem, message: "there is no item 'milk'")
        return [
            (
                "welcome",
                .welcome(
                    Welcome(
                        version: 1, features: .deflate, agent: "collsync/1.0",
                        heartbeatMilliseconds: 15_000, limits: WireLimits()))
            ),
            ("welcome of a user whose token expires in an hour", .welcome(welcomeOfUser())),
            ("renewed", .renewed(Renewed(request: 15, tokenMilliseconds: 3_600_000))),
            (
                "joined",
                .joined(
                    Joined(
                        request: 1, handle: 7, room: room, client: Identifier("c-ada"),
                        user: "ada", role: .editor, revision: 41, resumed: true,
                        identity: identity, counter: 12)
                )
            ),
            (
                "joined, with answers to what was sent before",
                .joined(try joinedAgain(room, lost, rejection))
            ),
            ("joined, but the room has changed", .joined(try joinedAnother(room))),
            ("snapshot of a new room", .snapshot(try emptySnapshot())),
            ("snapshot, first part", .snapshot(try snapshotPart(isFirst: true))),
            ("snapshot, last part of a request's", .snapshot(try snapshotPart(isFirst: false))),
            ("ack", .ack(Ack(room: 7, counter: 1, commit: Commit(revision: 42)))),
            (
                "ack with lost operations",
                .ack(Ack(room: 7, counter: 2, commit: Commit(revision: 43, superseded: lost)))
            ),
            ("reject", .reject(Reject(room: 7, counter: 3, rejection: rejection))),
            (
                "reject of a whole transaction",
                .reject(
                    Reject(
                        room: 7, counter: 4,
                        rejection: Rejection(code: .badBase, message: "the base is too high")))
            ),
        ] + (try batches()) + (try answersToRequests(room)) + (try serverPresence())
            + (try serverDrags()) + waits + nearLimits + (try items())
    }

    private static func items() throws -> [(name: String, message: ServerMessage)] {
        [
            (
                "items of two sections, with more behind them",
                .items(
                    Items(
                        request: 21, revision: 41, origin: identity.origin(of: 41),
                        sections: [
                            .init(index: 0, id: Identifier("main")),
                            .init(index: 2, id: Identifier("later")),
                        ],
                        items: [
                            .init(
                                path: ItemPath(section: 0, item: 7),
                                item: try Item("eggs", ["title": "Eggs"])),
                            .init(
                                path: ItemPath(section: 2, item: 0),
                                item: try Item("tea", ["title": "Tea"])),
                        ],
                        next: Identifier("tea")))
            ),
            (
                "no items",
                .items(Items(request: 23, revision: 41, origin: identity.origin(of: 41)))
            ),
        ]
    }

    private static let waits: [(name: String, message: ServerMessage)] = [
        (
            "reject with a time to wait",
            .reject(
                Reject(
                    room: 7, counter: 5,
                    rejection: Rejection(
                        code: .unavailable, message: "too many", retryAfterMilliseconds: 300)))
        ),
        (
            "error with a time to wait",
            .error(
                ErrorMessage(
                    .userLimit, "too many rooms made", about: .request(12),
                    retryAfterMilliseconds: 6000))
        ),
    ]

    private static let nearLimits: [(name: String, message: ServerMessage)] = [
        (
            "a room is nearly full",
            .nearLimit(NearLimit(room: 7, QuotaUse(.items, used: 80_000, limit: 100_000)))
        ),
        (
            "a user is in nearly as many rooms as it may",
            .nearLimit(NearLimit(room: 0, QuotaUse(.rooms, used: 800, limit: 1000)))
        ),
    ]

    private static func batches() throws -> [(name: String, message: ServerMessage)] {
        [
            ("who made the next batch", .authors(try authors())),
            ("batch", .batch(BatchMessage(channel: .room(7), batch: try batch()))),
            (
                "batch over revisions that changed nothing",
                .batch(
                    BatchMessage(
                        channel: .request(10), batch: Batch(from: 3, to: 41, sections: 1)))
            ),
            (
                "batch that goes on",
                .batch(
                    BatchMessage(
                        channel: .room(7), batch: try batch(), isContinued: true, hasMore: true))
            ),
            try batchOfOddTexts(),
        ]
    }

    private static func authors() throws -> BatchAuthors {
        BatchAuthors(
            room: 7,
            authors: [
                .init(client: Identifier("c-ada"), user: "ada"),
                .init(client: Identifier("c-ben")),
            ],
            transactions: [
                .init(revision: 42, counter: 12, author: 0),
                .init(revision: 43, counter: 1, author: 1),
                .init(revision: 44, counter: 13, author: 0),
            ])
    }

    private static func welcomeOfUser() -> Welcome {
        var welcome = Welcome(
            version: 1, features: .deflate, agent: "collsync/1.0", heartbeatMilliseconds: 15_000,
            limits: WireLimits())
        welcome.user = "ada"
        welcome.tokenMilliseconds = 3_600_000
        return welcome
    }

    private static func joinedAgain(
        _ room: RoomName, _ lost: [Superseded], _ rejection: Rejection
    ) throws -> Joined {
        Joined(
            request: 2, handle: 7, room: room, client: Identifier("c-ada"), user: "",
            role: .editor, revision: 43, resumed: true, identity: identity, counter: 12,
            acks: [
                Ack(room: 7, counter: 9, commit: Commit(revision: 42)),
                Ack(room: 7, counter: 12, commit: Commit(revision: 43, superseded: lost)),
            ],
            rejects: [Reject(room: 7, counter: 10, rejection: rejection)], answeredThrough: 12)
    }

    private static func joinedAnother(_ room: RoomName) throws -> Joined {
        Joined(
            request: 2, handle: 7, room: room, client: Identifier("c-ada"), user: "",
            role: .editor, revision: 6, resumed: false, identity: newRoom, changed: true)
    }

    private static func answersToRequests(
        _ room: RoomName
    ) throws -> [(name: String, message: ServerMessage)] {
        var stats = Stats(
            request: 6, room: room, identity: identity,
            figures: Figures {
                [.sections: 1, .items: 1_000_000, .memoryBytes: 1 << 27, .memoryLimit: 1 << 31][$0]
                    ?? 0
            },
            server: Figures {
                [.roomBytes: 1 << 27, .memoryLimit: 1 << 33, .turns: 1000, .diskBytes: 1 << 20][$0]
                    ?? 0
            },
            account: Figures {
                [.connections: 2, .connectionLimit: 256, .writtenBytes: 1 << 20][$0] ?? 0
            })
        stats.revision = 41
        return [
            ("heartbeat of a server", .heartbeat(Heartbeat())),
            (
                "room list",
                .roomList(
                    RoomList(
                        request: 5, rooms: [.init(name: room, revision: 41, members: 3)],
                        hasMore: true))
            ),
            ("stats", .stats(stats)),
            ("done", .done(Done(request: 7))),
            ("error of the connection", .error(ErrorMessage(.shuttingDown, "come back soon"))),
            (
                "error of a request",
                .error(ErrorMessage(.historyGone, "kept from 100 on", about: .request(11)))
            ),
            (
                "error of a room",
                .error(ErrorMessage(.replaced, "joined elsewhere", about: .room(7)))
            ),
            (
                "error of a view",
                .error(
                    ErrorMessage(
                        .badView, "layout.kind: unknown", about: .view(1, serial: 4, in: 7)))
            ),
            (
                "error of a transaction",
                .error(
                    ErrorMessage(
                        .unknownRoom, "it is not in that room", about: .transaction(12, in: 7)))
            ),
            (
                "error of what a member shows",
                .error(ErrorMessage(.limitExceeded, "too much", about: .presence(in: 7)))
            ),
            ("first view update", .viewUpdate(try firstViewUpdate())),
            ("view update", .viewUpdate(viewUpdate())),
            ("view update to another layout", .viewUpdate(transition())),
        ]
    }

    private static func firstViewUpdate() throws -> ViewUpdate {
        var header = LayoutElement(
            .supplementary(kind: LayoutElement.header, section: 0),
            frame: ListRect(width: 375, height: 30))
        header.zIndex = 1
        let cell = LayoutElement(
            .cell(ItemPath(section: 0, item: 0)),
            frame: ListRect(x: 0, y: 30, width: 182.5, height: 243.25))
        var faded = ElementPatch()
        faded.alpha = 0
        return ViewUpdate(
            room: 7, view: 1, number: 1, serial: 1, revision: 41, isFirst: true,
            contentSize: ListSize(width: 375, height: 20_340),
            appeared: [
                .init(key: 1, element: header, of: try section().id),
                .init(key: 2, element: cell, of: try item().id, initial: faded),
            ],
            hasMore: true, items: [try item()], sections: [try section()])
    }

    private static func viewUpdate() -> ViewUpdate {
        var moved = ElementPatch()
        moved.item = 1
        moved.frame = ListRect(x: 192.5, y: 30, width: 182.5, height: 243.25)
        var gone = ElementPatch()
        gone.alpha = 0
        return ViewUpdate(
            room: 7, view: 1, number: 2, serial: 2, revision: 44,
            shift: ListPoint(x: 0, y: 243.25),
            changed: [.init(key: 2, to: moved)], disappeared: [.init(key: 1, final: gone)])
    }

    private static func transition() -> ViewUpdate {
        let cell = LayoutElement(
            .cell(ItemPath(section: 0, item: 7)),
            frame: ListRect(x: 0, y: 600, width: 375, height: 66))
        var before = ElementPatch()
        before.frame = ListRect(x: 192.5, y: 730.5, width: 182.5, height: 243.25)
        return ViewUpdate(
            room: 7, view: 1, number: 3, serial: 3, revision: 44, isTransition: true,
            contentSize: ListSize(width: 375, height: 9_960),
            appeared: [.init(key: 3, element: cell, of: Identifier("eggs"), initial: before)])
    }

    private static func emptySnapshot() throws -> SnapshotPart {
        let main = ListSection(id: Identifier("main"))
        return SnapshotPart(
            channel: .room(7), revision: 0, pieces: [.init(section: main)], isFirst: true,
            isLast: true, totalItems: 0)
    }

    private static func snapshotPart(isFirst: Bool) throws -> SnapshotPart {
        let eggs = Item(id: Identifier("eggs"))
        let pieces: [SnapshotPart.Piece] =
            isFirst
            ? [.init(section: try section(), items: [try item()])]
            : [.init(section: nil, items: [eggs])]
        return SnapshotPart(
            channel: isFirst ? .room(7) : .request(8), revision: 41, pieces: pieces,
            isFirst: isFirst, isLast: !isFirst, totalItems: 2)
    }

    private static func batch() throws -> Batch {
        var first = Stage()
        first.reloads = [.init(path: ItemPath(section: 0, item: 3), item: try item())]
        first.changedSections = [.init(index: 0, section: try section())]
        var second = Stage()
        second.insertSections = [
            .init(index: 1, section: ListSection(id: Identifier("late")))
        ]
        second.moveSections = [.init(from: 1, to: 0)]
        second.deletes = [ItemPath(section: 0, item: 0), ItemPath(section: 1, item: 300)]
        second.inserts = [
            .init(path: ItemPath(section: 0, item: 0), item: Item(id: Identifier("eggs")))
        ]
        second.moves = [
            .init(from: ItemPath(section: 0, item: 5), to: ItemPath(section: 1, item: 0))
        ]
        second.deleteSections = [2, 3, 200]
        return Batch(
            from: 41, to: 44, stages: [first, second], sections: 2,
            counts: [SectionCount(section: 0, items: 4), SectionCount(section: 1, items: 7)])
    }
}
