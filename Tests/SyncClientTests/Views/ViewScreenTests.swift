import EngineTwin
import SeededRandom
import SyncClient
import SyncLayout
import SyncModel
import SyncWire
import Testing

@Suite struct ViewScreenTests {
    private static let bounds = ListRect(x: 0, y: 40, width: 320, height: 480)

    /// Compares the elements of a screen with those of the model, in any order.
    private static func expect(
        _ screen: ViewScreen, shows model: ScreenModel, _ comment: Comment
    ) {
        let shown = screen.snapshot
        #expect(shown.revision == model.revision, comment)
        #expect(shown.contentSize == model.contentSize, comment)
        #expect(shown.elements.count == model.shown.count, comment)
        var identities = Dictionary(
            grouping: model.shown.values, by: \.element.identity)
        for element in shown.elements {
            let expected = identities[element.element.identity]?.popLast()
            #expect(expected?.element == element.element, comment)
            #expect(expected?.content == element.content, comment)
        }
    }

    /// Updates lead from any screen to any other, and a follower of the changes sees the same.
    @Test(arguments: 0..<20) func followsTheUpdates(seed: UInt64) throws {
        var generator = ScreenGenerator(seed: seed)
        var sender = ScreenSender()
        var screen = ViewScreen(bounds: Self.bounds)
        var follower = ScreenFollower()
        for _ in 0..<60 {
            let next = try generator.next()
            let size = screen.contentSize
            let change = try screen.apply(sender.update(to: next))
            follower.follow(change, "seed \(seed)")
            Self.expect(screen, shows: next, "seed \(seed)")
            #expect(screen.snapshot.elements == follower.sorted, "seed \(seed)")
            #expect(change.contentSize ?? size == next.contentSize, "seed \(seed)")
        }
    }

    /// The first update of a new connection is reported as the difference from the former screen.
    /// The same thing keeps its key, and is left out if it is equal.
    @Test(arguments: 0..<20) func aFirstUpdateIsADifference(seed: UInt64) throws {
        var generator = ScreenGenerator(seed: seed &+ 100)
        var screen = ViewScreen(bounds: Self.bounds)
        var follower = ScreenFollower()
        var old = ScreenModel()
        var changes = 0
        for _ in 0..<60 {
            var sender = ScreenSender()
            let next = generator.random.chance(20) ? old : try generator.next()
            screen.didLoseConnection()
            let change = try screen.apply(sender.update(to: next))
            follower.follow(change, "seed \(seed)")
            Self.expect(screen, shows: next, "seed \(seed)")
            #expect(screen.snapshot.elements == follower.sorted, "seed \(seed)")
            let same = next.shown.keys.filter { part in
                old.shown[part] != nil
            }
            let different = same.filter { old.shown[$0] != next.shown[$0] }
            #expect(change.changed.count == different.count, "seed \(seed)")
            #expect(change.appeared.count == next.shown.count - same.count, "seed \(seed)")
            #expect(change.disappeared.count == old.shown.count - same.count, "seed \(seed)")
            changes += change.changed.count
            old = next
        }
        #expect(changes > 50, "seed \(seed) keeps too few things to prove anything")
    }

    /// Arbitrary updates are applied or are an error, and an error changes nothing.
    @Test(arguments: 0..<20) func survivesWrongUpdates(seed: UInt64) throws {
        var generator = ScreenGenerator(seed: seed &+ 200)
        var screen = ViewScreen(bounds: Self.bounds)
        var follower = ScreenFollower()
        var taken = 0
        var refused = 0
        for _ in 0..<600 {
            let before = screen.snapshot
            let number = screen.number
            let update = try Self.wrongUpdate(after: number, &generator)
            do throws(ViewScreenError) {
                follower.follow(try screen.apply(update), "seed \(seed)")
                #expect(screen.snapshot.elements == follower.sorted, "seed \(seed)")
                taken += 1
            } catch {
                #expect(screen.number == number, "seed \(seed)")
                #expect(screen.snapshot == before, "seed \(seed)")
                refused += 1
            }
        }
        #expect(taken > 50, "seed \(seed)")
        #expect(refused > 50, "seed \(seed)")
    }

