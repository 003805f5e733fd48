// Places as a program names them: `.end(of: "main")`, `.after("eggs")`, `.index(3, in: "main")`.

extension Placement {
    /// Behind all that is there: for sections.
    public static let end = Placement()
    /// Before all that is there: for sections.
    public static let start = Placement(position: .index(0))

    /// Behind the last item of a section.
    public static func end(of section: Identifier) -> Placement { Placement(section: section) }

    /// Before the first item of a section.
    public static func start(of section: Identifier) -> Placement { .index(0, in: section) }

    /// Right behind a sibling, wherever it is.
    ///
    /// - Parameters:
    ///   - sibling: an item, for an item; a section, for a section.
    ///   - trail: up to ``maximumTrail`` earlier siblings, nearest first: where to go when that one is forgotten.
    public static func after(_ sibling: Identifier, trail: [Identifier] = []) -> Placement {
        Placement(position: .after(sibling), trail: trail)
    }

    /// Right before a sibling, wherever it is; `trail` as for ``after(_:trail:)``.
    public static func before(_ sibling: Identifier, trail: [Identifier] = []) -> Placement {
        Placement(position: .before(sibling), trail: trail)
    }

    /// Behind so many items of a section, counted as the author of the operation saw them; what is below 0 is 0.
    public static func index(_ index: Int, in section: Identifier) -> Placement {
        Placement(section: section, position: .index(UInt64(max(index, 0))))
    }

    /// Behind so many sections, counted as the author of the operation saw them; what is below 0 is 0.
    public static func index(_ index: Int) -> Placement {
        Placement(position: .index(UInt64(max(index, 0))))
    }
}
