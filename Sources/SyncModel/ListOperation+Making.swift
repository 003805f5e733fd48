// Operations as a program writes them: `.insert("milk", ["title": "Milk"], at: .end(of: "main"))`.

extension ListOperation {
    /// Puts a new item somewhere.
    ///
    /// - Parameters:
    ///   - id: the item's name, which none that lives in the room has: else it is superseded.
    ///   - fields: what it holds.
    ///   - kind: the reuse identifier a client dequeues a cell by.
    ///   - size: in points.
    ///   - flags: what may be done with it.
    ///   - place: where.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``.
    public static func insert(
        _ id: Identifier, _ fields: [Identifier: Value] = [:], kind: Identifier? = nil,
        size: ListSize? = nil, flags: ItemFlags = .all, at place: Placement
    ) throws(ModelError) -> ListOperation {
        .insert(try Item(id, fields, kind: kind, size: size, flags: flags), to: place)
    }

    /// Changes an item's content; what is not named stays.
    ///
    /// - Parameters:
    ///   - id: the item's name.
    ///   - set: fields that get a value.
    ///   - unset: fields that are taken away.
    ///   - size: a new size, or none.
    ///   - kind: a new kind, or none.
    ///   - flags: new values for flags.
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

    /// Puts a new section somewhere.
    ///
    /// - Parameters:
    ///   - id: the section's name.
    ///   - fields: what it holds besides items.
    ///   - supplementaries: its header, its footer and others.
    ///   - flags: what may be done with it.
    ///   - place: where.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``.
    public static func insertSection(
        _ id: Identifier, _ fields: [Identifier: Value] = [:],
        supplementaries: [Supplementary] = [], flags: SectionFlags = .all,
        at place: Placement = .end
    ) throws(ModelError) -> ListOperation {
        let section = try ListSection(
            id, fields, supplementaries: supplementaries, flags: flags)
        return .insertSection(section, to: place)
    }

    /// Changes a section's own content; what is not named stays.
    ///
    /// - Parameters:
    ///   - id: the section's name.
    ///   - set: fields that get a value.
    ///   - unset: fields that are taken away.
    ///   - supplementaries: those that are put in place of those of their kind.
    ///   - removedSupplementaries: kinds of those that are taken away.
    ///   - flags: new values for flags.
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
