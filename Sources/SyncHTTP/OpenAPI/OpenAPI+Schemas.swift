import SyncJSON

extension OpenAPI {
    /// Reads JSON of this document. A test reads all of it.
    static func parsed(_ text: String) -> JSONTree {
        (try? JSONTree(parsing: text)) ?? .null
    }

    /// The shapes of bodies and answers. `Protocol/json.md` says more.
    static var schemas: [JSONTree.Member] {
        guard case .object(let members) = parsed(texts) else { return [] }
        return members
    }

    private static let texts = #"""
        {
          "Any": {"type": "object"},
          "Name": {"type": "string", "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]{1,128}$"},
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
              "type": "object", "required": ["room", "revision", "members"], "properties": {
                "room": {"$ref": "#/components/schemas/Name"},
                "revision": {"$ref": "#/components/schemas/Count"},
                "members": {"$ref": "#/components/schemas/Count"}}}},
            "next": {"type": "string"}}},
          "Identity": {"type": "object", "required": ["room", "id", "epoch", "revision"],
            "properties": {
              "room": {"$ref": "#/components/schemas/Name"}, "id": {"type": "string"},
              "epoch": {"type": "string"}, "revision": {"$ref": "#/components/schemas/Count"}}},
          "Stats": {"type": "object", "required": ["room"], "properties": {
            "room": {"$ref": "#/components/schemas/Name"}}},
          "Item": {"type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
              "id": {"$ref": "#/components/schemas/Name"}, "kind": {"type": ["string", "null"]},
              "fields": {"type": "object"}, "flags": {"type": "object"},
              "size": {"type": ["object", "null"]}, "supplementaries": {"type": "object"}}},
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
          "Snapshot": {"type": "object", "required": ["snapshot"], "properties": {
            "snapshot": {"type": "object", "required": ["sections"], "properties": {
              "room": {"type": "string"}, "revision": {"$ref": "#/components/schemas/Count"},
              "sections": {"type": "array", "items": {"type": "object"}}}}}},
          "Batch": {"type": "object", "required": ["batch"], "properties": {"batch": {
            "type": "object", "required": ["from", "to"], "properties": {
              "from": {"$ref": "#/components/schemas/Count"},
              "to": {"$ref": "#/components/schemas/Count"}}}}},
          "Transaction": {"type": "object", "required": ["ops"], "additionalProperties": false,
            "properties": {
              "ops": {"type": "array", "items": {"$ref": "#/components/schemas/Operation"}},
              "base": {"$ref": "#/components/schemas/Count"},
              "id": {"type": "string"}, "epoch": {"type": "string"}}},
          "Operation": {"type": "object", "minProperties": 1, "maxProperties": 1,
            "additionalProperties": false, "properties": {
              "insert": {"type": "object", "required": ["item", "to"], "properties": {
                "item": {"$ref": "#/components/schemas/Item"},
                "to": {"$ref": "#/components/schemas/Placement"}}},
              "delete": {"$ref": "#/components/schemas/Named"},
              "move": {"$ref": "#/components/schemas/Named"},
              "update": {"$ref": "#/components/schemas/Named"},
              "increment": {"$ref": "#/components/schemas/Named"},
              "insertSection": {"type": "object", "required": ["section"]},
              "deleteSection": {"$ref": "#/components/schemas/Named"},
              "moveSection": {"$ref": "#/components/schemas/Named"},
              "updateSection": {"$ref": "#/components/schemas/Named"}}},
          "Named": {"type": "object", "required": ["id"], "properties": {
            "id": {"$ref": "#/components/schemas/Name"}}},
          "Placement": {"type": "object", "properties": {
            "section": {"$ref": "#/components/schemas/Name"},
            "after": {"$ref": "#/components/schemas/Name"},
            "before": {"$ref": "#/components/schemas/Name"},
            "index": {"$ref": "#/components/schemas/Count"}}},
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
          "View": {"type": "object", "required": ["view"], "properties": {"view": {
            "type": "object", "required": ["id", "layout", "bounds"], "properties": {
              "id": {"type": "string"}, "layout": {"type": "object"},
              "bounds": {"type": "object"}}}}},
          "ViewUpdate": {"type": "object", "required": ["viewUpdate"], "properties": {
            "viewUpdate": {"type": "object"}}},
          "Share": {"type": "object", "required": ["room", "role"],
            "additionalProperties": false, "properties": {
              "room": {"$ref": "#/components/schemas/Name"},
              "role": {"enum": ["viewer", "editor", "admin"]},
              "name": {"type": "string", "maxLength": 256},
              "seconds": {"type": "integer", "minimum": 1}}},
          "SharedToken": {"type": "object", "required": ["token", "user", "expires"],
            "properties": {
              "token": {"type": "string"}, "user": {"type": "string"},
              "expires": {"$ref": "#/components/schemas/Count"}}}
        }
        """#
}
