import CollSync
import ModelSupport
import SyncModel
import Testing

@testable import collsync_cli

/// The effects of keys, windows and updates on a viewer.
@Suite struct ViewerStateTests {
    private func scrolled(_ y: Double) -> ViewerState.Answer {
        .requests([.scroll(ListPoint(y: y))])
    }

    private let nothing = ViewerState.Answer.requests([])

    // MARK: Scrolling

    @Test func keysScrollWithinTheContent() {
        // A screen is 60 points high, the content 310.
        var viewer = ViewerFixture(count: 10)
        #expect(viewer.press(.up) == nothing)
        #expect(viewer.press(.down) == scrolled(10))
        #expect(viewer.press(.character("j")) == scrolled(20))
        #expect(viewer.press(.character("k")) == scrolled(10))
        #expect(viewer.press(.pageDown) == scrolled(60))
        #expect(viewer.press(.character(" ")) == scrolled(110))
        #expect(viewer.press(.pageUp) == scrolled(60))
        #expect(viewer.press(.end) == scrolled(250))
        #expect(viewer.press(.pageDown) == nothing)
        #expect(viewer.press(.character("G")) == nothing)
        #expect(viewer.press(.home) == scrolled(0))
        #expect(viewer.press(.left, .right) == nothing)
    }

    @Test func contentThatIsWideIsScrolledSideways() {
        var viewer = ViewerFixture(count: 1)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        change.contentSize = ListSize(width: 350, height: 40)
        #expect(viewer.state.take(change) == [])
        #expect(viewer.press(.right) == .requests([.scroll(ListPoint(x: 10))]))
        #expect(viewer.press(.pageDown) == .requests([.scroll(ListPoint(x: 100))]))
        #expect(viewer.press(.end) == .requests([.scroll(ListPoint(x: 250))]))
        #expect(viewer.press(.character("h")) == .requests([.scroll(ListPoint(x: 240))]))
        #expect(viewer.press(.down) == nothing)
        #expect(viewer.press(.home) == .requests([.scroll(ListPoint())]))
    }

    @Test func contentFromRightToLeftBeginsAtTheRight() {
        var spec = LayoutSpec(kind: .flow)
        spec.scrollDirection = .horizontal
        spec.rtl = true
        var viewer = ViewerFixture(count: 1, spec: spec)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        change.contentSize = ListSize(width: 350, height: 40)
        #expect(viewer.state.take(change) == [])
        #expect(viewer.press(.home) == .requests([.scroll(ListPoint(x: 250))]))
        #expect(viewer.press(.end) == .requests([.scroll(ListPoint())]))
    }

    /// The server decides where scrolling ends, and sends a shift.
    @Test func inALineOneScrollsFromItemToItem() {
        var spec = LayoutSpec(kind: .line)
        spec.scrollDirection = .vertical
        var viewer = ViewerFixture(count: 10, spec: spec)
        func snapped(_ y: Double) -> ViewerState.Answer { .requests([.snap(ListPoint(y: y))]) }
        #expect(viewer.press(.up) == nothing)
        #expect(viewer.press(.down) == snapped(25))
        #expect(viewer.press(.character("j")) == snapped(55))
        #expect(viewer.press(.up, .character("k")) == snapped(0))
        #expect(viewer.press(.pageDown) == snapped(50))
        var change = ViewChange(
            revision: 1, bounds: ListRect(y: 55, width: 100, height: 60), shift: ListPoint(y: 5))
        #expect(viewer.state.take(change) == [] && viewer.state.origin == ListPoint(y: 55))
        #expect(viewer.press(.end) == snapped(250))
        change.shift = nil
        change.bounds.y = 250
        #expect(viewer.state.take(change) == [])
        #expect(viewer.press(.down, .left, .right) == nothing)
        #expect(viewer.press(.home) == snapped(0))
        // A selected item is scrolled onto the screen, but not into its middle.
        viewer.press(.tab, .tab)
        #expect(viewer.press(.tab) == scrolled(40))
    }

    @Test func shiftsMoveWhereverOneIs() {
        var viewer = ViewerFixture(count: 10)
        viewer.press(.down, .down)
        // This change was made before the server knew the second key.
        var change = ViewChange(
            revision: 2, bounds: ListRect(y: 40, width: 100, height: 60), shift: ListPoint(y: 30))
        #expect(viewer.state.take(change) == [.scroll(ListPoint(y: 50))])
        #expect(viewer.state.origin == ListPoint(y: 50))
        change.shift = nil
        change.bounds.y = 50
        #expect(viewer.state.take(change) == [])
        #expect(viewer.state.revision == 2)
    }