    private static func wrongUpdate(
        after number: UInt64, _ generator: inout ScreenGenerator
    ) throws -> ViewUpdate {
        var update = ViewUpdate(
            room: 1, view: 1, number: number &+ 1, revision: generator.random.next(),
            isFirst: generator.random.chance(10))
        if generator.random.chance(10) { update.head.number = generator.random.next() }
        if generator.random.chance(10) { update.shift = ListPoint(x: .infinity, y: 1) }
        if generator.random.chance(10) {
            update.contentSize = ListSize(width: .infinity, height: -1)
        }
        for _ in 0..<generator.random.below(3) {
            let path = ItemPath(section: generator.random.below(3), item: generator.random.below(3))
            let element = generator.element(
                generator.random.chance(50)
                    ? .cell(path) : .itemSupplementary(kind: "badge", path))
            update.appeared.append(
                .init(
                    key: key(&generator), element: element,
                    of: try Identifier("i\(generator.random.below(3))")))
        }
        var told = (0..<3).filter { _ in generator.random.chance(70) }
        if generator.random.chance(10) { told.append(1) }
        update.items = try told.map { try item($0, &generator) }
        for _ in 0..<generator.random.below(2) {
            var patch = ElementPatch()
            patch.section = Int(UInt32.max)
            patch.zIndex = generator.random.chance(50) ? .min : .max
            patch.alpha = .infinity
            update.changed.append(.init(key: key(&generator), to: patch))
        }
        for _ in 0..<generator.random.below(2) {
            update.disappeared.append(.init(key: key(&generator)))
        }
        return update
    }

    private static func key(_ generator: inout ScreenGenerator) -> UInt32 {
        generator.random.chance(5) ? .max : UInt32(generator.random.below(8))
    }

    private static func item(_ number: Int, _ generator: inout ScreenGenerator) throws -> Item {
        Item(id: try Identifier("i\(number)"), content: try generator.itemContent())
    }

    // MARK: Damaged updates

    private func cell(_ key: UInt32, _ item: Int) throws -> ViewUpdate.Appeared {
        ViewUpdate.Appeared(
            key: key,
            element: LayoutElement(.cell(ItemPath(section: 0, item: item)), frame: ListRect()),
            of: try Identifier("i\(item)"))
    }

    /// A screen with an element under the key 7, after one update.
    private func screen() throws -> ViewScreen {
        var screen = ViewScreen(bounds: Self.bounds)
        _ = try screen.apply(
            ViewUpdate(
                room: 1, view: 1, number: 1, revision: 5, isFirst: true, appeared: [cell(7, 0)],
                items: [Item(id: "i0")]))
        return screen
    }

    private func expect(
        _ error: ViewScreenError, _ screen: ViewScreen, number: UInt64 = 2,
        _ change: (inout ViewUpdate) throws -> Void
    ) rethrows {
        var screen = screen
        var update = ViewUpdate(room: 1, view: 1, number: number, revision: 6)
        try change(&update)
        #expect(throws: error) { try screen.apply(update) }
    }

    @Test func onlyTheNextUpdateFollows() throws {
        expect(.wrongNumber(current: 0, 1), ViewScreen(bounds: Self.bounds), number: 1) { _ in }
        expect(.wrongNumber(current: 1, 3), try screen(), number: 3) { _ in }
        expect(.wrongNumber(current: 1, 1), try screen(), number: 1) { _ in }
        var lost = try screen()
        lost.didLoseConnection()
        expect(.wrongNumber(current: 0, 1), lost, number: 1) { _ in }
        #expect(lost.snapshot.elements.count == 1)
    }

