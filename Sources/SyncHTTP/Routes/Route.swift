import SyncBytes
import SyncHTTPCodec
import SyncModel
import SyncServer
import SyncWire

/// What can be asked for over HTTP.
typealias Route = RequestRoute

extension Route {
    /// The method that asks for it. `HEAD` is `GET` without the body.
    var method: String {
        switch self {
        case .transactions, .importing, .view, .cookie, .sharing, .layout: "POST"
        case .creation: "PUT"
        case .deletion, .cookieRemoval: "DELETE"
        default: "GET"
        }
    }

    /// Whether its answer is the same for everybody, whoever asks.
    var isForAll: Bool {
        switch self {
        case .health, .readiness, .description: true
        default: false
        }
    }

    /// Its path. `{room}` stands for a room's name.
    var path: String {
        switch self {
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        case .rooms: "/v1/rooms"
        case .snapshot, .creation, .deletion: "/v1/rooms/{room}"
        case .transactions: "/v1/rooms/{room}/transactions"
        case .importing: "/v1/rooms/{room}/import"
        case .table: "/v1/rooms/{room}/export.csv"
        case .stats: "/v1/rooms/{room}/stats"
        case .history: "/v1/rooms/{room}/history"
        case .batch: "/v1/rooms/{room}/batch"
        case .items: "/v1/rooms/{room}/items"
        case .item: "/v1/rooms/{room}/items/{item}"
        case .search: "/v1/rooms/{room}/search"
        case .view: "/v1/rooms/{room}/view"
        case .drawing: "/v1/rooms/{room}/layout.svg"
        case .image: "/v1/rooms/{room}/layout.png"
        case .events: "/v1/rooms/{room}/stream"
        case .cookie, .cookieRemoval: "/v1/cookie"
        case .sharing: "/v1/tokens"
        case .layout: "/v1/layout"
        case .description: "/v1/openapi.json"
        case .webSocket: "/v1/ws"
        }
    }

    /// The names of its query.
    var query: [String] {
        switch self {
        case .rooms: ["prefix", "after", "limit"]
        case .snapshot, .item: ["revision"]
        case .importing: ["append"]
        case .table: ["revision", "fields"]
        case .items: ["section", "after", "revision", "limit"]
        case .search: ["q", "section", "after", "revision", "limit"]
        case .history, .batch: ["from", "to"]
        case .drawing: ["kind", "spec", "width", "height", "x", "y", "title"]
        case .image: ["kind", "spec", "width", "height", "x", "y", "title", "scale"]
        case .events: ["from"]
        case .webSocket:
            [
                "room", "from", "id", "epoch", "everyRevision", "viewOnly", "presence", "authors",
            ]
        default: []
        }
    }
}

/// A route with what the request's target says.
struct RoutedRequest {
    let route: Route
    /// What stands for the names in braces, in their order.
    let names: [ForeignText]
    let query: [RequestTarget.QueryItem]

    /// - Parameter routes: those of the port.
    init(
        _ target: RequestTarget, method: String, among routes: [Route]
    ) throws(RequestRefusal) {
        for route in routes {
            guard let names = RoutedRequest.match(target.path, route.pattern) else {
                continue
            }
            if route.method == method || route.method == "GET" && method == "HEAD" {
                self.route = route
                self.names = names
                query = target.query
                return
            }
        }
        throw .methodNotAllowed(try RoutedRequest.methods(of: target, routes))
    }

    /// The methods that a path has.
    static func methods(
        of target: RequestTarget, _ routes: [Route]
    ) throws(RequestRefusal) -> [String] {
        let methods = routes.filter { match(target.path, $0.pattern) != nil }
            .flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
        if methods.isEmpty { throw .notFound }
        return methods + ["OPTIONS"]
    }

    private static func match(_ path: [ForeignText], _ pattern: [String]) -> [ForeignText]? {
        guard path.count == pattern.count else { return nil }
        // From the end, where most paths differ.
        for index in path.indices.reversed() {
            let wanted = pattern[index]
            guard isName(wanted) || path[index].isSame(as: wanted) else { return nil }
        }
        return zip(path, pattern).filter { isName($0.1) }.map(\.0)
    }

    private static func isName(_ part: String) -> Bool { part.utf8.first == UInt8(ascii: "{") }
}

extension Route {
    private static let patterns = allCases.map { $0.path.split(separator: "/").map(String.init) }

    /// The segments of its path.
    fileprivate var pattern: [String] { Route.patterns[rawValue] }
}

private enum TruthValue: String, CaseIterable { case `true`, `false` }

