import SyncLayout
import SyncModel

/// A section with everything in it, in coordinates without mirroring and rounding.
struct PlainSection {
    let options: PlainOptions
    /// Where it begins and ends along the scroll axis.
    var start = 0.0
    var end = 0.0
    var header = Band()
    var footer = Band()
    /// The custom supplementaries before the items and after them.
    var before: [(CustomSupplementary, frame: ListRect)] = []
    var after: [(CustomSupplementary, frame: ListRect)] = []
    var cells: [ListRect] = []
    /// The area of the items and their insets.
    var itemsArea = ListRect()
    /// The area of all parts.
    var area = ListRect()

    /// A header or a footer.
    struct Band {
        /// The free room before and after it along the scroll axis.
        var lead = 0.0
        var trail = 0.0
        var length = 0.0
        var frame = ListRect()

        var exists: Bool { length > 0 }
        /// Its length along the scroll axis, with the free room around it.
        var block: Double { exists ? lead + length + trail : 0 }
    }

    init(options: PlainOptions) {
        self.options = options
    }

    /// The numbers that its places are sums of, along the scroll axis.
    var numbers: [Double] { [start, end, header.length, footer.length] }

    /// All its elements in content order.
    ///
    /// - Parameter decorations: those of its decorations that it has.
    /// - Parameter content: the area of the whole content.
    func elements(
        section: Int, decorations: [Decoration], content: ListRect
    ) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        func append(_ band: Band, kind: Identifier, pins: Bool) {
            guard band.exists else { return }
            elements.append(
                LayoutElement(
                    .supplementary(kind: kind, section: section), frame: band.frame,
                    zIndex: pins ? 1 : 0))
        }
        func append(_ supplementaries: [(CustomSupplementary, frame: ListRect)]) {
            for (supplementary, frame) in supplementaries {
                elements.append(
                    LayoutElement(
                        .supplementary(kind: supplementary.kind, section: section), frame: frame,
                        zIndex: supplementary.zIndex))
            }
        }
        append(header, kind: LayoutElement.header, pins: options.headersPin)
        append(before)
        for (item, frame) in cells.enumerated() {
            let path = ItemPath(section: section, item: item)
            elements.append(LayoutElement(.cell(path), frame: frame))
            elements += supplementaries(of: path, at: frame)
        }
        append(after)
        append(footer, kind: LayoutElement.footer, pins: options.footersPin)
        for decoration in decorations {
            let covered =
                switch decoration.cover {
                case .items: itemsArea
                case .section: area
                case .content: content
                }
            elements.append(
                LayoutElement(
                    .decoration(kind: decoration.kind, section: section),
                    frame: covered.shrunk(by: decoration.inset), zIndex: decoration.zIndex))
        }
        return elements
    }

    private func supplementaries(of path: ItemPath, at frame: ListRect) -> [LayoutElement] {
        options.supplementaries.compactMap { supplementary in
            guard case .atItem(let corner) = supplementary.place else { return nil }
            let point = frame.point(at: corner)
            let own = ListRect(
                x: point.x - supplementary.size.width / 2 + supplementary.offset.x,
                y: point.y - supplementary.size.height / 2 + supplementary.offset.y,
                width: supplementary.size.width, height: supplementary.size.height)
            return LayoutElement(
                .itemSupplementary(kind: supplementary.kind, path), frame: own,
                zIndex: supplementary.zIndex)
        }
    }
}

extension ListRect {
    /// The rectangle without insets; its lengths are never below 0.
    fileprivate func shrunk(by insets: Insets) -> ListRect {
        let inner = inset(by: insets)
        return ListRect(
            x: inner.x, y: inner.y, width: max(0, inner.width), height: max(0, inner.height))
    }

    fileprivate func point(at corner: CustomSupplementary.Corner) -> ListPoint {
        let x =
            switch corner {
            case .topLeading, .leading, .bottomLeading: x
            case .top, .center, .bottom: center.x
            case .topTrailing, .trailing, .bottomTrailing: maxX
            }
        let y =
            switch corner {
            case .topLeading, .top, .topTrailing: y
            case .leading, .center, .trailing: center.y
            case .bottomLeading, .bottom, .bottomTrailing: maxY
            }
        return ListPoint(x: x, y: y)
    }
}
