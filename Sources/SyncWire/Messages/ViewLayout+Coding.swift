import SyncBytes
import SyncLayout
import SyncModel

/// The protocol's message `Layout`.
///
/// An unknown option is a fault, since without it the layout is not the one that was meant. A
/// number that is not finite is a fault, too.
extension ViewLayout {
    /// The most supplementaries, or decorations, that a layout may have: all sections have them.
    static let maximumKinds = 64

    private enum Number {
        static let kind = 1
        static let contentInset = 2
        static let safeArea = 3
        static let layoutMargins = 4
        static let pixelScale = 5
        static let scrollDirection = 6
        static let rtl = 7
        static let zoomFactor = 8
        static let activeDistance = 9
        static let minimumContentHeight = 10
    }

    /// Reads the message; an invalid layout is noted as a fault and read as `nil`.
    init?(
        parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?
    ) throws(FieldError) {
        do throws(FieldError) {
            try self.init(parsing: bytes)
        } catch {
            switch error {
            case .model(let problem): fault = fault ?? ContentFault(problem)
            case .meaningless(let text): fault = fault ?? ContentFault(text)
            default: throw error
            }
            return nil
        }
    }

    private init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(LayoutSpec(kind: .flow))
        var kind: LayoutSpec.Kind?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.kind: kind = try reader.choice("kind")
            case Number.contentInset: environment.contentInset = try reader.insets()
            case Number.safeArea: environment.safeArea = try reader.insets()
            case Number.layoutMargins: environment.layoutMargins = try reader.insets()
            case Number.pixelScale: environment.pixelScale = try reader.finite()
            case Number.scrollDirection:
                spec.scrollDirection = try reader.choice("scroll_direction")
            case Number.rtl: spec.rtl = try reader.bool()
            case Number.zoomFactor: spec.zoomFactor = try reader.finite()
            case Number.activeDistance: spec.activeDistance = try reader.finite()
            case Number.minimumContentHeight: spec.minimumContentHeight = try reader.finite()
            default:
                guard try spec.options.read(field, &reader) else {
                    throw .badLayout("a layout has no option \(field)")
                }
            }
        }
        guard let kind else { throw .badLayout("a layout has a kind") }
        spec.kind = kind
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.kind, choice: spec.kind)
        writer.writeUnlessNone(Number.contentInset, environment.contentInset)
        writer.writeUnlessNone(Number.safeArea, environment.safeArea)
        writer.write(Number.layoutMargins, insets: environment.layoutMargins)
        if let scale = environment.pixelScale, scale.isFinite {
            writer.write(Number.pixelScale, number: scale)
        }
        writer.write(Number.scrollDirection, choice: spec.scrollDirection)
        writer.write(Number.rtl, true: spec.rtl)
        writer.write(Number.zoomFactor, number: spec.zoomFactor)
        writer.write(Number.activeDistance, number: spec.activeDistance)
        writer.write(Number.minimumContentHeight, number: spec.minimumContentHeight)
        spec.options.write(to: &writer)
    }
}

extension FieldError {
    /// A layout is invalid.
    static func badLayout(_ text: String) -> FieldError { .meaningless(text) }
}

extension LayoutOptions {
    private enum Number {
        static let itemSize = 11
        static let sectionInset = 12
        static let supplementaries = 13
        static let decorations = 14
        static let minimumInteritemSpacing = 15
        static let minimumLineSpacing = 16
        static let headerReferenceSize = 17
        static let footerReferenceSize = 18
        static let sectionHeadersPinToVisibleBounds = 19
        static let sectionFootersPinToVisibleBounds = 20
        static let alignment = 21
        static let lineAlignment = 22
        static let sectionInsetReference = 23
        static let minColumnWidth = 24
        static let cellHeight = 25
        static let fit = 26
        static let columnCount = 27
        static let minimumColumnSpacing = 28
        static let headerHeight = 29
        static let footerHeight = 30
        static let headerInset = 31
        static let footerInset = 32
        static let sizing = 33
        static let itemRenderDirection = 34
    }

