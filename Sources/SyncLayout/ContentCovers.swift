import SyncModel

/// Which sections show the decorations that cover all of the content. Of the sections that have one
/// of the same kind, only the first one does.
struct ContentCovers {
    private var sectionsByKind: [Identifier: Int] = [:]
    /// The sections that show one, in order.
    private(set) var sections: [Int] = []

    init() {}

    /// O(s) for s sections, and the decorations that differ from the layout's.
    init(_ all: [LaidSection]) {
        var hasInherited = false
        for (index, section) in all.enumerated() where !section.shared.covers.isEmpty {
            // Those that a section has from the layout are the same in all of them.
            if section.shared.own.decorations == nil {
                if hasInherited { continue }
                hasInherited = true
            }
            let count = sectionsByKind.count
            for cover in section.shared.covers where sectionsByKind[cover.kind] == nil {
                sectionsByKind[cover.kind] = index
            }
            if sectionsByKind.count > count { sections.append(index) }
        }
    }

    /// Whether a section shows the decoration of a kind.
    func shows(_ kind: Identifier, in section: Int) -> Bool { sectionsByKind[kind] == section }
}
