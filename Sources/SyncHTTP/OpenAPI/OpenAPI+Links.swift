import SyncJSON
import SyncServer

extension OpenAPI {
    /// What may be asked for with the answer of a route, and where the parameters come from.
    static func links(after route: Route) -> [JSONTree.Member] {
        switch route {
        case .rooms:
            [
                link(to: .snapshot, [("room", "$response.body#/rooms/0/name")]),
                link(to: .rooms, [("after", "$response.body#/next")]),
            ]
        case .creation, .importing:
            [
                .snapshot, .transactions, .stats, .history, .batch, .items, .search, .table, .view,
                .drawing, .deletion,
            ].map { link(to: $0, [room]) }
        case .transactions:
            [
                link(to: .snapshot, [room, revision(at: "ack/revision")]),
                link(to: .items, [room, revision(at: "ack/revision")]),
                link(to: .table, [room, revision(at: "ack/revision")]),
                link(to: .batch, [room, ("to", "$response.body#/ack/revision")]),
                link(to: .history, [room, ("to", "$response.body#/ack/revision")]),
            ]
        case .items, .search: pageLinks(to: route)
        case .deletion: [link(to: .snapshot, [room]), link(to: .creation, [room])]
        default: []
        }
    }

    private typealias Parameter = (name: String, source: String)

    private static let room: Parameter = ("room", "$request.path.room")

    private static func revision(at pointer: String) -> Parameter {
        ("revision", "$response.body#/\(pointer)")
    }

    /// An item of the page, and the next page.
    private static func pageLinks(to route: Route) -> [JSONTree.Member] {
        [
            link(
                to: .item,
                [
                    room, ("item", "$response.body#/items/0/content/id"),
                    revision(at: "revision"),
                ]),
            link(to: route, [room, ("after", "$response.body#/next"), revision(at: "revision")]),
        ]
    }

    private static func link(to route: Route, _ parameters: [Parameter]) -> JSONTree.Member {
        .init(
            "\(route)",
            [
                "operationId": .text("\(route)"),
                "parameters": .object(
                    parameters.map { .init($0.name, .text($0.source)) }),
            ])
    }
}