    /// Reads a field of the message, if it is an option.
    fileprivate mutating func read(
        _ field: Int, _ reader: inout FieldReader
    ) throws(FieldError) -> Bool {
        switch field {
        case Number.itemSize: itemSize = try reader.finiteSize()
        case Number.sectionInset: sectionInset = try reader.insets()
        case Number.supplementaries:
            try CustomSupplementary(parsing: try reader.body()).add(to: &supplementaries)
        case Number.decorations: try Decoration(parsing: try reader.body()).add(to: &decorations)
        case Number.minimumInteritemSpacing: minimumInteritemSpacing = try reader.finite()
        case Number.minimumLineSpacing: minimumLineSpacing = try reader.finite()
        case Number.headerReferenceSize: headerReferenceSize = try reader.finiteSize()
        case Number.footerReferenceSize: footerReferenceSize = try reader.finiteSize()
        case Number.sectionHeadersPinToVisibleBounds:
            sectionHeadersPinToVisibleBounds = try reader.bool()
        case Number.sectionFootersPinToVisibleBounds:
            sectionFootersPinToVisibleBounds = try reader.bool()
        case Number.alignment: alignment = try reader.choice("alignment")
        case Number.lineAlignment: lineAlignment = try reader.choice("line_alignment")
        case Number.sectionInsetReference:
            sectionInsetReference = try reader.choice("section_inset_reference")
        case Number.minColumnWidth: minColumnWidth = try reader.finite()
        case Number.cellHeight: cellHeight = try reader.finite()
        case Number.fit: fit = try reader.choice("fit")
        case Number.columnCount: columnCount = try reader.integer()
        case Number.minimumColumnSpacing: minimumColumnSpacing = try reader.finite()
        case Number.headerHeight: headerHeight = try reader.finite()
        case Number.footerHeight: footerHeight = try reader.finite()
        case Number.headerInset: headerInset = try reader.insets()
        case Number.footerInset: footerInset = try reader.insets()
        case Number.sizing: sizing = try reader.choice("sizing")
        case Number.itemRenderDirection:
            itemRenderDirection = try reader.choice("item_render_direction")
        default: return false
        }
        return true
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(Number.itemSize, size: itemSize)
        writer.write(Number.sectionInset, insets: sectionInset)
        for supplementary in supplementaries ?? [] {
            writer.write(message: Number.supplementaries) { supplementary.write(to: &$0) }
        }
        for decoration in decorations ?? [] {
            writer.write(message: Number.decorations) { decoration.write(to: &$0) }
        }
        writer.write(Number.minimumInteritemSpacing, number: minimumInteritemSpacing)
        writer.write(Number.minimumLineSpacing, number: minimumLineSpacing)
        writer.write(Number.headerReferenceSize, size: headerReferenceSize)
        writer.write(Number.footerReferenceSize, size: footerReferenceSize)
        writer.write(
            Number.sectionHeadersPinToVisibleBounds, flag: sectionHeadersPinToVisibleBounds)
        writer.write(
            Number.sectionFootersPinToVisibleBounds, flag: sectionFootersPinToVisibleBounds)
        writer.write(Number.alignment, choice: alignment)
        writer.write(Number.lineAlignment, choice: lineAlignment)
        writer.write(Number.sectionInsetReference, choice: sectionInsetReference)
        writer.write(Number.minColumnWidth, number: minColumnWidth)
        writer.write(Number.cellHeight, number: cellHeight)
        writer.write(Number.fit, choice: fit)
        if let columnCount { writer.write(Number.columnCount, signed: columnCount) }
        writer.write(Number.minimumColumnSpacing, number: minimumColumnSpacing)
        writer.write(Number.headerHeight, number: headerHeight)
        writer.write(Number.footerHeight, number: footerHeight)
        writer.write(Number.headerInset, insets: headerInset)
        writer.write(Number.footerInset, insets: footerInset)
        writer.write(Number.sizing, choice: sizing)
        writer.write(Number.itemRenderDirection, choice: itemRenderDirection)
    }
}
