import SyncModel

// Items and sections with their content.

extension JSONNode {
    func item() throws(JSONError) -> Item {
        var id: Identifier?
        var kind: Identifier?
        var size: ListSize?
        var fields: [Field] = []
        var flags = ItemFlags.all
        enum Key: JSONName, CaseIterable { case id, kind, size, fields, flags }
        for member in try members() {
            switch try member.key(Key.self) {
            case .id: id = try member.node.identifier()
            case .kind: kind = try member.node.kind()
            case .size: size = try member.node.sizeOrNull()
            case .fields: fields = try member.node.fields()
            case .flags: flags = try member.node.flags(ItemFlags.self)
            }
        }
        let content = Result { () throws(ModelError) in
            try ItemContent(kind: kind, size: size, fields: fields, flags: flags)
        }
        return Item(id: try required(id, "id"), content: try checked(content))
    }

    /// A section without items.
    func section() throws(JSONError) -> ListSection {
        var section = SectionReading()
        for member in try members() where try !section.read(member) {
            throw member.unknownKey(among: SectionReading.Key.names)
        }
        return try section.finish(in: self)
    }

    /// A section and its items, as in a snapshot.
    func sectionState() throws(JSONError) -> Snapshot.SectionState {
        var section = SectionReading()
        var items: [Item] = []
        for member in try members() {
            if member.isNamed("items") {
                items = try member.node.elements { node throws(JSONError) in try node.item() }
            } else if try !section.read(member) {
                throw member.unknownKey(among: SectionReading.Key.names + ["items"])
            }
        }
        return Snapshot.SectionState(section: try section.finish(in: self), items: items)
    }

    /// The members of a section apart from its items, as far as they have been read.
    private struct SectionReading {
        enum Key: JSONName, CaseIterable { case id, fields, supplementaries, flags }

        private var id: Identifier?
        private var fields: [Field] = []
        private var supplementaries: [Supplementary] = []
        private var flags = SectionFlags.all

        /// Reads a member. Returns `false` if it is not one of a section.
        mutating func read(_ member: JSONMember) throws(JSONError) -> Bool {
            guard let key = member.known(Key.self) else { return false }
            switch key {
            case .id: id = try member.node.identifier()
            case .fields: fields = try member.node.fields()
            case .supplementaries:
                for member in try member.node.members() {
                    supplementaries.append(try member.node.supplementary(member.identifier()))
                }
            case .flags: flags = try member.node.flags(SectionFlags.self)
            }
            return true
        }

        func finish(in node: JSONNode) throws(JSONError) -> ListSection {
            let content = Result { () throws(ModelError) in
                try SectionContent(fields: fields, supplementaries: supplementaries, flags: flags)
            }
            return ListSection(id: try node.required(id, "id"), content: try node.checked(content))
        }
    }

    func supplementary(_ kind: Identifier) throws(JSONError) -> Supplementary {
        var size: ListSize?
        var fields: [Field] = []
        enum Key: JSONName, CaseIterable { case size, fields }
        for member in try members() {
            switch try member.key(Key.self) {
            case .size: size = try member.node.sizeOrNull()
            case .fields: fields = try member.node.fields()
            }
        }
        return Supplementary(kind: kind, size: size, fields: fields)
    }

    /// A size; `null` is `nil`.
    func sizeOrNull() throws(JSONError) -> ListSize? {
        if isNull { return nil }
        var width: Double?
        var height: Double?
        enum Key: JSONName, CaseIterable { case width, height }
        for member in try members() {
            switch try member.key(Key.self) {
            case .width: width = try member.node.number()
            case .height: height = try member.node.number()
            }
        }
        return ListSize(width: try required(width, "width"), height: try required(height, "height"))
    }

    /// A reuse identifier; `null` and the empty text are `nil`.
    func kind() throws(JSONError) -> Identifier? {
        isNull || isEmptyText ? nil : try identifier()
    }

    /// The content, unless the model refuses it.
    private func checked<Content>(
        _ content: Result<Content, ModelError>
    ) throws(JSONError) -> Content {
        switch content {
        case .success(let content): return content
        case .failure(.duplicateName(let name)): throw error("has '\(name)' twice")
        case .failure(.badIdentifier): throw error("has a name that can't be one")
        case .failure(.badNumber): throw error("has a number that is not finite")
        case .failure(.inexactInteger(let field)):
            throw error("has an inexact integer in '\(field)'")
        case .failure(.tooDeep): throw error("is nested too deep")
        case .failure(.malformed): throw error("can't be encoded")
        }
    }
}