extension RoutedRequest {
    /// The value of a query; `nil` if it is missing.
    func text(_ name: String) throws(RequestRefusal) -> ForeignText? {
        let found = query.filter { $0.name.isSame(as: name) }
        guard found.count <= 1 else { throw .mistake("'\(name)' comes twice") }
        return found.first?.value
    }

    func number(_ name: String) throws(RequestRefusal) -> UInt64? {
        guard let text = try text(name) else { return nil }
        guard let number = UInt64(text.shown), number < 1 << 53,
            text.withBytes({ $0.first }) != UInt8(ascii: "+")
        else {
            throw .mistake("'\(name)' must be a whole number")
        }
        return number
    }

    func required(_ name: String) throws(RequestRefusal) -> UInt64 {
        guard let number = try number(name) else {
            throw .mistake("'\(name)' is missing")
        }
        return number
    }

    /// Whether something is wanted: `true` or `false`.
    func flag(_ name: String) throws(RequestRefusal) -> Bool {
        guard let text = try text(name) else { return false }
        guard let choice: TruthValue = text.choice() else {
            throw .mistake("'\(name)' must be true or false")
        }
        return choice == .true
    }

    /// Names as a line of comma-separated values, each once; `nil` if they are missing.
    func list(_ name: String, atMost most: Int) throws(RequestRefusal) -> [Identifier]? {
        guard let text = try text(name) else { return nil }
        guard let values = text.withBytes({ CSVLine.values(of: $0, atMost: most) }) else {
            throw .mistake(
                "'\(name)' may have \(most) names with commas between them; one with a comma "
                    + "stands in quotes")
        }
        var names: [Identifier] = []
        for value in values {
            guard let identifier = value.withUnsafeBytes({ try? Identifier(bytes: $0) }) else {
                throw .mistake("'\(name)' has a name that there can't be")
            }
            names.append(identifier)
        }
        guard Set(names).count == names.count else { throw .mistake("'\(name)' has one twice") }
        return names
    }

    /// How many there may be of something, from 1.
    func count(_ name: String, atMost most: Int) throws(RequestRefusal) -> Int {
        guard let number = try number(name) else { return most }
        guard (1...UInt64(most)).contains(number) else {
            throw .mistake("'\(name)' must be from 1 to \(most)")
        }
        return Int(number)
    }

    /// Checks that nothing else is in the query.
    func checkQuery() throws(RequestRefusal) {
        for item in query
        where !route.query.contains(where: { item.name.isSame(as: $0) }) {
            throw .mistake(
                route.query.isEmpty
                    ? "this takes no query"
                    : "'\(item.name.shown)' is not one of: "
                        + route.query.joined(separator: ", "))
        }
    }

    /// The name of an item or a section in the query; `nil` if it is missing.
    func identifier(_ name: String) throws(RequestRefusal) -> Identifier? {
        guard let text = try text(name) else { return nil }
        return try RoutedRequest.identifier(text, name)
    }

    /// The item that the path names.
    func item() throws(RequestRefusal) -> Identifier {
        try RoutedRequest.identifier(names.last ?? ForeignText(bounded: ""), "item")
    }

    private static func identifier(
        _ text: ForeignText, _ name: String
    ) throws(RequestRefusal) -> Identifier {
        guard let identifier = text.withBytes({ try? Identifier(bytes: $0) }) else {
            throw .mistake(
                "'\(name)' must be 1 to \(Identifier.maximumLength) bytes without control characters"
            )
        }
        return identifier
    }

    /// The items that are asked for.
    func itemQuery() throws(RequestRefusal) -> ItemQuery {
        if route == .item { return ItemQuery(.these([try item()]), limit: 1) }
        let (section, after) = (try identifier("section"), try identifier("after"))
        let part: ItemQuery.Part
        if route == .search {
            guard let searched = try text("q")?.withBytes({ SearchText(bytes: $0) }) else {
                throw .mistake("'q' must be a text of 1 to \(SearchText.mostBytes) bytes")
            }
            part = .search(searched, in: section, after: after)
        } else {
            part = .page(in: section, after: after)
        }
        return ItemQuery(part, limit: try count("limit", atMost: ItemQuery.mostItems))
    }

    func room() throws(RequestRefusal) -> RoomName {
        guard let room = names.first?.withBytes({ RoomName(bytes: $0) }) else {
            throw RequestRefusal(
                status: 400, code: ErrorCode.badRoomName.rawValue,
                text: "that can't be a room's name")
        }
        return room
    }
}
