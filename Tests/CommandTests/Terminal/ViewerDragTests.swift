import CollSync
import ModelSupport
import SyncModel
import Testing

@testable import collsync_cli

/// Dragging by keyboard, tested on the state of the viewer.
@Suite struct ViewerDragTests {
    private let first = id("i0")

    /// A viewer of ten items that drags the first one.
    private func carrying() -> ViewerFixture {
        var viewer = ViewerFixture(count: 10)
        viewer.press(.tab)
        #expect(viewer.press(.character("m")) == .requests([.beginDrag(first)]))
        return viewer
    }

    @Test func nothingIsPickedUpWhereNothingIsSelected() {
        var viewer = ViewerFixture(count: 10)
        #expect(viewer.press(.character("m")) == .requests([]))
        #expect(viewer.press(.enter) == .requests([]))
        #expect(viewer.state.carried == nil)
    }

    /// Each key moves the item to the far end of its next neighbour, and the screen scrolls there.
    @Test func itemsAreCarriedOverTheirNeighbours() {
        var viewer = carrying()
        #expect(viewer.state.carried?.point == ListPoint(x: 25, y: 25))
        #expect(
            viewer.press(.down)
                == .requests([.scroll(ListPoint(y: 10)), .drag(ListPoint(x: 25, y: 69.5))]))
        #expect(
            viewer.press(.character("j"))
                == .requests([.scroll(ListPoint(y: 40)), .drag(ListPoint(x: 25, y: 99.5))]))
        #expect(
            viewer.press(.up)
                == .requests([.drag(ListPoint(x: 25, y: 70.5))]))
        #expect(viewer.press(.left) == .requests([]))
        #expect(viewer.press(.tab, .character("l"), .character("x")) == .requests([]))
        #expect(viewer.state.spec.kind == .flow)
        #expect(viewer.press(.enter) == .requests([.endDrag]))
        // Keys have no effect until the answer has come.
        #expect(viewer.press(.down, .escape, .enter) == .requests([]))
        #expect(viewer.state.carried?.isDropped == true)
        viewer.state.dragDidEnd(nil)
        #expect(viewer.state.carried == nil)
        #expect(viewer.state.notice == nil)
        #expect(viewer.state.selected == first)
    }

    @Test func dragsAreCancelled() {
        var viewer = carrying()
        #expect(viewer.press(.escape) == .requests([.cancelDrag]))
        #expect(viewer.state.carried == nil)
        #expect(viewer.press(.character("q")) == .end)
    }

    @Test func whatIsCarriedStaysOnTheScreen() {
        var viewer = carrying()
        #expect(
            viewer.press(.pageDown)
                == .requests([.scroll(ListPoint(y: 50)), .drag(ListPoint(x: 25, y: 75))]))
        var change = ViewChange(
            revision: 2, bounds: ListRect(y: 80, width: 100, height: 60), shift: ListPoint(y: 30))
        change.contentSize = ListSize(width: 100, height: 340)
        #expect(viewer.state.take(change) == [])
        #expect(viewer.state.carried?.point == ListPoint(x: 25, y: 105))
        #expect(
            viewer.press(.end)
                == .requests([.scroll(ListPoint(y: 280)), .drag(ListPoint(x: 25, y: 305))]))
    }

    @Test func whatEndsADragIsSaid() {
        var viewer = carrying()
        _ = viewer.state.resize(to: ScreenSize(columns: 100, rows: 7))
        #expect(viewer.lines.last?.contains("· moving · i0 ") == true)
        #expect(viewer.lines.last?.hasSuffix("enter drops · esc cancels · arrows carry ") == true)
        #expect(viewer.lines[1].hasPrefix("╔════════╗"))
        viewer.state.dragDidEnd("i0 can't be moved")
        #expect(viewer.lines.last?.hasPrefix(" i0 can't be moved ") == true)
        #expect(viewer.lines[1].hasPrefix("┏━━━━━━━━┓"))
        viewer.press(.redraw)
        #expect(viewer.lines.last?.hasPrefix(" room1 ") == true)
        // The end of a drag that is already over causes no message.
        viewer.state.dragDidEnd("too late")
        #expect(viewer.state.notice == nil)
    }

    /// In a grid the item goes to the neighbour straight ahead. A section without cells accepts
    /// items at its header.
    @Test func neighboursLieStraightAhead() {
        var viewer = ViewerFixture(count: 0)
        _ = viewer.state.resize(to: ScreenSize(columns: 80, rows: 40))
        var change = ViewChange(revision: 1, bounds: viewer.state.bounds)
        change.contentSize = ListSize(width: 400, height: 390)
        for number in 0..<6 {
            var entry = ViewerFixture.appeared(item: number)
            // Two rows of three, the second a little to the right.
            entry.to.element.frame = ListRect(
                x: Double(number % 3) * 100 + Double(number / 3) * 20,
                y: 20 + Double(number / 3) * 100, width: 90, height: 50)
            change.appeared.append(entry)
        }
        var empty = ViewerFixture.header(y: 300).to
        empty.key = 100
        empty.element.identity = .supplementary(kind: LayoutElement.header, section: 1)
        change.appeared.append(ViewChange.Appeared(initial: empty.element, to: empty))
        _ = viewer.state.take(change)
        viewer.press(.tab, .enter)
        func carry(_ key: Key) -> ListPoint? {
            viewer.press(key)
            return viewer.state.carried?.point
        }
        #expect(carry(.right) == ListPoint(x: 189.5, y: 45))
        #expect(carry(.down) == ListPoint(x: 165, y: 169.5))
        #expect(carry(.right) == ListPoint(x: 309.5, y: 145))
        #expect(carry(.left) == ListPoint(x: 220.5, y: 145))
        #expect(carry(.down) == ListPoint(x: 50, y: 309.5))
        #expect(carry(.down) == ListPoint(x: 50, y: 309.5))
    }
}
