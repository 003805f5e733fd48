import SyncServer

extension OpenAPI.Operation {
    private init(
        _ summary: String, body: (schema: String, example: String)? = nil,
        fields: [String] = [], required: [String] = [], _ answers: Answer...
    ) {
        self.summary = summary
        self.body = body
        self.fields = fields
        self.required = required
        self.answers = answers
    }

    /// What the route takes and answers. The page `Protocol/http.md` says more.
    init(_ route: Route) {
        switch route {
        case .health, .readiness, .metrics, .cookie, .cookieRemoval, .sharing, .webSocket,
            .description:
            self = OpenAPI.Operation.ofServer(route)
        case .snapshot, .history, .batch, .items, .item, .search, .stats, .rooms, .table:
            self = OpenAPI.Operation.reading(route)
        case .creation, .deletion, .transactions, .importing:
            self = OpenAPI.Operation.writing(route)
        case .view, .layout, .drawing, .image, .events:
            self = OpenAPI.Operation.showing(route)
        }
    }

    private static func ofServer(_ route: Route) -> OpenAPI.Operation {
        switch route {
        case .readiness:
            .init("Whether the server takes work", .json(200, "It does", "Status", readyText))
        case .cookie:
            .init(
                "Keeps the token of Authorization in a cookie",
                Answer(status: 204, text: "Kept", fields: ["Set-Cookie"]))
        case .cookieRemoval:
            .init(
                "Removes the cookie",
                Answer(status: 204, text: "Removed", fields: ["Set-Cookie"]))
        case .sharing:
            .init(
                "Makes a token with which a room is shared",
                body: ("Share", #"{"room":"list","role":"viewer","seconds":3600}"#),
                .json(
                    201, "The token", "SharedToken",
                    #"{"token":"eyJ…","user":"share-0c2f","expires":1800003600}"#))
        case .webSocket:
            .init(
                "Opens a WebSocket: collsync.v1, or collsync.v1.json for one room",
                fields: ["Sec-WebSocket-Protocol"],
                Answer(status: 101, text: "It is one from now on"))
        case .description:
            .init("This document", .json(200, "OpenAPI 3.1", "Any", #"{"openapi":"3.1.0"}"#))
        default: .init("Whether the server lives", .json(200, "It does", "Status", okText))
        }
    }

    private static func reading(_ route: Route) -> OpenAPI.Operation {
        let none = Answer(status: 204, text: "Nothing has changed in between")
        return switch route {
        case .rooms:
            .init(
                "The rooms that the user may see, by their names",
                .json(
                    200, "A page of them", "Rooms",
                    #"{"rooms":[{"name":"list","revision":3,"members":1}]}"#))
        case .snapshot:
            .init(
                "A room, now or at a revision", fields: ["If-None-Match"],
                .json(
                    200, "All of it", "Snapshot",
                    #"{"snapshot":{"room":"list","revision":1,"sections":[]}}"#,
                    fields: ["ETag"]), unchanged)
        case .history:
            .init(
                "What each revision has changed", required: ["from"],
                Answer(
                    status: 200, text: "A line for each", type: "application/jsonl",
                    example: batch), none)
        case .batch:
            .init(
                "What has changed between two revisions", required: ["from"],
                .json(200, "One batch", "Batch", batch), none)
        case .item:
            .init(
                "One item, with its place",
                .json(200, "The item", "Entry", #"{"section":0,"item":0,"content":{"id":"a"}}"#))
        case .stats:
            .init("A room's figures", .json(200, "The figures", "Stats", #"{"room":"list"}"#))
        case .table:
            .init(
                "The items as comma-separated values", fields: ["If-None-Match"],
                Answer(
                    status: 200, text: "A line for each item", type: "text/csv",
                    example: "section,id\nmain,milk\n", fields: ["ETag"]), unchanged)
        default:
            .init(
                route == .search ? "Items that contain a text" : "Items in their order",
                required: route == .search ? ["q"] : [],
                .json(
                    200, "A page of them", "ItemPage",
                    #"{"revision":1,"items":[{"section":0,"item":0,"content":{"id":"a"}}]}"#))
        }
    }

    private static func writing(_ route: Route) -> OpenAPI.Operation {
        switch route {
        case .creation:
            .init(
                "Makes a room, if it is not there",
                .json(200, "It was there", "Identity", identity),
                .json(201, "It is new", "Identity", identity))
        case .deletion: .init("Deletes a room", Answer(status: 204, text: "It is gone"))
        case .importing:
            .init(
                "Fills a room", body: ("Snapshot", #"{"snapshot":{"sections":[]}}"#),
                .json(
                    200, "What was inserted", "Import",
                    #"{"import":{"items":2,"skipped":0,"revision":4}}"#))
        default:
            .init(
                "Applies operations together, or none of them",
                body: (
                    "Transaction",
                    #"{"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}"#
                ),
                fields: ["Idempotency-Key", "traceparent"],
                .json(200, "It is committed", "Ack", #"{"ack":{"tx":1,"revision":1}}"#),
                .json(
                    403, "The user's role does not allow it", "Refusal",
                    #"{"reject":{"tx":1,"code":"notAllowed","message":"…"}}"#),
                .json(
                    422, "It has changed nothing, and used no Idempotency-Key", "Refusal",
                    #"{"reject":{"tx":1,"code":"unknownItem","message":"there is no such item"}}"#
                ),
                .json(
                    503, "It has changed nothing, and may be sent again", "Refusal",
                    #"{"reject":{"tx":1,"code":"unavailable","message":"…"}}"#))
        }
    }

    private static func showing(_ route: Route) -> OpenAPI.Operation {
        switch route {
        case .view:
            .init(
                "What a viewport of a room shows",
                body: (
                    "View",
                    #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":375,"height":667}}}"#
                ),
                .json(
                    200, "Its elements", "ViewUpdate", #"{"viewUpdate":{"view":"v"}}"#,
                    fields: [Response.warningField]))
        case .layout:
            .init(
                "The frames of a layout, without a room",
                body: (
                    "LayoutLine",
                    #"{"layout":{"kind":"flow"},"bounds":{"width":375},"sections":[]}"#
                ),
                .json(
                    200, "Its elements", "Any", #"{"elements":[]}"#,
                    fields: [Response.warningField]))
        case .events:
            .init(
                "A room as server-sent events, a batch each", fields: ["Last-Event-ID"],
                Answer(
                    status: 200, text: "The events", type: "text/event-stream",
                    example: "id: 8d-5f.1\ndata: {}\n\n"))
        default:
            .init(
                "A picture of what a viewport shows", fields: ["If-None-Match"],
                required: ["kind"],
                Answer(
                    status: 200, text: "The picture",
                    type: route == .image ? "image/png" : "image/svg+xml",
                    example: route == .image ? nil : "<svg></svg>",
                    fields: ["ETag", Response.warningField]),
                unchanged)
        }
    }

    private static let unchanged = Answer(
        status: 304, text: "It is as If-None-Match says", fields: ["ETag"])
    private static let okText = #"{"status":"ok"}"#
    private static let readyText = #"{"status":"ready"}"#
    private static let batch = #"{"batch":{"from":1,"to":2,"sections":1}}"#
    private static let identity =
        #"{"room":"list","id":"8d01","epoch":"5f02","revision":0}"#
}

extension OpenAPI.Operation.Answer {
    fileprivate static func json(
        _ status: Int, _ text: String, _ schema: String, _ example: String,
        fields: [String] = []
    ) -> OpenAPI.Operation.Answer {
        OpenAPI.Operation.Answer(
            status: status, text: text, type: "application/json", schema: schema,
            example: example, fields: fields)
    }
}
