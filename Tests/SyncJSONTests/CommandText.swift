import SyncJSON
import SyncLayout
import SyncModel

/// Writes the commands of a program in their plainest form: no spaces, no needless escapes, keys in
/// the order of the specification, nothing that is optional and empty.
struct CommandText {
    private(set) var text = ""

    static func line(
        _ operations: [ListOperation], base: Revision? = nil, tx: UInt64? = nil,
        origin: RoomOrigin? = nil, isAllOrNothing: Bool = false
    ) -> String {
        var writer = CommandText()
        writer.object { members in
            members.list("ops", operations) { $0.write($1) }
            if let base { members.raw("base", "\(base)") }
            if let origin { members.origin(origin) }
            if let tx { members.raw("tx", "\(tx)") }
            if isAllOrNothing { members.raw("all", "true") }
        }
        return writer.text
    }

    static func line(_ view: ViewCommand) -> String {
        var writer = CommandText()
        writer.object { members in
            members.object("view") { members in
                members.raw("id", quoted(view.id.text))
                if let layout = view.layout {
                    members.separate()
                    members.text += layout.json.dropFirst().dropLast()
                }
                if let bounds = view.bounds {
                    members.object("bounds") { members in
                        members.raw("x", number(bounds.x))
                        members.raw("y", number(bounds.y))
                        members.raw("width", number(bounds.width))
                        members.raw("height", number(bounds.height))
                    }
                }
                if let overscan = view.overscan { members.raw("overscan", number(overscan)) }
                if view.snaps { members.raw("snap", "true") }
                if let anchor = view.anchor {
                    members.object("anchor") { members in
                        guard case .item(let anchor) = anchor else {
                            return members.raw("beginning", "true")
                        }
                        members.raw("id", quoted(anchor.item.text))
                        members.raw("x", number(anchor.distance.x))
                        members.raw("y", number(anchor.distance.y))
                    }
                }
                if view.isClosed { members.raw("close", "true") }
            }
        }
        return writer.text
    }

    static func line(_ presence: PresenceCommand) -> String {
        var writer = CommandText()
        writer.object { members in
            members.object("presence") { members in
                members.names("selected", presence.selected)
                members.names("highlighted", presence.highlighted)
                if let custom = presence.custom { members.raw("custom", text(of: custom)) }
            }
        }
        return writer.text
    }

    static func line(_ drag: DragCommand) -> String {
        var writer = CommandText()
        writer.object { members in
            members.object("drag") { members in
                switch drag {
                case .begin(let id, let view, let isShared):
                    members.object("begin") { members in
                        members.raw("id", quoted(id.text))
                        members.raw("view", quoted(view.text))
                        if isShared { members.raw("shared", "true") }
                    }
                case .update(let point):
                    members.object("update") { members in
                        members.raw("x", number(point.x))
                        members.raw("y", number(point.y))
                    }
                case .end: members.object("end") { _ in }
                case .cancel: members.object("cancel") { _ in }
                }
            }
        }
        return writer.text
    }

    static func line(_ command: ClipboardCommand) -> String {
        var writer = CommandText()
        writer.object { members in
            switch command {
            case .copy(let ids): members.object("copy") { $0.clipped(ids) }
            case .cut(let ids): members.object("cut") { $0.clipped(ids) }
            case .paste(let clipboard, let place):
                members.object("paste") { members in
                    if let clipboard {
                        members.object("clipboard") { $0.members(of: clipboard) }
                    }
                    members.object("to") { $0.members(of: place) }
                }
            }
        }
        return writer.text
    }

    private mutating func origin(_ origin: RoomOrigin) {
        raw("id", CommandText.quoted(origin.id))
        raw("epoch", CommandText.quoted(origin.epoch))
    }

    private mutating func clipped(_ ids: [Identifier]) {
        list("ids", ids) { writer, id in
            writer.separate()
            writer.text += CommandText.quoted(id.text)
        }
    }