    @Test func whatGetsShorterIsShownToItsEnd() {
        var viewer = ViewerFixture(count: 10)
        viewer.press(.end)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        change.contentSize = ListSize(width: 100, height: 100)
        #expect(viewer.state.take(change) == [.scroll(ListPoint(y: 40))])
        change.contentSize = ListSize(width: 0, height: 0)
        #expect(viewer.state.take(change) == [.scroll(ListPoint())])
    }

    /// Impossible numbers in a layout do not stop the viewer.
    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func strangeNumbersAreShownSomehow(number: Double) {
        var viewer = ViewerFixture(count: 3)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        change.contentSize = ListSize(width: number, height: number)
        change.shift = ListPoint(x: number, y: number)
        var strange = ViewerFixture.appeared(item: 5)
        strange.to.element.frame = ListRect(x: number, y: number, width: number, height: number)
        change.appeared = [strange]
        _ = viewer.state.take(change)
        viewer.press(.end, .tab, .tab, .tab, .tab, .down, .pageDown, .right)
        #expect(viewer.lines.count == 7)
        strange.to.element.frame = ListRect(width: number, height: number)
        strange.to.element.scale = number
        change.appeared = [strange]
        _ = viewer.state.take(change)
        #expect(viewer.lines.count == 7)
    }

    // MARK: Selecting

    @Test func selectionGoesFromItemToItem() {
        var viewer = ViewerFixture(count: 3)
        #expect(viewer.state.selected == nil)
        viewer.press(.tab)
        #expect(viewer.state.selected == id("i0"))
        #expect(viewer.press(.character("p")) == nothing)
        #expect(viewer.press(.character("n")) == scrolled(10))
        #expect(viewer.press(.tab) == scrolled(40))
        #expect(viewer.state.selectedCell?.path.item == 2)
        #expect(viewer.press(.tab) == nothing)
        viewer.press(.backTab)
        #expect(viewer.state.selected == id("i1"))
        viewer.press(.escape)
        #expect(viewer.state.selected == nil)
        viewer.press(.backTab)
        #expect(viewer.state.selected == id("i2"))
    }

    @Test func selectionIsShownBelowPinnedHeaders() {
        var viewer = ViewerFixture(count: 10, isPinned: true)
        viewer.press(.end)
        var change = ViewChange(revision: 1, bounds: viewer.state.bounds)
        let header = ViewerFixture.header(y: 250, isPinned: true)
        change.changed = [ViewChange.Changed(from: header.to, to: header.to)]
        _ = viewer.state.take(change)
        #expect(viewer.state.pinnedHeight == 10)
        viewer.press(.backTab, .backTab)
        #expect(viewer.state.selected == id("i8"))
        #expect(viewer.state.origin == ListPoint(y: 240))
    }

    @Test func whatIsGoneIsNotSelected() {
        var viewer = ViewerFixture(count: 3)
        viewer.press(.tab)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        let gone = ViewerFixture.appeared(item: 0).to
        change.disappeared = [ViewChange.Disappeared(from: gone, final: gone.element)]
        _ = viewer.state.take(change)
        #expect(viewer.state.selectedCell == nil)
        viewer.press(.tab)
        #expect(viewer.state.selected == id("i1"))
    }

    // MARK: Layouts

    @Test func layoutsFollowEachOther() {
        var viewer = ViewerFixture(count: 3)
        var kinds: [LayoutSpec.Kind] = []
        for _ in LayoutSpec.Kind.allCases {
            viewer.press(.character("l"))
            kinds.append(viewer.state.spec.kind)
        }
        #expect(kinds.prefix(2) == [.waterfall, .mosaic])
        #expect(kinds.last == .flow)
        #expect(Set(kinds) == Set(LayoutSpec.Kind.allCases))
    }

    @Test func windowsHaveTheirSizes() {
        var viewer = ViewerFixture(count: 3)
        #expect(viewer.state.resize(to: ViewerFixture.window) == [])
        let wide = ScreenSize(columns: 100, rows: 41)
        #expect(viewer.state.resize(to: wide) == [.resize(ListSize(width: 500, height: 400))])
        let tiny = ScreenSize(columns: 0, rows: 0)
        #expect(viewer.state.resize(to: tiny) == [.resize(ListSize(width: 5, height: 10))])
        #expect(viewer.lines == ["═"])
    }

    @Test func viewsMayHaveASizeOfTheirOwn() {
        var scale = CharacterScale(character: CharacterScale.usual, width: 320)
        #expect(scale.character(columns: 80, rows: 20) == ListSize(width: 4, height: 8))
        scale.height = 600
        #expect(scale.character(columns: 80, rows: 20) == ListSize(width: 4, height: 30))
        scale.width = nil
        #expect(scale.character(columns: 80, rows: 20) == ListSize(width: 5, height: 30))
    }

