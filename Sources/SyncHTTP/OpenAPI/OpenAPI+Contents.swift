extension OpenAPI {
    /// The schemas of what a room has, and of the operations that change it.
    static let contents = #"""
        {
          "Name": {"type": "string", "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]{1,128}$",
            "description": "At most 128 bytes of UTF-8"},
          "Number": {"type": "number",
            "description": "Without a fraction and an exponent, it is within ±2^53"},
          "Value": {"anyOf": [
            {"type": ["null", "boolean", "string"]}, {"$ref": "#/components/schemas/Number"},
            {"type": "array", "items": {"$ref": "#/components/schemas/Value"}},
            {"$ref": "#/components/schemas/Fields"}]},
          "Fields": {"type": "object", "propertyNames": {"$ref": "#/components/schemas/Name"},
            "additionalProperties": {"$ref": "#/components/schemas/Value"}},
          "Kind": {"anyOf": [{"$ref": "#/components/schemas/Name"}, {"enum": ["", null]}]},
          "Size": {"type": ["object", "null"], "required": ["width", "height"],
            "additionalProperties": false, "properties": {
              "width": {"$ref": "#/components/schemas/Number"},
              "height": {"$ref": "#/components/schemas/Number"}}},
          "ItemFlags": {"type": "object", "additionalProperties": false, "properties": {
            "movable": {"type": "boolean"}, "editable": {"type": "boolean"},
            "deletable": {"type": "boolean"}, "selectable": {"type": "boolean"},
            "highlightable": {"type": "boolean"}}},
          "SectionFlags": {"type": "object", "additionalProperties": false, "properties": {
            "acceptsMoves": {"type": "boolean"}}},
          "Supplementary": {"type": "object", "additionalProperties": false, "properties": {
            "size": {"$ref": "#/components/schemas/Size"},
            "fields": {"$ref": "#/components/schemas/Fields"}}},
          "Supplementaries": {"type": "object",
            "propertyNames": {"$ref": "#/components/schemas/Name"},
            "additionalProperties": {"$ref": "#/components/schemas/Supplementary"}},
          "Item": {"type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
              "id": {"$ref": "#/components/schemas/Name"},
              "kind": {"$ref": "#/components/schemas/Kind"},
              "fields": {"$ref": "#/components/schemas/Fields"},
              "size": {"$ref": "#/components/schemas/Size"},
              "flags": {"$ref": "#/components/schemas/ItemFlags"}}},
          "Section": {"type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
              "id": {"$ref": "#/components/schemas/Name"},
              "fields": {"$ref": "#/components/schemas/Fields"},
              "supplementaries": {"$ref": "#/components/schemas/Supplementaries"},
              "flags": {"$ref": "#/components/schemas/SectionFlags"}}},
          "FullSection": {"type": "object", "required": ["id"], "additionalProperties": false,
            "description": "items is the last key", "properties": {
              "id": {"$ref": "#/components/schemas/Name"},
              "fields": {"$ref": "#/components/schemas/Fields"},
              "supplementaries": {"$ref": "#/components/schemas/Supplementaries"},
              "flags": {"$ref": "#/components/schemas/SectionFlags"},
              "items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}}},
          "Snapshot": {"type": "object", "required": ["snapshot"],
            "additionalProperties": false, "properties": {"snapshot": {
              "type": "object", "required": ["sections"], "additionalProperties": false,
              "properties": {
                "room": {"type": "string"}, "revision": {"$ref": "#/components/schemas/Count"},
                "sections": {"type": "array",
                  "items": {"$ref": "#/components/schemas/FullSection"}}}}}},
          "Trail": {"type": "array", "maxItems": 8,
            "items": {"$ref": "#/components/schemas/Name"}},
          "PlaceOfItem": {"oneOf": [
            {"type": "object", "required": ["after"], "additionalProperties": false,
              "properties": {
                "after": {"$ref": "#/components/schemas/Name"},
                "section": {"$ref": "#/components/schemas/Name"},
                "trail": {"$ref": "#/components/schemas/Trail"}}},
            {"type": "object", "required": ["before"], "additionalProperties": false,
              "properties": {
                "before": {"$ref": "#/components/schemas/Name"},
                "section": {"$ref": "#/components/schemas/Name"},
                "trail": {"$ref": "#/components/schemas/Trail"}}},
            {"type": "object", "required": ["section"], "additionalProperties": false,
              "properties": {
                "index": {"$ref": "#/components/schemas/Count"},
                "section": {"$ref": "#/components/schemas/Name"},
                "trail": {"$ref": "#/components/schemas/Trail"}}}]},
          "PlaceOfSection": {"oneOf": [
            {"type": "object", "required": ["after"], "additionalProperties": false,
              "properties": {
                "after": {"$ref": "#/components/schemas/Name"},
                "trail": {"$ref": "#/components/schemas/Trail"}}},
            {"type": "object", "required": ["before"], "additionalProperties": false,
              "properties": {
                "before": {"$ref": "#/components/schemas/Name"},
                "trail": {"$ref": "#/components/schemas/Trail"}}},
            {"type": "object", "additionalProperties": false, "properties": {
              "index": {"$ref": "#/components/schemas/Count"},
              "trail": {"$ref": "#/components/schemas/Trail"}}}]},
          "Named": {"type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {"id": {"$ref": "#/components/schemas/Name"}}},
          "Guard": {"type": "object", "required": ["revision"], "additionalProperties": false,
            "description": "The operation applies only if these have not changed since.",
            "properties": {
              "revision": {"$ref": "#/components/schemas/Count"},
              "place": {"type": "boolean"},
              "content": {"type": "boolean"},
              "fields": {"type": "array", "maxItems": 16,
                "items": {"$ref": "#/components/schemas/Name"}}}},
          "Operation": {"type": "object", "minProperties": 1, "maxProperties": 2,
            "additionalProperties": false, "properties": {
              "guard": {"$ref": "#/components/schemas/Guard"},
              "insert": {"type": "object", "required": ["item", "to"],
                "additionalProperties": false, "properties": {
                  "item": {"$ref": "#/components/schemas/Item"},
                  "to": {"$ref": "#/components/schemas/PlaceOfItem"}}},
              "delete": {"$ref": "#/components/schemas/Named"},
              "move": {"type": "object", "required": ["id", "to"],
                "additionalProperties": false, "properties": {
                  "id": {"$ref": "#/components/schemas/Name"},
                  "to": {"$ref": "#/components/schemas/PlaceOfItem"}}},
              "update": {"type": "object", "required": ["id"], "additionalProperties": false,
                "properties": {
                  "id": {"$ref": "#/components/schemas/Name"},
                  "set": {"$ref": "#/components/schemas/Fields"},
                  "unset": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
                  "size": {"$ref": "#/components/schemas/Size"},
                  "kind": {"$ref": "#/components/schemas/Kind"},
                  "flags": {"$ref": "#/components/schemas/ItemFlags"}}},
              "increment": {"type": "object", "required": ["id", "field", "by"],
                "additionalProperties": false, "properties": {
                  "id": {"$ref": "#/components/schemas/Name"},
                  "field": {"$ref": "#/components/schemas/Name"},
                  "by": {"$ref": "#/components/schemas/Number"}}},
              "insertSection": {"type": "object", "required": ["section"],
                "additionalProperties": false, "properties": {
                  "section": {"$ref": "#/components/schemas/Section"},
                  "to": {"$ref": "#/components/schemas/PlaceOfSection"}}},
              "deleteSection": {"$ref": "#/components/schemas/Named"},
              "moveSection": {"type": "object", "required": ["id"],
                "additionalProperties": false, "properties": {
                  "id": {"$ref": "#/components/schemas/Name"},
                  "to": {"$ref": "#/components/schemas/PlaceOfSection"}}},
              "updateSection": {"type": "object", "required": ["id"],
                "additionalProperties": false, "properties": {
                  "id": {"$ref": "#/components/schemas/Name"},
                  "set": {"$ref": "#/components/schemas/Fields"},
                  "unset": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
                  "supplementaries": {"type": "object",
                    "propertyNames": {"$ref": "#/components/schemas/Name"},
                    "additionalProperties": {"anyOf": [
                      {"$ref": "#/components/schemas/Supplementary"}, {"type": "null"}]}},
                  "flags": {"$ref": "#/components/schemas/SectionFlags"}}}}},
          "Operations": {"type": "array",
            "items": {"$ref": "#/components/schemas/Operation"}},
          "Transaction": {"anyOf": [
            {"type": "object", "required": ["ops"], "additionalProperties": false,
              "properties": {
                "ops": {"$ref": "#/components/schemas/Operations"},
                "base": {"$ref": "#/components/schemas/Count"},
                "all": {"type": "boolean"}}},
            {"type": "object", "required": ["ops", "base", "id", "epoch"],
              "additionalProperties": false, "properties": {
                "ops": {"$ref": "#/components/schemas/Operations"},
                "base": {"$ref": "#/components/schemas/Count"},
                "all": {"type": "boolean"},
                "id": {"type": "string"}, "epoch": {"type": "string"}}}]}
        }
        """#
}
