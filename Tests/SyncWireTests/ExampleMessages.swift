import SyncLayout
import SyncModel
import SyncWire
import Testing

/// A message of every kind and every operation, for the published vectors.
enum ExampleMessages {
    /// A room that was opened twice, the second time at revision 40.
    static var identity: RoomIdentity {
        var identity = RoomIdentity(
            RoomID(high: 0x0123_4567_89AB_CDEF, low: 0x1122_3344_5566_7788),
            Epoch(EpochID(value: 0xA1B2_C3D4_E5F6_0718), first: 0))
        identity.begin(Epoch(EpochID(value: 0xF0E1_D2C3_B4A5_9687), first: 40))
        return identity
    }

    /// A room that was just created.
    static var newRoom: RoomIdentity {
        RoomIdentity(
            RoomID(high: 0xFEDC_BA98_7654_3210, low: 0x8877_6655_4433_2211),
            Epoch(EpochID(value: 0x0102_0304_0506_0708), first: 0))
    }

    /// It has the parts of a signed token, but proves nothing.
    private static let token = "header.claims.signature"

    /// The messages by which a client signs in, and takes access back.
    private static func access() -> [(name: String, message: ClientMessage)] {
        [
            ("hello", .hello(Hello(features: .deflate, token: "", agent: "example/1.0"))),
            ("hello without features", .hello(Hello(features: []))),
            ("hello with a token", .hello(Hello(features: .deflate, token: token))),
            ("renew", .renew(Renew(request: 15, token: token))),
            ("revoke a token", .revoke(Revoke(request: 16, .token("t-1")))),
            ("revoke a user", .revoke(Revoke(request: 17, .user("ann")))),
            ("revoke a key", .revoke(Revoke(request: 18, .key("main")))),
            ("revoke everybody", .revoke(Revoke(request: 19, .all))),
        ]
    }

    static func client() throws -> [(name: String, message: ClientMessage)] {
        let room = try #require(RoomName("room1"))
        let revoke = ClientMessage.revoke(Revoke(request: 20, .role(of: "ann", in: room)))
        let ada = Identifier("c-ada")
        let origin = identity.origin(of: 41)
        return access() + [
            ("revoke a role", revoke),
            ("join anew", .join(Join(request: 1, room: room, client: ada, secret: [1, 2, 3, 4]))),
            (
                "join again from revision 41, every revision",
                .join(
                    Join(
                        request: 2, room: room, client: ada, secret: [1, 2, 3, 4], from: 41,
                        everyRevision: true, origin: origin, counter: 12, answeredThrough: 8))
            ),
            (
                "join to see views and others",
                .join(Join(request: 12, room: room, client: ada, viewOnly: true, presence: true))
            ),
            (
                "join to know who made what",
                .join(Join(request: 14, room: room, client: ada, authors: true))
            ),
            (
                "join from revision 0",
                .join(Join(request: 3, room: room, client: ada, from: 0))
            ),
            ("leave", .leave(Leave(request: 4, room: 7))),
            (
                "heartbeat of a client in two rooms",
                .heartbeat(
                    Heartbeat(rooms: [
                        .init(room: 7, revision: 41, origin: origin),
                        .init(room: 300, revision: 0),
                    ]))
            ),
            ("heartbeat of nobody's room", .heartbeat(Heartbeat())),
            ("list rooms", .listRooms(ListRooms(request: 5))),
            ("read stats", .readStats(RoomRequest(request: 6, room: room))),
            ("delete room", .deleteRoom(RoomRequest(request: 7, room: room))),
            ("read snapshot", .readSnapshot(ReadSnapshot(request: 8, room: room))),
            (
                "read snapshot at revision 3",
                .readSnapshot(ReadSnapshot(request: 9, room: room, revision: 3, origin: origin))
            ),
            (
                "read history, composed",
                .readHistory(
                    ReadHistory(request: 10, room: room, from: 3, until: 41, origin: origin))
            ),
            (
                "read history, every revision until now",
                .readHistory(ReadHistory(request: 11, room: room, from: 0, everyRevision: true))
            ),
        ]
            + itemReads(room, origin) + (try views()) + (try clientPresence()) + (try clientDrags())
            + (try submits(origin))
    }

