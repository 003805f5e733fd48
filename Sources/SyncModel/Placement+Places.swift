// Places as a program names them: `.end(of: "main")`, `.after("eggs")`, `.index(3, in: "main")`.

extension Placement {
    /// Behind all sections, for a section. An item takes ``end(of:)``.
    public static let end = Placement()
    /// Before all sections, for a section. An item takes ``start(of:)``.
    public static let start = Placement(position: .index(0))

    /// Behind the last item of a section.
    public static func end(of section: Identifier) -> Placement { Placement(section: section) }

    /// Before the first item of a section.
    public static func start(of section: Identifier) -> Placement { .index(0, in: section) }

    /// Directly behind a sibling, in whatever section that is.
    ///
    /// - Parameters:
    ///   - sibling: the id of an item for an item, of a section for a section.
    ///   - trail: up to ``maximumTrail`` earlier siblings, nearest first, for the case that the
    ///     server has forgotten `sibling`.
    public static func after(_ sibling: Identifier, trail: [Identifier] = []) -> Placement {
        Placement(position: .after(sibling), trail: trail)
    }

    /// Directly before a sibling, in whatever section that is.
    ///
    /// - Parameters:
    ///   - sibling: the id of an item for an item, of a section for a section.
    ///   - trail: as for ``after(_:trail:)``.
    public static func before(_ sibling: Identifier, trail: [Identifier] = []) -> Placement {
        Placement(position: .before(sibling), trail: trail)
    }

    /// Behind that many items of a section, as ``Position/index(_:)`` counts them. A number below 0
    /// counts as 0.
    public static func index(_ index: Int, in section: Identifier) -> Placement {
        Placement(section: section, position: .index(UInt64(max(index, 0))))
    }

    /// Behind that many sections, as ``Position/index(_:)`` counts them. A number below 0 counts as
    /// 0.
    public static func index(_ index: Int) -> Placement {
        Placement(position: .index(UInt64(max(index, 0))))
    }
}
