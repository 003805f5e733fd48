import ModelSupport
import SyncClient
import SyncLayout
import SyncModel
import SyncWire
import Testing

/// Since when items on screens are as they are shown.
@Suite struct ShownItemTests {
    private let bounds = ListRect(x: 0, y: 0, width: 100, height: 100)
    private let layout = ViewLayout(.flow) { _ in }

    private func item(_ name: String, _ title: String) throws -> Item {
        let field = Field(name: id("title"), value: .text(title))
        return Item(id: id(name), content: try ItemContent(fields: [field]))
    }

    private func update(
        _ view: ViewNumber, _ number: UInt64, _ revision: Revision, _ items: [Item],
        at first: Int = 0, isFirst: Bool = true, hasMore: Bool = false
    ) -> ViewUpdate {
        let appeared = items.enumerated().map { index, item in
            ViewUpdate.Appeared(
                key: UInt32(number * 10) + UInt32(index),
                element: LayoutElement(
                    .cell(ItemPath(section: 0, item: first + index)), frame: bounds),
                of: item.id)
        }
        return ViewUpdate(
            room: 1, view: view, number: number, revision: revision, isFirst: isFirst,
            appeared: isFirst ? appeared : [], hasMore: hasMore, items: items)
    }

    private func revisions(_ table: ViewTable) -> [Identifier: Revision?] {
        Dictionary(uniqueKeysWithValues: table.shownItems.map { ($0.item.id, $0.revision) })
    }

    /// Each view shows a revision of its own, and no item is as new as the newest of them.
    @Test func eachItemHasThatOfItsView() throws {
        var table = ViewTable()
        let (top, end) = (
            table.open(layout: layout, bounds: bounds, overscan: 0),
            table.open(layout: layout, bounds: bounds, overscan: 0)
        )
        _ = try table.apply(update(top, 1, 4, [try item("a", "old"), try item("b", "both")]))
        _ = try table.apply(
            update(end, 1, 7, [try item("b", "new"), try item("c", "new")], at: 1))
        #expect(revisions(table) == [id("a"): 4, id("b"): 7, id("c"): 7])
    }

    /// Contents that are still to come may be older than the update that begins.
    @Test func aScreenThatIsNotWholeIsAsOldAsTheOneBefore() throws {
        var table = ViewTable()
        let view = table.open(layout: layout, bounds: bounds, overscan: 0)
        _ = try table.apply(update(view, 1, 4, [try item("a", "1")], hasMore: true))
        #expect(revisions(table) == [id("a"): nil])
        _ = try table.apply(update(view, 2, 4, [], isFirst: false))
        #expect(revisions(table) == [id("a"): 4])
        _ = try table.apply(update(view, 3, 9, [], isFirst: false, hasMore: true))
        #expect(revisions(table) == [id("a"): 4])
        _ = try table.apply(update(view, 4, 9, [try item("a", "2")], isFirst: false))
        #expect(revisions(table) == [id("a"): 9])
    }
}