    private mutating func members(of clipboard: Clipboard) {
        raw("room", CommandText.quoted(clipboard.room))
        if let revision = clipboard.revision { raw("revision", "\(revision)") }
        if let origin = clipboard.origin { self.origin(origin) }
        if clipboard.isCut { raw("cut", "true") }
        list("items", clipboard.items) { writer, item in
            writer.object { $0.members(of: item) }
        }
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    static func number(_ number: Double) -> String {
        let text = number == 0 ? "0" : number.description
        let isExact = number.magnitude <= 9_007_199_254_740_992
        return isExact && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private mutating func separate() {
        if let last = text.utf8.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "["),
            last != UInt8(ascii: ":")
        {
            text += ","
        }
    }

    private mutating func object(_ members: (inout CommandText) -> Void) {
        separate()
        text += "{"
        members(&self)
        text += "}"
    }

    private mutating func raw(_ key: String, _ value: String) {
        separate()
        text += CommandText.quoted(key) + ":" + value
    }

    private mutating func name(_ key: String, _ name: Identifier) {
        raw(key, CommandText.quoted(name.text))
    }

    private mutating func object(_ key: String, _ members: (inout CommandText) -> Void) {
        raw(key, "")
        object(members)
    }

    private mutating func list<Element>(
        _ key: String, _ elements: [Element], _ write: (inout CommandText, Element) -> Void
    ) {
        raw(key, "[")
        for element in elements { write(&self, element) }
        text += "]"
    }

    private mutating func names(_ key: String, _ names: [Identifier]) {
        guard !names.isEmpty else { return }
        list(key, names) { writer, name in
            writer.separate()
            writer.text += CommandText.quoted(name.text)
        }
    }

    private mutating func write(_ operation: ListOperation) {
        object { body in
            switch operation.unguarded {
            case .insert(let item, let place):
                body.object("insert") { body in
                    body.object("item") { $0.members(of: item) }
                    body.object("to") { $0.members(of: place) }
                }
            case .delete(let id): body.object("delete") { $0.name("id", id) }
            case .move(let id, let place): body.move("move", id, place)
            case .update(let id, let patch):
                body.object("update") { $0.update(id, patch) }
            case .increment(let id, let field, let amount):
                body.object("increment") { body in
                    body.name("id", id)
                    body.name("field", field)
                    body.raw("by", CommandText.number(amount))
                }
            case .insertSection(let section, let place):
                body.object("insertSection") { body in
                    body.object("section") { $0.members(of: section) }
                    body.object("to") { $0.members(of: place) }
                }
            case .deleteSection(let id): body.object("deleteSection") { $0.name("id", id) }
            case .moveSection(let id, let place): body.move("moveSection", id, place)
            case .updateSection(let id, let patch):
                body.object("updateSection") { $0.update(id, patch) }
            case .guarded: break
            }
            if case .guarded(_, let condition) = operation { body.write(condition) }
        }
    }

    private mutating func write(_ condition: Guard) {
        object("guard") { body in
            body.raw("revision", "\(condition.revision)")
            if condition.place { body.raw("place", "true") }
            if condition.content { body.raw("content", "true") }
            body.names("fields", condition.fields)
        }
    }

    private mutating func move(_ key: String, _ id: Identifier, _ place: Placement) {
        object(key) { body in
            body.name("id", id)
            body.object("to") { $0.members(of: place) }
        }
    }

    private mutating func update(_ id: Identifier, _ patch: ItemPatch) {
        name("id", id)
        fields("set", patch.set)
        names("unset", patch.unset)
        switch patch.size {
        case .set(let value): size(value)
        case .clear: raw("size", "null")
        case nil: break
        }
        switch patch.kind {
        case .set(let kind): name("kind", kind)
        case .clear: raw("kind", "null")
        case nil: break
        }
        flags(
            itemFlags, changed: patch.flags.changed.rawValue, enabled: patch.flags.enabled.rawValue)
    }

    private mutating func update(_ id: Identifier, _ patch: SectionPatch) {
        name("id", id)
        fields("set", patch.set)
        names("unset", patch.unset)
        if !patch.supplementaries.isEmpty || !patch.removedSupplementaries.isEmpty {
            object("supplementaries") { body in
                for supplementary in patch.supplementaries { body.write(supplementary) }
                for kind in patch.removedSupplementaries { body.raw(kind.text, "null") }
            }
        }
        flags(
            sectionFlags, changed: patch.flags.changed.rawValue,
            enabled: patch.flags.enabled.rawValue)
    }

    private mutating func members(of place: Placement) {
        if let section = place.section { name("section", section) }
        switch place.position {
        case .end: break
        case .after(let id): name("after", id)
        case .before(let id): name("before", id)
        case .index(let index): raw("index", "\(index)")
        }
        names("trail", place.trail)
    }

    private mutating func members(of item: Item) {
        name("id", item.id)
        if let kind = item.content.kind { name("kind", kind) }
        fields("fields", item.content.fields)
        if let value = item.content.size { size(value) }
        flags(itemFlags, changed: ItemFlags.all.subtracting(item.content.flags).rawValue)
    }

    private mutating func members(of section: ListSection) {
        name("id", section.id)
        fields("fields", section.content.fields)
        if !section.content.supplementaries.isEmpty {
            object("supplementaries") { body in
                for supplementary in section.content.supplementaries { body.write(supplementary) }
            }
        }
        flags(sectionFlags, changed: SectionFlags.all.subtracting(section.content.flags).rawValue)
    }

    private mutating func write(_ supplementary: Supplementary) {
        object(supplementary.kind.text) { body in
            body.fields("fields", supplementary.fields)
            if let value = supplementary.size { body.size(value) }
        }
    }

    private mutating func size(_ size: ListSize) {
        object("size") { body in
            body.raw("width", CommandText.number(size.width))
            body.raw("height", CommandText.number(size.height))
        }
    }

    private mutating func fields(_ key: String, _ fields: [Field]) {
        guard !fields.isEmpty else { return }
        raw(key, CommandText.text(of: .object(fields)))
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let value): number(value)
        case .text(let text): quoted(text)
        case .list(let values): "[" + values.map(text(of:)).joined(separator: ",") + "]"
        case .object(let fields):
            "{"
                + fields.map { quoted($0.name.text) + ":" + text(of: $0.value) }
                .joined(separator: ",") + "}"
        }
    }

    private let itemFlags = ["movable", "editable", "deletable", "selectable", "highlightable"]
    private let sectionFlags = ["acceptsMoves"]

    /// Writes the flags in `changed`; `names` begins with the lowest bit.
    private mutating func flags(_ names: [String], changed: UInt8, enabled: UInt8 = 0) {
        guard changed != 0 else { return }
        object("flags") { body in
            for (bit, name) in names.enumerated() where changed & 1 << UInt8(bit) != 0 {
                body.raw(name, "\(enabled & 1 << UInt8(bit) != 0)")
            }
        }
    }
}