    private static func itemReads(
        _ room: RoomName, _ origin: Origin?
    ) -> [(name: String, message: ClientMessage)] {
        let page = ItemQuery(.page(in: nil, after: nil), limit: 100)
        let next = ItemQuery(.page(in: Identifier("main"), after: Identifier("milk")), limit: 100)
        let these = ItemQuery(.these([Identifier("milk"), Identifier("eggs")]), limit: 2)
        var reads: [(name: String, message: ClientMessage)] = [
            (
                "read the first page of items",
                .readItems(ReadItems(request: 20, room: room, page))
            ),
            (
                "read the next page of a section's items, at revision 41",
                .readItems(ReadItems(request: 21, room: room, revision: 41, origin: origin, next))
            ),
            ("read two items", .readItems(ReadItems(request: 22, room: room, these))),
        ]
        if let text = SearchText("Bio") {
            let search = ItemQuery(.search(text, in: nil, after: Identifier("milk")), limit: 10)
            let read = ReadItems(request: 23, room: room, search)
            reads.append(("search items for a text", .readItems(read)))
        }
        return reads
    }

    /// The messages that may be sent together with the join of request 3.
    static func early() throws -> [(name: String, message: ClientMessage)] {
        let transaction = ListTransaction(base: 41, operations: [.delete(Identifier("milk"))])
        return [
            (
                "early submit, in one flight with its join",
                .submit(try Submit(room: 0, counter: 13, transaction: transaction))
            ),
            ("leave in one flight with its join", .leave(Leave(request: 13, room: 0))),
        ]
    }

    private static func submits(
        _ origin: Origin
    ) throws -> [(name: String, message: ClientMessage)] {
        try operations().enumerated().map { index, operation in
            let transaction = ListTransaction(base: 41, operations: [operation.operation])
            let submit = try Submit(
                room: 7, counter: UInt64(index + 1), transaction: transaction)
            return ("submit " + operation.name, .submit(submit))
        }
            + [
                (
                    "submit from a base of another membership",
                    .submit(
                        try Submit(
                            room: 7, counter: 99,
                            transaction: ListTransaction(base: 41, operations: []),
                            origin: origin))
                ),
                try submitOfOddTexts(),
            ]
    }

    private static func layout() -> ViewLayout {
        var layout = ViewLayout(.waterfall) { options in
            options.columnCount = 3
            options.sectionInset = Insets(top: 8, left: 16, right: 16)
            options.sectionHeadersPinToVisibleBounds = true
            options.decorations = [Decoration(kind: "card", inset: Insets(left: -4, right: -4))]
            options.supplementaries = [
                CustomSupplementary(
                    kind: "badge", place: .atItem(.topTrailing),
                    size: ListSize(width: 12, height: 12), offset: ListPoint(x: -2, y: 2), zIndex: 1
                )
            ]
        }
        layout.environment.contentInset.bottom = 34
        layout.environment.pixelScale = 3
        return layout
    }

