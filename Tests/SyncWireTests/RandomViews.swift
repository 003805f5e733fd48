import SyncLayout
import SyncModel
import SyncWire

/// Messages about views.
extension SeededGenerator {
    mutating func viewRequest() throws -> ViewRequest {
        ViewRequest(
            room: uint32(), view: uint32(), layout: chance(50) ? "{" + text(atMost: 20) : nil,
            bounds: chance(50) ? rect() : nil, overscan: chance(50) ? length() : nil,
            seen: uint64(), snaps: chance(20),
            anchor: chance(30)
                ? ItemAnchor(item: try identifier(), distance: ListPoint(x: length(), y: length()))
                : nil,
            isClosed: chance(20), serial: uint64())
    }

    mutating func viewUpdate() throws -> ViewUpdate {
        var update = ViewUpdate(
            room: uint32(), view: uint32(), number: uint64(), serial: uint64(),
            revision: revision(), isFirst: chance(20), isTransition: chance(20),
            hasMore: chance(20))
        if chance(50) { update.contentSize = ListSize(width: length(), height: length()) }
        if chance(30) { update.shift = ListPoint(x: length(), y: length()) }
        update.appeared = try (0..<below(4)).map { _ in
            .init(key: uint32(), element: element(), initial: patch(), content: try content())
        }
        update.changed = try (0..<below(4)).map { _ in
            .init(key: uint32(), to: patch(), content: try content())
        }
        update.disappeared = (0..<below(4)).map { _ in .init(key: uint32(), final: patch()) }
        return update
    }

    private mutating func content() throws -> ViewUpdate.Content? {
        switch below(3) {
        case 0: .item(try item())
        case 1: .section(try section())
        default: nil
        }
    }

    private mutating func element() -> LayoutElement {
        let path = ItemPath(section: index(), item: index())
        let identity: LayoutElement.Identity =
            switch below(4) {
            case 0: .cell(path)
            case 1: .supplementary(kind: text(atMost: 9), section: index())
            case 2: .itemSupplementary(kind: text(atMost: 9), path)
            default: .decoration(kind: text(atMost: 9), section: index())
            }
        var element = LayoutElement(identity, frame: rect())
        if chance(30) { element.zIndex = below(2001) - 1000 }
        if chance(30) { element.alpha = length() }
        if chance(30) { element.scale = length() }
        element.isHidden = chance(20)
        return element
    }

    private mutating func patch() -> ElementPatch {
        var patch = ElementPatch()
        if chance(30) { patch.section = index() }
        if chance(30) { patch.item = index() }
        if chance(30) { patch.frame = rect() }
        if chance(30) { patch.zIndex = below(2001) - 1000 }
        if chance(30) { patch.alpha = length() }
        if chance(30) { patch.scale = length() }
        if chance(30) { patch.isHidden = chance(50) }
        return patch
    }

    private mutating func rect() -> ListRect {
        ListRect(x: length(), y: length(), width: length(), height: length())
    }

    /// Never −0, which is to be sent as 0.
    mutating func length() -> Double {
        chance(20) ? 0 : Double(below(200_001) - 100_000) / 8
    }
}
