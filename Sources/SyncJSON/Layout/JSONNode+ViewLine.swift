import SyncBytes
import SyncLayout
import SyncModel

// The changes on the screen of a view.

extension JSONNode {
    func viewLine() throws(JSONError) -> ViewLine {
        var view: Identifier?
        var revision: Revision?
        var line = ViewLine(view: "", revision: 0)
        enum Key: JSONName, CaseIterable {
            case view, revision, contentSize, offset, transition, more, appeared, changed,
                disappeared
        }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .view: view = try node.identifier()
            case .revision: revision = try node.wholeNumber()
            case .contentSize: line.contentSize = try node.layoutSize()
            case .offset: line.offset = try node.point()
            case .transition: line.isTransition = try node.bool()
            case .more: line.hasMore = try node.bool()
            case .appeared:
                line.appeared = try node.viewEntries(from: "initial", to: "element")
            case .changed: line.changed = try node.viewEntries(from: "from", to: "to")
            case .disappeared:
                line.disappeared = try node.viewEntries(from: "element", to: "final")
            }
        }
        line.view = try required(view, "view").text
        line.revision = try required(revision, "revision")
        return line
    }

    private func viewEntries(
        from fromKey: JSONName, to toKey: JSONName
    ) throws(JSONError) -> [ViewLine.Entry] {
        try elements { node throws(JSONError) in try node.viewEntry(from: fromKey, to: toKey) }
    }

    private func viewEntry(
        from fromKey: JSONName, to toKey: JSONName
    ) throws(JSONError) -> ViewLine.Entry {
        var from: (element: LayoutElement, id: Identifier?)?
        var to: (element: LayoutElement, id: Identifier?)?
        var content: JSONNode?
        for member in try members() {
            switch member {
            case fromKey: from = try member.node.layoutElement()
            case toKey: to = try member.node.layoutElement()
            case "content": content = member.node
            default: throw member.unknownKey()
            }
        }
        let (before, after) = (try required(from, fromKey), try required(to, toKey))
        let id = before.id ?? after.id
        guard after.id == nil || after.id == id else {
            throw error("must be about one item, not two")
        }
        var entry = ViewLine.Entry(from: before.element, to: after.element, id: id)
        entry.content = try content?.viewContent(of: after.element.identity)
        return entry
    }

    private func viewContent(
        of identity: LayoutElement.Identity
    ) throws(JSONError) -> ViewLine.Content {
        switch identity {
        case .cell, .itemSupplementary: .item(try item())
        case .supplementary, .decoration: .section(try section())
        }
    }

    // MARK: Elements

    private func layoutElement() throws(JSONError) -> (element: LayoutElement, id: Identifier?) {
        var identity = IdentityReading()
        var frame: ListRect?
        var zIndex = 0
        var scale = 1.0
        var alpha = 1.0
        var isHidden = false
        for member in try members() {
            let node = member.node
            switch member {
            case "frame": frame = try node.rect()
            case "zIndex": zIndex = try node.integer()
            case "scale": scale = try node.number()
            case "alpha": alpha = try node.number()
            case "hidden": isHidden = try node.bool()
            default: if try !identity.read(member) { throw member.unknownKey() }
            }
        }
        var element = LayoutElement(
            try identity.finish(in: self), frame: try required(frame, "frame"), zIndex: zIndex)
        element.scale = scale
        element.alpha = alpha
        element.isHidden = isHidden
        return (element, try identity.id?.node.identifier())
    }

    /// The members that say what an element is, as far as they have been read.
    private struct IdentityReading {
        private var category: ElementCategory?
        private var section: Int?
        // Not every category has the following members.
        private var item: JSONMember?
        private var kind: JSONMember?
        private(set) var id: JSONMember?

        /// Reads a member. Returns `false` unless it says what the element is.
        mutating func read(_ member: JSONMember) throws(JSONError) -> Bool {
            switch member {
            case "category": category = try member.node.choice()
            case "section": section = try member.node.count()
            case "item": item = member
            case "kind": kind = member
            case "id": id = member
            default: return false
            }
            return true
        }

        func finish(in node: JSONNode) throws(JSONError) -> LayoutElement.Identity {
            let category = try node.required(category, "category")
            let section = try node.required(section, "section")
            if category == .cell, let kind { throw kind.unknownKey() }
            if category == .decoration, let item { throw item.unknownKey() }
            let item = try item?.node.count()
            switch category {
            case .cell:
                return .cell(ItemPath(section: section, item: try node.required(item, "item")))
            case .supplementary:
                let kind = try node.required(kind, "kind").node.identifier()
                guard let item else { return .supplementary(kind: kind, section: section) }
                return .itemSupplementary(kind: kind, ItemPath(section: section, item: item))
            case .decoration:
                let kind = try node.required(kind, "kind").node.identifier()
                return .decoration(kind: kind, section: section)
            }
        }
    }
}