    @Test(arguments: [Key.interrupt, .character("q")])
    func keysEndIt(key: Key) {
        var viewer = ViewerFixture(count: 1)
        #expect(viewer.press(key) == .end)
        #expect(viewer.press(.redraw) == .redraw)
        #expect(viewer.press(.character("日")) == nothing)
    }

    // MARK: Drawing

    @Test func elementsAreDrawn() {
        var viewer = ViewerFixture(count: 10)
        viewer.press(.tab)
        #expect(
            viewer.lines == [
                "═ main ═════════════", "┏━━━━━━━━┓          ", "┃i0      ┃          ",
                "┗━━━━━━━━┛          ", "┌────────┐          ", "│i1      │          ",
                " room1 · i0 · flow …",
            ])
        viewer.press(.down, .down)
        // The title of a box that begins above the screen stays visible.
        #expect(viewer.lines.prefix(2) == ["┃i0      ┃          ", "┗━━━━━━━━┛          "])
    }

    @Test func smallBoxesHaveTitles() {
        var viewer = ViewerFixture(count: 2)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        for (number, height) in [(0, 10.0), (1, 20)] {
            let entry = ViewerFixture.appeared(item: number).to
            var flat = entry
            flat.element.frame.height = height
            change.changed.append(ViewChange.Changed(from: entry, to: flat))
        }
        _ = viewer.state.take(change)
        #expect(
            viewer.lines.prefix(6) == [
                "═ main ═════════════", "├i0──────┤          ", "                    ",
                "                    ", "┌i1──────┐          ", "└────────┘          ",
            ])
    }

    @Test func theLastRowSaysWhereOneIs() {
        var viewer = ViewerFixture(count: 10)
        _ = viewer.state.resize(to: ScreenSize(columns: 100, rows: 7))
        func status() -> String { viewer.lines.last ?? "" }
        #expect(status().hasPrefix(" room1 · flow · top · revision 1  "))
        #expect(status().hasSuffix("q quit · tab select · m move · l layout · arrows scroll "))
        viewer.press(.pageDown)
        #expect(status().contains("· 20% · revision 1  "))
        viewer.press(.end, .tab)
        #expect(status().contains("· i8 · flow · end · revision 1  "))
        viewer.state.connection = .interrupted("gone \u{1B}[2J")
        #expect(status().hasPrefix(" room1 · connection lost, trying again: gone �[2J "))
    }

    /// A window of usual width shows all keys, and truncates what does not fit beside them.
    @Test func keysAreSeenWhole() {
        var viewer = ViewerFixture(count: 10)
        _ = viewer.state.resize(to: ScreenSize(columns: 80, rows: 7))
        #expect(
            viewer.lines.last == " room1 · flow · top ·…  "
                + "q quit · tab select · m move · l layout · arrows scroll ")
    }

    @Test func anEmptyRoomIsSaidToBeEmpty() {
        var viewer = ViewerFixture(count: 0)
        #expect(viewer.lines[2] == "   room1 is empty   ")
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        change.appeared = [ViewerFixture.appeared(item: 0)]
        _ = viewer.state.take(change)
        #expect(!viewer.lines.contains { $0.contains("is empty") })
    }

    /// An item that can't be highlighted can't be selected either.
    @Test func whatMayNotBeSelectedIsPassedOver() throws {
        var viewer = ViewerFixture(count: 4)
        var change = ViewChange(revision: 2, bounds: viewer.state.bounds)
        for (number, flag) in [(0, ItemFlags.selectable), (2, .highlightable)] {
            let content = try ItemContent(flags: ItemFlags.all.subtracting(flag))
            var to = ViewerFixture.appeared(item: number).to
            to.content = .item(Item(id: id("i\(number)"), content: content))
            change.changed.append(ViewChange.Changed(from: to, to: to))
        }
        _ = viewer.state.take(change)
        viewer.press(.tab)
        #expect(viewer.state.selected == id("i1"))
        viewer.press(.tab)
        #expect(viewer.state.selected == id("i3"))
        viewer.press(.tab)
        #expect(viewer.state.selected == id("i3"))
        viewer.press(.backTab)
        #expect(viewer.state.selected == id("i1"))
        viewer.press(.backTab)
        #expect(viewer.state.selected == id("i1"))
        // A selected item may become unselectable.
        var to = ViewerFixture.appeared(item: 1).to
        let content = try ItemContent(flags: ItemFlags.all.subtracting(.selectable))
        to.content = .item(Item(id: id("i1"), content: content))
        change.changed = [ViewChange.Changed(from: to, to: to)]
        _ = viewer.state.take(change)
        #expect(viewer.state.selected == nil && viewer.state.selectedCell == nil)
    }
}
