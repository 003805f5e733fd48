import ModelSupport
import SyncLayout
import SyncModel
import SyncWire

// Messages of clients and servers about views and drags, from an input's choices. They use few
// numbers of views, elements and drags, and impossible coordinates.
extension InputBytes {
    private static let numbers: [Double] = [
        0, 50, 100, 320, 1e3, 1e6, -1, -100, 0.1, 1.0 / 3, 1e12, 1e300, 1e308, -1e308, .infinity,
        -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0,
    ]

    private static let layouts = LayoutSpec.Kind.allCases.map { ViewLayout($0) }

    private static let oddLayouts = [
        ViewLayout(.waterfall) { $0.columnCount = 1_000_000_000_000 },
        ViewLayout(.waterfall) { $0.columnCount = .max },
        ViewLayout(.line) { $0.minimumLineSpacing = -1e308 },
        ViewLayout(.flow) { options in
            options.minimumLineSpacing = 1e308
            options.headerReferenceSize = ListSize(width: 1e308, height: 1e308)
        },
        ViewLayout(.flow) { $0.decorations = [Decoration(kind: "d", inset: Insets(left: 1e308))] },
        ViewLayout(.flow) { $0.decorations = [Decoration(kind: noName)] },
        ViewLayout(.flow) { $0.decorations = Array(repeating: Decoration(kind: "d"), count: 65) },
    ]

    /// Mostly a number that a screen can have.
    mutating func number() -> Double {
        InputBytes.numbers[below(oneIn(4) ? InputBytes.numbers.count : 6)]
    }

    mutating func rect() -> ListRect {
        ListRect(x: number(), y: number(), width: number(), height: number())
    }

    mutating func viewRequest(room: RoomHandle) -> ViewRequest {
        var request = ViewRequest(room: room, view: ViewNumber(below(4)))
        if below(2) == 0 { request.layout = layout() }
        if !oneIn(4) { request.bounds = rect() }
        if oneIn(4) { request.overscan = number() }
        request.seen = UInt64(below(8))
        request.snaps = oneIn(4)
        if oneIn(4) {
            let distance = ListPoint(x: number(), y: number())
            request.anchor =
                oneIn(4)
                ? .beginning : .item(ItemAnchor(item: name("i", below(12)), distance: distance))
        }
        request.isClosed = oneIn(8)
        return request
    }

    /// A step of a drag. Its item and its view need not exist.
    mutating func drag(room: RoomHandle) -> Drag {
        let number = DragNumber(below(4))
        let step: Drag.Step =
            switch below(8) {
            case 0, 1, 2:
                .begin(name("i", below(12)), view: ViewNumber(below(4)), isShared: !oneIn(3))
            case 3, 4, 5: .update(point(), number: update(), seen: update())
            case 6: .end(counter: UInt64(below(32)))
            default: .cancel
            }
        return Drag(room: room, number: number, step)
    }

    private mutating func point() -> ListPoint { ListPoint(x: number(), y: number()) }

    private mutating func update() -> UInt64 { oneIn(8) ? .max : UInt64(below(8)) }

    private mutating func layout() -> ViewLayout {
        oneIn(4)
            ? InputBytes.oddLayouts[below(InputBytes.oddLayouts.count)]
            : InputBytes.layouts[below(InputBytes.layouts.count)]
    }

    // MARK: Updates

    /// An update of a view, mostly with the expected number.
    mutating func viewUpdate(number expected: UInt64) -> ViewUpdate {
        var update = ViewUpdate(
            room: 1, view: 1, number: oneIn(8) ? UInt64(byte()) : expected,
            revision: Revision(below(8)), isFirst: expected == 1 || oneIn(8))
        update.isTransition = oneIn(4)
        if oneIn(3) { update.contentSize = ListSize(width: number(), height: number()) }
        if oneIn(3) { update.shift = ListPoint(x: number(), y: number()) }
        update.appeared = list(below: 6) { $0.appeared() }
        update.changed = list(below: 4) { choices in
            ViewUpdate.Changed(key: choices.key(), to: choices.elementPatch())
        }
        update.items = list(below: 7) { Item(id: name("i", $0.below(6))) }
        update.sections = list(below: 3) { ListSection(id: name("s", $0.below(2))) }
        update.disappeared = list(below: 4) { choices in
            ViewUpdate.Disappeared(key: choices.key(), final: choices.elementPatch())
        }
        return update
    }

    private mutating func key() -> UInt32 { UInt32(below(12)) }

    private mutating func appeared() -> ViewUpdate.Appeared {
        let key = key()
        let path = ItemPath(section: below(2), item: below(6))
        let identity: LayoutElement.Identity =
            switch below(6) {
            case 0: .supplementary(kind: LayoutElement.header, section: path.section)
            case 1: .decoration(kind: "d", section: path.section)
            case 2: .itemSupplementary(kind: "badge", path)
            default: .cell(path)
            }
        let element = LayoutElement(identity, frame: rect(), zIndex: below(3))
        return ViewUpdate.Appeared(
            key: key, element: element,
            of: ViewThing(name("s", 0), shownBy: identity) == .item(name("s", 0))
                ? name("i", below(6)) : name("s", below(2)),
            initial: elementPatch())
    }

    private mutating func elementPatch() -> ElementPatch {
        var patch = ElementPatch()
        if oneIn(3) { patch.alpha = number() }
        if oneIn(3) { patch.scale = number() }
        if oneIn(3) { patch.frame = rect() }
        if oneIn(3) { patch.item = below(6) }
        if oneIn(8) { patch.section = Int(UInt32.max) }
        return patch
    }
}
