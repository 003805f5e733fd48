import SyncBytes
package import SyncLayout
import SyncModel

/// The difference of an element from another one: its former or later state, or the default
/// element. The protocol's message `Element`.
package struct ElementPatch: Sendable, Equatable {
    package var section: Int?
    package var item: Int?
    package var frame: ListRect?
    package var zIndex: Int?
    package var alpha: Double?
    package var scale: Double?
    package var isHidden: Bool?

    package init() {}

    /// The difference that turns `old` into `new`; both are of one kind.
    package init(from old: LayoutElement, to new: LayoutElement) {
        let (path, oldPath) = (new.identity.indices, old.identity.indices)
        if path.section != oldPath.section { section = path.section }
        if path.item != oldPath.item { item = path.item }
        if new.frame != old.frame { frame = new.frame }
        if new.zIndex != old.zIndex { zIndex = new.zIndex }
        if new.alpha != old.alpha { alpha = new.alpha }
        if new.scale != old.scale { scale = new.scale }
        if new.isHidden != old.isHidden { isHidden = new.isHidden }
    }

    package var isEmpty: Bool {
        section == nil && item == nil && frame == nil && zIndex == nil && alpha == nil
            && scale == nil && isHidden == nil
    }

    /// Another element with this difference applied.
    package func applied(to element: LayoutElement) -> LayoutElement {
        var element = element
        element.identity = element.identity.placed(section: section, item: item)
        if let frame { element.frame = frame }
        if let zIndex { element.zIndex = zIndex }
        if let alpha { element.alpha = alpha }
        if let scale { element.scale = scale }
        if let isHidden { element.isHidden = isHidden }
        return element
    }
}

extension LayoutElement.Identity {
    /// The section and, where it has one, the item.
    fileprivate var indices: (section: Int, item: Int) {
        switch self {
        case .cell(let path), .itemSupplementary(_, let path): (path.section, path.item)
        case .supplementary(_, let section), .decoration(_, let section): (section, 0)
        }
    }

    fileprivate func placed(section: Int?, item: Int?) -> LayoutElement.Identity {
        switch self {
        case .cell(let path):
            .cell(ItemPath(section: section ?? path.section, item: item ?? path.item))
        case .itemSupplementary(let kind, let path):
            .itemSupplementary(
                kind: kind, ItemPath(section: section ?? path.section, item: item ?? path.item))
        case .supplementary(let kind, let old):
            .supplementary(kind: kind, section: section ?? old)
        case .decoration(let kind, let old): .decoration(kind: kind, section: section ?? old)
        }
    }
}

// MARK: - Bytes

extension ElementPatch {
    private enum Number {
        static let category = 1
        static let kind = 2
        static let section = 3
        static let item = 4
        static let frame = 5
        static let zIndex = 6
        static let alpha = 7
        static let scale = 8
        static let hidden = 9
    }

    /// Reads an element, as its difference from the default one.
    static func element(
        parsing bytes: UnsafeRawBufferPointer
    ) throws(FieldError) -> LayoutElement {
        var patch = ElementPatch()
        var category: UInt32 = 0
        var kind: Identifier?
        try patch.read(bytes, &category, &kind)
        let identity: LayoutElement.Identity
        switch (category, kind) {
        case (1, _): identity = .cell(ItemPath(section: 0, item: 0))
        case (2, let kind?): identity = .supplementary(kind: kind, section: 0)
        case (3, let kind?):
            identity = .itemSupplementary(kind: kind, ItemPath(section: 0, item: 0))
        case (4, let kind?): identity = .decoration(kind: kind, section: 0)
        default: throw .malformed
        }
        return patch.applied(to: LayoutElement(identity, frame: ListRect()))
    }

    /// Writes an element, as its difference from the default one.
    static func write(_ element: LayoutElement, to writer: inout ByteWriter) {
        let (category, kind): (UInt64, Identifier?) =
            switch element.identity {
            case .cell: (1, nil)
            case .supplementary(let kind, _): (2, kind)
            case .itemSupplementary(let kind, _): (3, kind)
            case .decoration(let kind, _): (4, kind)
            }
        writer.write(field: Number.category, varint: category)
        if let kind { writer.write(Number.kind, kind) }
        let usual = LayoutElement(
            element.identity.placed(section: 0, item: 0), frame: ListRect())
        ElementPatch(from: usual, to: element).write(to: &writer)
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var category: UInt32 = 0
        var kind: Identifier?
        try read(bytes, &category, &kind)
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ category: inout UInt32, _ kind: inout Identifier?
    ) throws(FieldError) {
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.category: category = try reader.uint32()
            case Number.kind: kind = try reader.identifier()
            case Number.section: section = try reader.index()
            case Number.item: item = try reader.index()
            case Number.frame: frame = try ListRect(parsing: try reader.body())
            case Number.zIndex: zIndex = try reader.integer()
            case Number.alpha: alpha = try reader.double()
            case Number.scale: scale = try reader.double()
            case Number.hidden: isHidden = try reader.bool()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        if let section {
            writer.write(field: Number.section, varint: UInt64(UInt32(clamping: section)))
        }
        if let item { writer.write(field: Number.item, varint: UInt64(UInt32(clamping: item))) }
        if let frame { writer.write(message: Number.frame) { frame.write(to: &$0) } }
        if let zIndex {
            writer.write(tag: Number.zIndex, .varint)
            writer.write(zigzag: Int64(zIndex))
        }
        if let alpha { writer.write(field: Number.alpha, double: alpha) }
        if let scale { writer.write(field: Number.scale, double: scale) }
        if let isHidden { writer.write(field: Number.hidden, varint: isHidden ? 1 : 0) }
    }
}
