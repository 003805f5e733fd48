import SyncBytes
package import SyncLayout
package import SyncModel

/// An input line of `layout`: what to lay out.
///
/// The output is a ``LayoutAnswer``.
package struct LayoutInput: Sendable, Equatable {
    package var spec: LayoutSpec
    package var environment: LayoutEnvironment
    /// The viewport: its place in the content, and its size, which is also the environment's.
    package var bounds: ListRect
    package var sections: [SectionInput]
    /// The ids of those items that have one.
    package var names: [ItemPath: Identifier]

    /// Answer only the elements in this rectangle.
    package var rect: ListRect?
    /// Answer which item makes room for one that is dragged to this point.
    package var point: ListPoint?
    /// The item that made room so far.
    package var previous: ItemPath?
    /// Answer where scrolling ends if it would otherwise end here.
    package var proposedOffset: ListPoint?

    package init(
        spec: LayoutSpec, environment: LayoutEnvironment, bounds: ListRect,
        sections: [SectionInput] = []
    ) {
        self.spec = spec
        self.environment = environment
        self.bounds = bounds
        self.sections = sections
        names = [:]
    }

    /// The most sections in a line. In memory each is a hundred times as large as in the text.
    package static let maximumSections = 100_000

    /// Reads a line, with or without the newline at its end.
    package init(line: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(line) { node throws(JSONError) in try node.layoutInput() }
    }
}

extension JSONNode {
    fileprivate func layoutInput() throws(JSONError) -> LayoutInput {
        var reading = ViewLayoutReading()
        var bounds: ListRect?
        var input = LayoutInput(
            spec: LayoutSpec(kind: .flow), environment: .plain, bounds: ListRect())
        enum Key: JSONName, CaseIterable {
            case bounds, sections, rect, point, previous, proposedOffset
        }
        for member in try members() {
            let node = member.node
            switch member.known(Key.self) {
            case .bounds: bounds = try node.rect()
            case .sections: try node.readSections(into: &input)
            case .rect: input.rect = node.isNull ? nil : try node.rect()
            case .point: input.point = node.isNull ? nil : try node.point()
            case .previous: input.previous = node.isNull ? nil : try node.itemPath()
            case .proposedOffset: input.proposedOffset = node.isNull ? nil : try node.point()
            case nil:
                guard try reading.read(member) else {
                    throw member.unknownKey(among: Key.names + ViewLayoutReading.Key.names)
                }
            }
        }
        let layout = try required(reading.finish(), "layout")
        input.spec = layout.spec
        input.bounds = try required(bounds, "bounds")
        input.environment = layout.environment
        input.environment.viewport = input.bounds.size
        return input
    }

    private func itemPath() throws(JSONError) -> ItemPath {
        var section: Int?
        var item: Int?
        enum Key: JSONName, CaseIterable { case section, item }
        for member in try members() {
            switch try member.key(Key.self) {
            case .section: section = try member.node.count()
            case .item: item = try member.node.count()
            }
        }
        return ItemPath(section: try required(section, "section"), item: try required(item, "item"))
    }

    // MARK: Sections

    private func readSections(into input: inout LayoutInput) throws(JSONError) {
        var names: [ItemPath: Identifier] = [:]
        var index = 0
        input.sections = try elements { node throws(JSONError) in
            defer { index += 1 }
            guard index < LayoutInput.maximumSections else {
                throw error("has more than \(LayoutInput.maximumSections) sections")
            }
            return try node.sectionInput(index: index, names: &names)
        }
        input.names = names
    }

    /// A section with a number of items, or with each of them; without both keys it is empty.
    private func sectionInput(
        index: Int, names: inout [ItemPath: Identifier]
    ) throws(JSONError) -> SectionInput {
        var section = SectionInput(items: .count(0))
        var itemsKey: String?
        enum Key: JSONName, CaseIterable { case count, items }
        for member in try members() {
            switch member.known(Key.self) {
            case .count, .items:
                if let itemsKey { throw error("has both \(itemsKey) and \(member.key.shown)") }
                itemsKey = member.key.shown
                section.items =
                    member.isNamed("count")
                    ? .count(try member.node.count())
                    : .sizes(try member.node.itemSizes(section: index, names: &names))
            case nil:
                guard try section.options.read(member) else {
                    throw member.unknownKey(among: Key.names + LayoutOptions.Key.names)
                }
            }
        }
        return section
    }

    private func itemSizes(
        section: Int, names: inout [ItemPath: Identifier]
    ) throws(JSONError) -> [ListSize?] {
        var item = 0
        return try elements { node throws(JSONError) in
            defer { item += 1 }
            let (size, name) = try node.sizedItem()
            if let name { names[ItemPath(section: section, item: item)] = name }
            return size
        }
    }

    /// An item with a size, and perhaps an id; `null` has neither.
    private func sizedItem() throws(JSONError) -> (size: ListSize?, name: Identifier?) {
        if isNull { return (nil, nil) }
        var width: Double?
        var height: Double?
        var size: ListSize?
        var name: Identifier?
        enum Key: JSONName, CaseIterable { case width, height, size, id }
        for member in try members() {
            switch try member.key(Key.self) {
            case .width: width = try member.node.number()
            case .height: height = try member.node.number()
            case .size: size = try member.node.sizeOrNull()
            case .id: name = try member.node.identifier()
            }
        }
        if width == nil, height == nil { return (size, name) }
        if size != nil { throw error("has both size and its own width or height") }
        return (ListSize(width: width ?? 0, height: height ?? 0), name)
    }
}
