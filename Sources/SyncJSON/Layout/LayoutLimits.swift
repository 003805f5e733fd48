import SyncLayout

/// How much may be laid out for one input. By default that is as much as layouts can.
package struct LayoutLimits: Sendable {
    /// Items of all sections together.
    package var items = Int.max
    /// Elements in the answer. To find them, 16 times as many are looked at.
    package var elements = CollectionLayout.elementLimit

    package init() {}

    func check(_ input: LayoutInput) throws(LayoutError) {
        var left = items
        for section in input.sections {
            guard section.count <= left else { throw .totalItemCount(limit: items) }
            left -= max(section.count, 0)
        }
    }
}
