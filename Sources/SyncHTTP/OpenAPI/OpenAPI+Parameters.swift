import SyncJSON
import SyncLayout
import SyncModel
import SyncServer

extension OpenAPI {
    /// A parameter in a path, a query or the head.
    static func parameter(
        _ name: String, in place: String, of route: Route, isRequired: Bool
    ) -> JSONTree {
        let schema = schema(ofParameter: name, of: route)
        var members: [JSONTree.Member] = [
            .init("name", .text(name)), .init("in", .text(place)),
            .init("required", .bool(isRequired)),
        ]
        // The one that is JSON.
        members.append(
            name == "spec"
                ? .init("content", ["application/json": ["schema": schema]])
                : .init("schema", schema))
        return .object(members)
    }

    private static func schema(ofParameter name: String, of route: Route) -> JSONTree {
        switch name {
        case "room": roomName
        // In the list of rooms it is where to go on, and need be no name.
        case "after" where route == .rooms: text
        case "item", "section", "after": reference("Name")
        case "spec": reference("LayoutOptions")
        case "revision", "from", "to": number
        case "limit": ["type": "integer", "minimum": 1, "maximum": 1000]
        case "append", "everyRevision", "viewOnly", "presence", "authors": ["type": "boolean"]
        case "kind":
            ["enum": .list(LayoutSpec.Kind.allCases.map { .text($0.rawValue) })]
        case "width", "height": ["type": "number", "minimum": 1, "maximum": 20_000]
        case "x", "y":
            [
                "type": "number", "minimum": -1_000_000_000_000_000,
                "maximum": 1_000_000_000_000_000,
            ]
        case "scale": ["type": "number", "minimum": .number(0.01), "maximum": 16]
        case "title": reference("Name")
        case "q": ["type": "string", "pattern": #"^[^\u0000]+$"#]
        case "traceparent":
            ["type": "string", "pattern": "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"]
        case "Idempotency-Key": ["type": "string", "pattern": "^[!#-~]{1,255}$"]
        default: text
        }
    }

    /// A target has no NUL.
    private static var text: JSONTree {
        ["type": "string", "pattern": #"^[^\u0000]*$"#]
    }

    private static var roomName: JSONTree {
        [
            "type": "string", "description": "At most 128 bytes of UTF-8",
            "pattern": #"^[^/\u0000-\u001f\u007f-\u009f]{1,128}$"#,
        ]
    }

    static var number: JSONTree {
        ["type": "integer", "minimum": 0, "maximum": .count(1 << 53 - 1)]
    }
}
