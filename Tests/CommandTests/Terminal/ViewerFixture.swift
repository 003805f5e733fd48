import CollSync
import ModelSupport
import SyncModel
import SyncPicture

@testable import collsync_cli

/// A viewer of a list. Its items have 50 by 30 points, one below the other under a header of 10.
/// Its window has twenty by seven characters, each of 5 by 10 points.
struct ViewerFixture {
    static let window = ScreenSize(columns: 20, rows: 7)
    static let itemHeight = 30.0

    var state: ViewerState
    private let count: Int

    init(
        count: Int, isPinned: Bool = false, spec: LayoutSpec = LayoutSpec(kind: .flow)
    ) {
        self.count = count
        state = ViewerState(
            room: "room1", titles: TitleField(name: "title"), spec: spec,
            scale: CharacterScale(character: CharacterScale.usual), window: Self.window)
        var change = ViewChange(
            revision: 1, bounds: state.bounds,
            contentSize: ListSize(width: 100, height: 10 + Self.itemHeight * Double(count)))
        change.appeared = (0..<count).map { Self.appeared(item: $0) }
        change.appeared.append(Self.header(y: 0, isPinned: isPinned))
        _ = state.take(change)
    }

    static func item(_ number: Int) -> Item { Item(id: id("i\(number)")) }

    static func frame(ofItem number: Int) -> ListRect {
        ListRect(y: 10 + itemHeight * Double(number), width: 50, height: itemHeight)
    }

    static func appeared(item number: Int) -> ViewChange.Appeared {
        let element = LayoutElement(
            .cell(ItemPath(section: 0, item: number)), frame: frame(ofItem: number))
        let shown = ViewElement(
            key: UInt64(number + 2), element: element, content: .item(item(number)))
        return ViewChange.Appeared(initial: element, to: shown)
    }

    static func header(y: Double, isPinned: Bool = false) -> ViewChange.Appeared {
        let element = LayoutElement(
            .supplementary(kind: LayoutElement.header, section: 0),
            frame: ListRect(y: y, width: 100, height: 10), zIndex: isPinned ? 1 : 0)
        let section = ListSection(id: id("main"))
        return ViewChange.Appeared(
            initial: element, to: ViewElement(key: 1, element: element, content: .section(section)))
    }

    /// Presses keys, and returns the requests of the last one.
    @discardableResult
    mutating func press(_ keys: Key...) -> ViewerState.Answer {
        keys.map { state.press($0) }.last ?? .end
    }

    /// The visible lines.
    var lines: [String] {
        let canvas = ViewerPainter(state: state).canvas()
        return (0..<canvas.size.rows).map { row in
            (0..<canvas.size.columns).map { canvas[$0, row].text }.joined()
        }
    }
}
