import SyncLayout
import SyncModel

// A layout and its options, in the form in which they are read.

extension JSONWriter {
    mutating func write(_ spec: LayoutSpec) {
        beginObject()
        write("kind", spec.kind)
        write("scrollDirection", spec.scrollDirection)
        if spec.rtl { write("rtl", true) }
        write("zoomFactor", spec.zoomFactor)
        write("activeDistance", spec.activeDistance)
        write("minimumContentHeight", spec.minimumContentHeight)
        writeMembers(of: spec.options)
        endObject()
    }

    private mutating func writeMembers(of options: LayoutOptions) {
        write("itemSize", options.itemSize)
        write("sectionInset", options.sectionInset)
        write("supplementaries", options.supplementaries) { writer, supplementary in
            writer.write(supplementary)
        }
        write("decorations", options.decorations) { writer, decoration in
            writer.write(decoration)
        }
        write("minimumInteritemSpacing", options.minimumInteritemSpacing)
        write("minimumLineSpacing", options.minimumLineSpacing)
        write("headerReferenceSize", options.headerReferenceSize)
        write("footerReferenceSize", options.footerReferenceSize)
        write("sectionHeadersPinToVisibleBounds", options.sectionHeadersPinToVisibleBounds)
        write("sectionFootersPinToVisibleBounds", options.sectionFootersPinToVisibleBounds)
        write("alignment", options.alignment)
        write("lineAlignment", options.lineAlignment)
        write("sectionInsetReference", options.sectionInsetReference)
        write("minColumnWidth", options.minColumnWidth)
        write("cellHeight", options.cellHeight)
        write("fit", options.fit)
        if let count = options.columnCount { member("columnCount", count) }
        write("minimumColumnSpacing", options.minimumColumnSpacing)
        write("headerHeight", options.headerHeight)
        write("footerHeight", options.footerHeight)
        write("headerInset", options.headerInset)
        write("footerInset", options.footerInset)
        write("sizing", options.sizing)
        write("itemRenderDirection", options.itemRenderDirection)
    }

    private mutating func write(_ supplementary: CustomSupplementary) {
        beginObject()
        key("kind")
        write(text: supplementary.kind.text)
        let (scope, edge) = supplementary.place.jsonNames
        write("scope", scope)
        key("edge")
        write(text: edge)
        write("size", supplementary.size)
        if supplementary.offset.x.distance != 0 || supplementary.offset.y.distance != 0 {
            key("offset")
            write(supplementary.offset)
        }
        if supplementary.zIndex != 0 { member("zIndex", supplementary.zIndex) }
        endObject()
    }

    private mutating func write(_ decoration: Decoration) {
        beginObject()
        key("kind")
        write(text: decoration.kind.text)
        if decoration.cover != .items { write("cover", decoration.cover) }
        if decoration.inset.distances != Insets() { write("inset", decoration.inset) }
        if decoration.zIndex != -1 { member("zIndex", decoration.zIndex) }
        endObject()
    }
}

// MARK: Options

// Options that are not set are left out.

extension JSONWriter {
    private mutating func write(_ name: StaticString, _ number: Double?) {
        if let number { member(name, number) }
    }

    private mutating func write(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        write(bool: flag)
    }

    private mutating func write(_ name: StaticString, _ word: (some RawRepresentable<String>)?) {
        guard let word else { return }
        key(name)
        write(text: word.rawValue)
    }

    private mutating func write(_ name: StaticString, _ size: ListSize?) {
        guard let size else { return }
        key(name)
        write(size)
    }

    private mutating func write(_ name: StaticString, _ insets: Insets?) {
        guard let insets else { return }
        key(name)
        write(insets)
    }

    /// Writes a list unless it is `nil`; an empty one is written.
    private mutating func write<Element>(
        _ name: StaticString, _ elements: [Element]?,
        _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        guard let elements else { return }
        key(name)
        beginList()
        for element in elements { writeElement(&self, element) }
        endList()
    }
}
