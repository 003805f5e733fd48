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
    /// - Parameter bytes: what a proxy has sent of it.
    /// - Returns: `nil` if it is answered already.
    func exchange(for head: RequestHead, bytes: Int) -> (any Exchange)? {
        do throws(RequestRefusal) {
            originFields = HTTPFields()
            try actForClient(of: head, bytes: bytes)
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
            return try exchange(for: request, head)
        } catch {
            refuse(error)
            return nil
        }
    }

    private func exchange(
        for request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> (any Exchange)? {
        switch request.route {
        case .health: respond(.json(200, ["status": "ok"]))
        case .readiness: respond(readiness)
        case .metrics: respond(metrics)
        case .webSocket: try openWebSocket(request, head)
        case .sharing: return ShareExchange(self, try session(for: head))
        case .cookie:
            guard let token = try head.bearerToken(), CookieExchange.takes(token) else {
                throw .mistake("Authorization must have the token that the cookie is to keep")
            }
            return CookieExchange(token, self, session(withToken: token))
        case .cookieRemoval:
            respond(CookieExchange.response(nil, isSecured: gateway.isSecured))
        case .rooms:
            var page = RoomsRead.Page()
            page.prefix = try request.text("prefix") ?? ""
            page.after = try request.text("after") ?? ""
            page.limit = try request.count("limit", atMost: RoomsRead.mostRooms)
            return RoomsRead(page, self, try session(for: head))
        case .snapshot:
            let goal = LineRead.Goal.snapshot(try request.number("revision"))
            return try read(goal, request, head)
        case .history:
            let (from, to) = (try request.required("from"), try request.number("to"))
            return try read(.history(from: from, to: to, everyRevision: true), request, head)
        case .batch:
            let (from, to) = (try request.required("from"), try request.number("to"))
            return try read(.history(from: from, to: to, everyRevision: false), request, head)
        case .stats: return RoomAsk(.stats, try request.room(), self, try session(for: head))
        case .deletion: return RoomAsk(.delete, try request.room(), self, try session(for: head))
        case .transactions:
            return TransactionPost(
                try request.room(), key: try head.idempotencyKey(), self, try session(for: head))
        case .items:
            let part = ItemQuery.Part.page(
                in: try request.identifier("section"), after: try request.identifier("after"))
            return try readItems(part, request, head)
        case .search:
            guard let text = SearchText(try request.text("q") ?? "") else {
                throw .mistake("'q' must be a text of 1 to \(SearchText.mostBytes) bytes")
            }
            let part = ItemQuery.Part.search(
                text, in: try request.identifier("section"),
                after: try request.identifier("after"))
            return try readItems(part, request, head)
        case .item:
            return ItemsRead(
                ItemQuery(.these([try request.item()]), limit: 1), of: try request.room(),
                at: try request.number("revision"), isSingle: true, self, try session(for: head))
        case .events:
            let id = head.fields["Last-Event-ID"].flatMap { RevisionTag($0) }
            return EventStream(
                try request.room(), after: id, from: try request.number("from"), self,
                try session(for: head))
        }
        return nil
    }

    private func read(
        _ goal: LineRead.Goal, _ request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> LineRead {
        LineRead(goal, of: try request.room(), for: head, self, try session(for: head))
    }

    private func readItems(
        _ part: ItemQuery.Part, _ request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> ItemsRead {
        let limit = try request.count("limit", atMost: ItemQuery.mostItems)
        return ItemsRead(
            ItemQuery(part, limit: limit), of: try request.room(),
            at: try request.number("revision"), self, try session(for: head))
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
    private func session(for head: RequestHead) throws(RequestRefusal) -> RequestSession {
        session(withToken: try head.token())
    }
}
