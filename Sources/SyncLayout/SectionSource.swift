package import SyncModel

/// A section whose items' sizes are read piece by piece, so that a large one is in memory only
/// once.
package struct SectionSource {
    /// Calls its parameter with the sizes of all items, in order, some at a time; a size is `nil`
    /// if the item has none.
    package typealias Read = ((UnsafeBufferPointer<ListSize?>) -> Void) -> Void

    package var content: SectionContent
    package var count: Int
    package var read: Read

    package init(content: SectionContent, count: Int, read: @escaping Read) {
        self.content = content
        self.count = count
        self.read = read
    }

    func makeSizes(at index: Int, _ layout: any ListLayout) throws(LayoutError) -> SizeList {
        let options = LayoutOptions().replacing(content).over(layout.options)
        guard let common = layout.itemSize(in: options) else {
            return SizeList(repeating: .zero, count: count)
        }
        let sizes = SizeList(repeating: common, count: 0)
        read { sizes.append($0, absent: common) }
        guard sizes.isRepeated || count <= SizeList.itemLimit else {
            throw .itemCount(section: index, limit: SizeList.itemLimit)
        }
        return sizes
    }
}
