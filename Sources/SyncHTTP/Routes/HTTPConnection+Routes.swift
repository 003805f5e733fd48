import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

// What each route does.
extension HTTPConnection {
    /// Begins to answer a request.
    ///
    /// - Returns: `nil` if it is answered already.
    func exchange(for head: RequestHead) -> SessionRequest? {
        do throws(RequestRefusal) {
            noteOrigin(of: head)
            try actForClient(of: head)
            try charge(head)
            let target: RequestTarget
            do throws(HTTPError) {
                target = try RequestTarget(head.target)
            } catch {
                throw RequestRefusal(error)
            }
            try admit(head)
            let routes = options.service.routes
            if head.method == "OPTIONS" {
                respond(toOptions: head, try RoutedRequest.methods(of: target, routes))
                return nil
            }
            let request = try RoutedRequest(target, method: head.method, among: routes)
            record.route = request.route
            try request.checkQuery()
            try head.checkCoding()
            return try exchange(for: request, head)
        } catch {
            respond(error.response)
            return nil
        }
    }

    private func exchange(
        for request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> SessionRequest? {
        switch request.route {
        case .health: respond(.json(200, ["status": "ok"]))
        case .readiness: respond(readiness)
        case .metrics: respond(metrics)
        case .description: respond(OpenAPI.response)
        case .webSocket: try openWebSocket(request, head)
        case .sharing: return ShareExchange(self, try session(for: head))
        case .cookie:
            guard let token = try head.bearerToken(), CookieExchange.takes(token) else {
                throw .mistake("Authorization must have the token that the cookie is to keep")
            }
            return CookieExchange(token, self, session(withToken: token))
        case .cookieRemoval:
            respond(CookieExchange.response(nil, isSecured: isSecuredOutside))
        case .rooms:
            var page = RoomsRead.Page()
            page.prefix = try request.text("prefix")?.shown ?? ""
            page.after = try request.text("after")?.shown ?? ""
            page.limit = try request.count("limit", atMost: RoomsRead.mostRooms)
            return RoomsRead(page, self, try session(for: head))
        case .layout: return LayoutPost(self, try session(for: head))
        default: return try exchange(for: request, in: try request.room(), head)
        }
        return nil
    }

    /// Begins to answer a request for a room.
    private func exchange(
        for request: RoutedRequest, in room: RoomName, _ head: RequestHead
    ) throws(RequestRefusal) -> SessionRequest? {
        switch request.route {
        case .snapshot:
            let goal = LineRead.Goal.snapshot(try request.number("revision"))
            return LineRead(goal, of: room, for: head, self, try session(for: head))
        case .history, .batch:
            let goal = LineRead.Goal.history(
                from: try request.required("from"), to: try request.number("to"),
                everyRevision: request.route == .history)
            return LineRead(goal, of: room, for: head, self, try session(for: head))
        case .stats: return RoomAsk(.stats, room, self, try session(for: head))
        case .creation: return RoomPut(room, self, try session(for: head))
        case .deletion: return RoomAsk(.delete, room, self, try session(for: head))
        case .transactions:
            return TransactionPost(
                room, key: try head.idempotencyKey(), self, try session(for: head))
        case .importing:
            let append = try request.flag("append")
            return ImportPost(room, append: append, self, try session(for: head))
        case .table:
            let fields = try request.list("fields", atMost: TableReader.mostColumns)
            return TableRead(
                room, at: try request.number("revision"), fields: fields, for: head, self,
                try session(for: head))
        case .items, .item, .search:
            return ItemsRead(
                try request.itemQuery(), of: room, at: try request.number("revision"),
                isSingle: request.route == .item, self, try session(for: head))
        case .view: return ViewPost(room, self, try session(for: head))
        case .drawing, .image:
            let options = try PictureOptions(request, as: request.route == .image ? .png : .svg)
            return PictureRead(options, of: room, for: head, self, try session(for: head))
        case .events:
            // One that can't be read is no revision of this room, and then all of it comes.
            let id = head.fields.value(of: "Last-Event-ID").flatMap { $0.isEmpty ? nil : $0 }
            let session = try session(for: head, in: record.acceptsGzip ? .gzipJSON : .json)
            return EventStream(
                room, after: id.flatMap { RevisionTag($0) },
                from: id == nil ? try request.number("from") : nil, self, session)
        case .health, .readiness, .metrics, .description, .webSocket, .sharing, .cookie,
            .cookieRemoval, .rooms, .layout:
            return nil
        }
    }

    /// Whether the server takes work.
    private var readiness: Response {
        if gateway.isServerEnding {
            return .error(ErrorMessage(.shuttingDown, "the server is going down"))
        }
        if gateway.isStoreFailing {
            return .error(ErrorMessage(.unavailable, "the store can't write"))
        }
        return .json(200, ["status": "ready"])
    }

    private var metrics: Response {
        guard case .metrics(let process) = options.service else {
            return RequestRefusal.notFound.response
        }
        return Response(
            200,
            HTTPFields([
                "Content-Type": Server.metricsMediaType, "Cache-Control": "no-store",
            ]),
            body: gateway.metrics(process: process))
    }

    /// The session that answers a request: that of the request before, if the token is the same.
    private func session(
        for head: RequestHead, in encoding: FrameEncoding = .json
    ) throws(RequestRefusal) -> RequestSession {
        session(withToken: try head.token(), in: encoding)
    }
}