    private static func views() throws -> [(name: String, message: ClientMessage)] {
        [
            (
                "open a view",
                .view(
                    ViewRequest(
                        room: 7, view: 1, layout: layout(),
                        bounds: ListRect(width: 375, height: 667), overscan: 200, serial: 1))
            ),
            (
                "open a view with a background of the content",
                .view(
                    ViewRequest(
                        room: 7, view: 2,
                        layout: ViewLayout(.circle) { options in
                            options.decorations = [
                                Decoration(kind: "wall", cover: .content, zIndex: -2)
                            ]
                        },
                        bounds: ListRect(width: 375, height: 667), serial: 6))
            ),
            (
                "scroll a view",
                .view(
                    ViewRequest(
                        room: 7, view: 1, bounds: ListRect(y: 120.5, width: 375, height: 667),
                        seen: 3, serial: 2))
            ),
            (
                "scroll to where items come to rest",
                .view(
                    ViewRequest(
                        room: 7, view: 1, bounds: ListRect(x: 310, width: 375, height: 667),
                        seen: 3,
                        snaps: true, serial: 3))
            ),
            (
                "scroll to an item",
                .view(
                    ViewRequest(
                        room: 7, view: 1, seen: 3,
                        anchor: .item(
                            ItemAnchor(item: Identifier("milk"), distance: ListPoint(y: 20))),
                        serial: 4))
            ),
            (
                "scroll to the beginning",
                .view(ViewRequest(room: 7, view: 1, seen: 3, anchor: .beginning, serial: 5))
            ),
            ("close a view", .view(ViewRequest(room: 7, view: 1, isClosed: true, serial: 6))),
        ]
    }

    static func operations() throws -> [(name: String, operation: ListOperation)] {
        let milk = Identifier("milk")
        let eggs = Identifier("eggs")
        let main = Identifier("main")
        let done = Identifier("done")
        let title = Identifier("title")
        return [
            (
                "insert after",
                .insert(try item(), to: Placement(section: main, position: .after(eggs)))
            ),
            (
                "insert at the end",
                .insert(Item(id: Identifier("语")), to: Placement(section: main))
            ),
            ("delete", .delete(milk)),
            ("move to index 0", .move(milk, to: Placement(section: done, position: .index(0)))),
            (
                "move before, with a trail",
                .move(
                    milk,
                    to: Placement(position: .before(eggs), trail: [done, Identifier("b")]))
            ),
            (
                "update",
                .update(
                    milk,
                    ItemPatch(
                        set: [
                            Field(name: done, value: .bool(true)), Field(name: title, value: .null),
                        ],
                        unset: [Identifier("note")], size: .clear,
                        kind: .set(Identifier("cell")),
                        flags: FlagChanges(changed: [.movable, .deletable], enabled: .movable)))
            ),
            ("increment", .increment(eggs, field: Identifier("count"), by: -2.5)),
            (
                "insert section",
                .insertSection(try section(), to: Placement(position: .after(main)))
            ),
            ("delete section", .deleteSection(main)),
            ("move section", .moveSection(done, to: Placement(position: .index(0)))),
            (
                "update section",
                .updateSection(
                    done,
                    SectionPatch(
                        set: [Field(name: title, value: .text("Did"))],
                        supplementaries: [Supplementary(kind: Identifier("footer"))],
                        removedSupplementaries: [Identifier("header")],
                        flags: FlagChanges(changed: .acceptsMoves, enabled: .acceptsMoves)))
            ),
            (
                "guarded delete",
                .delete(milk).ifUnchanged(since: 41, place: true, content: true, fields: [title])
            ),
        ]
    }

    /// An item with a value of every kind.
    static func item() throws -> Item {
        let values: [(String, Value)] = [
            ("big", .number(9_007_199_254_740_992)), ("count", .number(-3)),
            ("done", .bool(false)), ("none", .null), ("price", .number(1.25)),
            ("tags", .list([.text("a"), .list([]), .object([])])),
            ("title", .text("Milk 🥛")),
            ("where", .object([Field(name: Identifier("aisle"), value: .number(7))])),
        ]
        let fields = try values.map { Field(name: try Identifier($0.0), value: $0.1) }
        return Item(
            id: Identifier("milk"),
            content: try ItemContent(
                kind: Identifier("cell"), size: ListSize(width: 120, height: 80),
                fields: fields,
                flags: ItemFlags.all.subtracting(.deletable)))
    }

    static func section() throws -> ListSection {
        let title = Field(name: Identifier("title"), value: .text("Done"))
        let header = Supplementary(
            kind: Identifier("header"), size: ListSize(width: 0, height: 44), fields: [title])
        return ListSection(
            id: Identifier("done"),
            content: try SectionContent(fields: [title], supplementaries: [header], flags: []))
    }
}