    @Test func keysMustFit() throws {
        let held = try screen()
        expect(.unknownKey(8), held) { $0.changed = [.init(key: 8, to: ElementPatch())] }
        expect(.unknownKey(8), held) { $0.disappeared = [.init(key: 8)] }
        try expect(.repeatedKey(7), held) { $0.appeared = [try cell(7, 0)] }
        try expect(.repeatedKey(8), held) { $0.appeared = [try cell(8, 0), try cell(8, 0)] }
        expect(.repeatedKey(7), held) { $0.disappeared = [.init(key: 7), .init(key: 7)] }
        expect(.repeatedKey(7), held) {
            $0.changed = [.init(key: 7, to: ElementPatch())]
            $0.disappeared = [.init(key: 7)]
        }
        expect(.unknownKey(7), held, number: 1) {
            $0.isFirst = true
            $0.disappeared = [.init(key: 7)]
        }
    }

    @Test func whatIsShownMustBeKnown() throws {
        let held = try screen()
        try expect(.unknownThing("i1"), held) { $0.appeared = [try cell(8, 1)] }
        expect(.repeatedThing("i1"), held) { $0.items = [Item(id: "i1"), Item(id: "i1")] }
        // An item's id is not the id of a section.
        let header = LayoutElement(.supplementary(kind: "header", section: 0), frame: ListRect())
        expect(.unknownThing("i0"), held) {
            $0.appeared = [.init(key: 8, element: header, of: "i0")]
        }
        // Contents from before a lost connection are gone.
        try expect(.unknownThing("i0"), held, number: 1) {
            $0.isFirst = true
            $0.appeared = [try cell(7, 0)]
        }
    }

    /// A content is sent once for all elements that show it, and kept as long as one of them
    /// exists.
    @Test func contentsAreStoredOnce() throws {
        let title = Field(name: "title", value: "Milk")
        let milk = Item(id: "i0", content: try ItemContent(fields: [title]))
        var screen = try screen()
        let empty = screen.byteCount
        let path = ItemPath(section: 0, item: 0)
        let badge = LayoutElement(.itemSupplementary(kind: "badge", path), frame: ListRect())
        var update = ViewUpdate(
            room: 1, view: 1, number: 2, revision: 6,
            appeared: [.init(key: 8, element: badge, of: "i0")])
        _ = try screen.apply(update)
        #expect(screen.byteCount == empty)
        update = ViewUpdate(
            room: 1, view: 1, number: 3, revision: 7, disappeared: [.init(key: 7)],
            items: [milk])
        let change = try screen.apply(update)
        #expect(change.changed.map(\.newContent) == [.item(milk)])
        #expect(screen.byteCount > empty)
        update = ViewUpdate(
            room: 1, view: 1, number: 4, revision: 7, disappeared: [.init(key: 8)])
        _ = try screen.apply(update)
        #expect(screen.byteCount == 0)
        // The content of an item that no element shows is not kept.
        update = ViewUpdate(
            room: 1, view: 1, number: 5, revision: 7, items: [Item(id: "i0")])
        _ = try screen.apply(update)
        #expect(screen.byteCount == 0 && screen.snapshot.elements.isEmpty)
    }

    /// Changes report in full how elements appear and disappear.
    @Test func reportsHowElementsAppearAndDisappear() throws {
        var screen = try screen()
        var faded = ElementPatch()
        faded.alpha = 0
        var update = ViewUpdate(
            room: 1, view: 1, number: 2, revision: 6, shift: ListPoint(x: 0, y: 90),
            appeared: [try cell(8, 1)], disappeared: [.init(key: 7, final: faded)],
            items: [Item(id: "i1")])
        update.appeared[0].initial = faded
        let change = try screen.apply(update)
        #expect(change.appeared.map(\.initial.alpha) == [0])
        #expect(change.appeared.map(\.to.element.alpha) == [1])
        #expect(change.disappeared.map(\.from.element.alpha) == [1])
        #expect(change.disappeared.map(\.final.alpha) == [0])
        #expect(change.shift == ListPoint(x: 0, y: 90))
        #expect(screen.bounds == ListRect(x: 0, y: 130, width: 320, height: 480))
        #expect(change.bounds == screen.bounds)
        #expect(screen.snapshot.elements.map(\.key) == [2])
    }
}
