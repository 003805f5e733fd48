import SyncJSON

extension OpenAPI {
    /// Reads JSON of this document. A test reads all of it.
    static func parsed(_ text: String) -> JSONTree {
        (try? JSONTree(parsing: text)) ?? .null
    }

    /// The shapes of bodies and answers. `Protocol/json.md` says more.
    static var schemas: [JSONTree.Member] {
        [answers, contents].flatMap { text -> [JSONTree.Member] in
            guard case .object(let members) = parsed(text) else { return [] }
            return members
        } + layouts
    }

    private static let answers = #"""
        {
          "Any": {"type": "object"},
          "Count": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
          "Status": {"type": "object", "required": ["status"],
            "properties": {"status": {"type": "string"}}},
          "Error": {"type": "object", "required": ["error"], "properties": {"error": {
            "type": "object", "required": ["code", "message"], "properties": {
              "code": {"type": "string"}, "message": {"type": "string"},
              "retry": {"type": "boolean"},
              "retryAfterMilliseconds": {"$ref": "#/components/schemas/Count"}}}}},
          "Rooms": {"type": "object", "required": ["rooms"], "properties": {
            "rooms": {"type": "array", "items": {
              "type": "object", "required": ["name", "revision", "members"], "properties": {
                "name": {"$ref": "#/components/schemas/Name"},
                "revision": {"$ref": "#/components/schemas/Count"},
                "members": {"$ref": "#/components/schemas/Count"}}}},
            "next": {"type": "string"}}},
          "Identity": {"type": "object", "required": ["room", "id", "epoch", "revision"],
            "properties": {
              "room": {"$ref": "#/components/schemas/Name"}, "id": {"type": "string"},
              "epoch": {"type": "string"}, "revision": {"$ref": "#/components/schemas/Count"}}},
          "Stats": {"type": "object", "required": ["room"], "properties": {
            "room": {"$ref": "#/components/schemas/Name"}}},
          "Entry": {"type": "object", "required": ["content"], "properties": {
            "sectionID": {"$ref": "#/components/schemas/Name"},
            "section": {"$ref": "#/components/schemas/Count"},
            "item": {"$ref": "#/components/schemas/Count"},
            "content": {"$ref": "#/components/schemas/Item"}}},
          "ItemPage": {"type": "object", "required": ["revision", "items"], "properties": {
            "revision": {"$ref": "#/components/schemas/Count"},
            "id": {"type": "string"}, "epoch": {"type": "string"},
            "items": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}},
            "next": {"type": "string"}}},
          "Batch": {"type": "object", "required": ["batch"], "properties": {"batch": {
            "type": "object", "required": ["from", "to"], "properties": {
              "from": {"$ref": "#/components/schemas/Count"},
              "to": {"$ref": "#/components/schemas/Count"}}}}},
          "Ack": {"type": "object", "required": ["ack"], "properties": {"ack": {
            "type": "object", "required": ["tx", "revision"], "properties": {
              "tx": {"$ref": "#/components/schemas/Count"},
              "revision": {"$ref": "#/components/schemas/Count"},
              "superseded": {"type": "array", "items": {"type": "object"}}}}}},
          "Refusal": {"type": "object", "minProperties": 1, "properties": {
            "reject": {"type": "object", "required": ["code", "message"], "properties": {
              "tx": {"$ref": "#/components/schemas/Count"},
              "op": {"$ref": "#/components/schemas/Count"},
              "code": {"type": "string"}, "message": {"type": "string"},
              "retryAfterMilliseconds": {"$ref": "#/components/schemas/Count"}}},
            "error": {"type": "object"}}},
          "Import": {"type": "object", "required": ["import"], "properties": {
            "import": {"type": "object", "required": ["items", "skipped"], "properties": {
              "items": {"$ref": "#/components/schemas/Count"},
              "skipped": {"$ref": "#/components/schemas/Count"},
              "revision": {"$ref": "#/components/schemas/Count"}}}}},
          "ViewUpdate": {"type": "object", "required": ["viewUpdate"], "properties": {
            "viewUpdate": {"type": "object"}}},
          "Share": {"type": "object", "required": ["room", "role"],
            "additionalProperties": false, "properties": {
              "room": {"type": "string", "description": "At most 128 bytes of UTF-8",
                "pattern": "^[^*/\\u0000-\\u001f\\u007f-\\u009f]{1,128}$"},
              "role": {"enum": ["viewer", "editor", "admin"]},
              "name": {"type": "string",
                "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]{0,256}$",
                "description": "At most 256 bytes of UTF-8"},
              "seconds": {"type": "integer", "minimum": 1, "maximum": 9007199254740991}}},
          "SharedToken": {"type": "object", "required": ["token", "user", "expires"],
            "properties": {
              "token": {"type": "string"}, "user": {"type": "string"},
              "expires": {"$ref": "#/components/schemas/Count"}}}
        }
        """#
}
