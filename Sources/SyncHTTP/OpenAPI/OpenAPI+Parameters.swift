import SyncJSON
import SyncLayout
import SyncModel

extension OpenAPI {
    /// A parameter in a path, a query or the head.
    static func parameter(_ name: String, in place: String, isRequired: Bool) -> JSONTree {
        [
            "name": .text(name), "in": .text(place), "required": .bool(isRequired),
            "schema": schema(ofParameter: name, in: place),
        ]
    }

    private static func schema(ofParameter name: String, in place: String) -> JSONTree {
        switch name {
        case "room": ["type": "string", "pattern": .text(roomPattern)]
        case "item", "section": ["type": "string", "pattern": .text(namePattern)]
        // The name of a room in one list, of an item in the others.
        case "prefix", "after": ["type": "string"]
        case "revision", "from", "to": number
        case "limit": ["type": "integer", "minimum": 1, "maximum": 1000]
        case "q": ["type": "string", "minLength": 1]
        case "append", "everyRevision", "viewOnly", "presence", "authors": ["type": "boolean"]
        case "layout":
            ["enum": .list(LayoutSpec.Kind.allCases.map { .text($0.rawValue) })]
        case "width", "height": ["type": "number", "minimum": 1, "maximum": 20_000]
        case "x", "y": ["type": "number"]
        case "scale": ["type": "number", "exclusiveMinimum": 0, "maximum": 16]
        case "title": ["type": "string", "pattern": .text(namePattern)]
        default: ["type": "string"]
        }
    }

    static let number: JSONTree = [
        "type": "integer", "minimum": 0, "maximum": .count(1 << 53 - 1),
    ]
    /// Names may have any characters but these. A byte more than the most is refused, which a
    /// pattern can't say.
    private static let namePattern = #"^[^\u0000-\u001f\u007f-\u009f]{1,128}$"#
    private static let roomPattern = #"^[^/\u0000-\u001f\u007f-\u009f]{1,128}$"#
}
