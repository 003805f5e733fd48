// Operations as a program writes them: `.insert("milk", ["title": "Milk"], at: .end(of: "main"))`.

extension ListOperation {
    /// Adds a new item.
    ///
    /// - Parameters:
    ///   - id: the item's id. With the id of an item in the room, the operation loses.
    ///   - fields: its fields, by name.
    ///   - kind: the reuse identifier by which an app dequeues a cell.
    ///   - size: in points; without one the layout decides.
    ///   - flags: what may be done with it.
    ///   - place: where it goes.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``.
    public static func insert(
        _ id: Identifier, _ fields: [Identifier: Value] = [:], kind: Identifier? = nil,
        size: ListSize? = nil, flags: ItemFlags = .all, at place: Placement
    ) throws(ModelError) -> ListOperation {
        .insert(try Item(id, fields, kind: kind, size: size, flags: flags), to: place)
    }

    /// Changes an item's content. What is not named stays as it is. Nothing is checked here: a
    /// change that can't be made is refused when it is submitted.
    ///
    /// - Parameters:
    ///   - id: the item's id.
    ///   - set: new values of fields, by name.
    ///   - unset: the names of fields that are removed.
    ///   - size: what becomes of the size; `nil` keeps it.
    ///   - kind: what becomes of the kind; `nil` keeps it.
    ///   - flags: flags that get a new value.
    public static func update(
        _ id: Identifier, set: [Identifier: Value] = [:], unset: [Identifier] = [],
        size: Change<ListSize>? = nil, kind: Change<Identifier>? = nil,
        flags: FlagChanges<ItemFlags> = FlagChanges()
    ) -> ListOperation {
        .update(
            id,
            ItemPatch(
                set: Field.list(of: set), unset: unset, size: size, kind: kind, flags: flags))
    }

    /// Adds a new section, without items.
    ///
    /// - Parameters:
    ///   - id: the section's id. With the id of a section in the room, the operation loses.
    ///   - fields: its own fields, by name.
    ///   - supplementaries: its header, its footer and others, each kind once.
    ///   - flags: what may be done with it.
    ///   - place: where it goes, without a section.
    /// - Throws: as ``ListSection/init(_:_:supplementaries:flags:)``.
    public static func insertSection(
        _ id: Identifier, _ fields: [Identifier: Value] = [:],
        supplementaries: [Supplementary] = [], flags: SectionFlags = .all,
        at place: Placement = .end
    ) throws(ModelError) -> ListOperation {
        let section = try ListSection(
            id, fields, supplementaries: supplementaries, flags: flags)
        return .insertSection(section, to: place)
    }

    /// Changes a section's own content. What is not named stays as it is. Nothing is checked here:
    /// a change that can't be made is refused when it is submitted.
    ///
    /// - Parameters:
    ///   - id: the section's id.
    ///   - set: new values of fields, by name.
    ///   - unset: the names of fields that are removed.
    ///   - supplementaries: those that are new, or replace the one of their kind as a whole.
    ///   - removedSupplementaries: the kinds of those that are removed.
    ///   - flags: flags that get a new value.
    public static func updateSection(
        _ id: Identifier, set: [Identifier: Value] = [:], unset: [Identifier] = [],
        supplementaries: [Supplementary] = [], removedSupplementaries: [Identifier] = [],
        flags: FlagChanges<SectionFlags> = FlagChanges()
    ) -> ListOperation {
        .updateSection(
            id,
            SectionPatch(
                set: Field.list(of: set), unset: unset, supplementaries: supplementaries,
                removedSupplementaries: removedSupplementaries, flags: flags))
    }
}
