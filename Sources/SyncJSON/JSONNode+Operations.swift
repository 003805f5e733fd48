import SyncBytes
import SyncModel

// The operations of a transaction.

extension JSONNode {
    /// The keys of an operation, of which it has exactly one. A guard may stand beside it.
    private enum OperationKey: JSONName, CaseIterable {
        case insert, delete, move, update, increment
        case insertSection, deleteSection, moveSection, updateSection
    }

    func operation() throws(JSONError) -> ListOperation {
        let (key, body, other) = try onlyMember(
            OperationKey.self, "which names the operation:", beside: "guard")
        let operation = try body.operation(key)
        guard let condition = try other?.operationGuard() else { return operation }
        return .guarded(operation, by: condition)
    }

    private func operationGuard() throws(JSONError) -> Guard {
        var revision: Revision?
        var condition = Guard(since: 0)
        enum Key: JSONName, CaseIterable { case revision, place, content, fields }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .revision: revision = try node.wholeNumber()
            case .place: condition.place = try node.bool()
            case .content: condition.content = try node.bool()
            case .fields:
                condition.fields = try node.identifiers()
                if condition.fields.count > Guard.maximumFields {
                    throw node.error("must name at most \(Guard.maximumFields) fields")
                }
            }
        }
        condition.revision = try required(revision, "revision")
        return condition
    }

    private func operation(_ key: OperationKey) throws(JSONError) -> ListOperation {
        let body = self
        switch key {
        case .insert: return try body.insert()
        case .delete: return .delete(try body.onlyID())
        case .move:
            let (id, place) = try body.move { node throws(JSONError) in try node.itemPlacement() }
            return .move(id, to: try body.required(place, "to"))
        case .update: return try body.update()
        case .increment: return try body.increment()
        case .insertSection: return try body.insertSection()
        case .deleteSection: return .deleteSection(try body.onlyID())
        case .moveSection:
            let (id, place) = try body.move { node throws(JSONError) in try node.placement() }
            return .moveSection(id, to: place ?? Placement())
        case .updateSection: return try body.updateSection()
        }
    }

    private func onlyID() throws(JSONError) -> Identifier {
        var id: Identifier?
        for member in try members() {
            guard member.isNamed("id") else { throw member.unknownKey(among: ["id"]) }
            id = try member.node.identifier()
        }
        return try required(id, "id")
    }

    private func insert() throws(JSONError) -> ListOperation {
        var item: Item?
        var place: Placement?
        enum Key: JSONName, CaseIterable { case item, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .item: item = try member.node.item()
            case .to: place = try member.node.itemPlacement()
            }
        }
        return .insert(try required(item, "item"), to: try required(place, "to"))
    }

    private func insertSection() throws(JSONError) -> ListOperation {
        var section: ListSection?
        var place = Placement()
        enum Key: JSONName, CaseIterable { case section, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .section: section = try member.node.section()
            case .to: place = try member.node.placement()
            }
        }
        return .insertSection(try required(section, "section"), to: place)
    }

    private func move(
        to readPlacement: (JSONNode) throws(JSONError) -> Placement
    ) throws(JSONError) -> (Identifier, Placement?) {
        var id: Identifier?
        var place: Placement?
        enum Key: JSONName, CaseIterable { case id, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .id: id = try member.node.identifier()
            case .to: place = try readPlacement(member.node)
            }
        }
        return (try required(id, "id"), place)
    }

    private func update() throws(JSONError) -> ListOperation {
        var id: Identifier?
        var patch = ItemPatch()
        enum Key: JSONName, CaseIterable { case id, set, unset, size, kind, flags }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .id: id = try node.identifier()
            case .set: patch.set = try node.fields()
            case .unset: patch.unset = try node.identifiers()
            case .size: patch.size = try node.sizeOrNull().map { .set($0) } ?? .clear
            case .kind: patch.kind = try node.kind().map { .set($0) } ?? .clear
            case .flags: patch.flags = try node.flagChanges(ItemFlags.self)
            }
        }
        return .update(try required(id, "id"), patch)
    }

    private func updateSection() throws(JSONError) -> ListOperation {
        var id: Identifier?
        var patch = SectionPatch()
        enum Key: JSONName, CaseIterable { case id, set, unset, supplementaries, flags }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .id: id = try node.identifier()
            case .set: patch.set = try node.fields()
            case .unset: patch.unset = try node.identifiers()
            case .supplementaries:
                for member in try node.members() {
                    let kind = try member.identifier()
                    if member.node.isNull {
                        patch.removedSupplementaries.append(kind)
                    } else {
                        patch.supplementaries.append(try member.node.supplementary(kind))
                    }
                }
            case .flags: patch.flags = try node.flagChanges(SectionFlags.self)
            }
        }
        return .updateSection(try required(id, "id"), patch)
    }

    private func increment() throws(JSONError) -> ListOperation {
        var id: Identifier?
        var field: Identifier?
        var amount: Double?
        enum Key: JSONName, CaseIterable { case id, field, by }
        for member in try members() {
            switch try member.key(Key.self) {
            case .id: id = try member.node.identifier()
            case .field: field = try member.node.identifier()
            case .by: amount = try member.node.number()
            }
        }
        return .increment(
            try required(id, "id"), field: try required(field, "field"),
            by: try required(amount, "by"))
    }

    func identifiers() throws(JSONError) -> [Identifier] {
        try elements { node throws(JSONError) in try node.identifier() }
    }

    // MARK: Placements

    /// The placement of an item: in a section, or beside an anchor.
    func itemPlacement() throws(JSONError) -> Placement {
        var section: Identifier?
        var place = try placement(ofItem: true, in: &section)
        place.section = section
        if section != nil { return place }
        switch place.position {
        case .after, .before: return place
        case .end, .index: throw error("must name a section, or an item with after or before")
        }
    }

    /// A placement of a section.
    private func placement() throws(JSONError) -> Placement {
        var section: Identifier?
        return try placement(ofItem: false, in: &section)
    }

    /// The placement of a section or of an item.
    ///
    /// - Parameter section: gets the section that the placement of an item names.
    private func placement(
        ofItem isOfItem: Bool, in section: inout Identifier?
    ) throws(JSONError) -> Placement {
        enum Key: JSONName, CaseIterable { case after, before, index, trail }
        var place = Placement()
        var positionKey: String?
        for member in try members() {
            let node = member.node
            switch member.known(Key.self) {
            case .after, .before, .index:
                if let positionKey {
                    throw error(
                        "has both \(positionKey) and \(member.key.shown), but can have only one")
                }
                positionKey = member.key.shown
                place.position = try member.position()
            case .trail:
                place.trail = try node.identifiers()
                if place.trail.count > Placement.maximumTrail {
                    throw node.error("must name at most \(Placement.maximumTrail) siblings")
                }
            case nil where isOfItem && member.isNamed("section"): section = try node.identifier()
            case nil: throw member.unknownKey(among: Key.names + (isOfItem ? ["section"] : []))
            }
        }
        return place
    }
}

extension JSONMember {
    fileprivate func position() throws(JSONError) -> Position {
        switch self {
        case "after": .after(try node.identifier())
        case "before": .before(try node.identifier())
        default: .index(try node.wholeNumber())
        }
    }
}
