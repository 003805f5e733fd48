import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// The cost of layouts, in steps and bytes. Tests have short runs and small chunks, so each bound
/// here is many times that of a release build.
@Suite struct LayoutCostTests {
    private let bounds = ListRect(width: 320, height: 480)

    private func layout(
        columns: Int, counts: [Int], byteLimit: Int = .max
    ) throws(LayoutError) -> CollectionLayout {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = columns
        return try CollectionLayout(
            spec.makeLayout(), in: LayoutEnvironment(viewport: bounds.size),
            sections: counts.map { count in
                SectionInput(
                    items: .sizes((0..<count).map { ListSize(width: 9, height: Double($0)) }))
            }, byteLimit: byteLimit)
    }

    @Test("many sections of 1024 columns store only columns that items can reach")
    func columnsOfSmallSections() throws {
        let counts = Array(repeating: 2, count: 2000)
        let (few, many) = (
            try layout(columns: 2, counts: counts), try layout(columns: 1024, counts: counts)
        )
        _ = many.contentSize(in: bounds)
        #expect(many.byteCount < 2000 * 1500, "\(many.byteCount)")
        #expect(many.byteCount <= few.byteCount)
        #expect(many.work.steps < 2000 * 80, "\(many.work.steps)")
    }

    @Test("in a thousand columns an item costs far less than a scan")
    func manyColumns() throws {
        func steps(_ columns: Int) throws -> Int {
            let layout = try layout(columns: columns, counts: [3000])
            _ = layout.contentSize(in: bounds)
            let before = layout.work.steps
            var stage = Stage()
            stage.inserts = [
                Stage.PlacedItem(
                    path: ItemPath(section: 0, item: 0),
                    item: Item(id: Identifier("new"), content: ItemContent()))
            ]
            try layout.apply(Batch(from: 0, to: 1, stages: [stage], sections: 1, counts: []))
            _ = layout.contentSize(in: bounds)
            return layout.work.steps - before
        }
        // Runs have only a few items here, and each copies the columns.
        #expect(try steps(1024) < 3000 * (1024 / 4), "a scan of all columns would be 1024 an item")
        #expect(try steps(4) < 3000 * 4)
    }

    @Test("an early edit updates the starts of later sections, and lays none of them out")
    func editInFront() throws {
        let layout = try layout(columns: 3, counts: Array(repeating: 20, count: 1000))
        _ = layout.contentSize(in: bounds)
        let before = layout.work.steps
        var stage = Stage()
        stage.deletes = [ItemPath(section: 0, item: 0)]
        try layout.apply(Batch(from: 0, to: 1, stages: [stage], sections: 1000, counts: []))
        _ = layout.contentSize(in: bounds)
        let steps = layout.work.steps - before
        #expect(steps < 1000, "of 20000 items: \(steps)")
    }

    @Test("a layout that needs too many bytes is refused", arguments: [1, 2, 1024])
    func byteLimit(columns: Int) throws {
        let counts = Array(repeating: 10, count: 100)
        let bytes = try layout(columns: columns, counts: counts).byteCount
        _ = try layout(columns: columns, counts: counts, byteLimit: bytes)
        #expect(throws: LayoutError.tooLarge(bytes: bytes - 1)) {
            try layout(columns: columns, counts: counts, byteLimit: bytes - 1)
        }
        #expect(LayoutError.tooLarge(bytes: 1).code == "limitExceeded")
        let full = try layout(columns: columns, counts: counts, byteLimit: bytes)
        var stage = Stage()
        let item = Item(id: Identifier("new"), content: ItemContent())
        stage.inserts = (0..<200).map {
            Stage.PlacedItem(path: ItemPath(section: 50, item: $0), item: item)
        }
        #expect(throws: LayoutError.tooLarge(bytes: bytes)) {
            try full.apply(Batch(from: 0, to: 1, stages: [stage], sections: 100, counts: []))
        }
    }

    /// Any number of columns, and more or fewer items than columns, laid out item by item.
    @Test("many columns are filled as by a scan of all", arguments: UInt64(0)..<60)
    func shortestOfMany(seed: UInt64) throws {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        var metrics = ColumnsBody.Metrics()
        metrics.columns = 1 + numbers.below(numbers.pick([3, 20, 70, 300]) ?? 20)
        metrics.columnWidth = 10
        metrics.columnSpacing = 1
        metrics.spacing = numbers.pick([0, 0.125, 1]) ?? 0
        metrics.sizing = .absolute
        metrics.direction =
            numbers.pick([.shortestFirst, .shortestFirst, .leftToRight, .rightToLeft])
            ?? .shortestFirst
        func size() -> ListSize { ListSize(width: 10, height: Double(numbers.below(4)) / 4) }
        let list = SizeList(
            (0..<numbers.below(50)).map { _ in size() }, absent: ListSize(width: 0, height: 0))
        list.makeChunks()
        var body = ColumnsBody(list, metrics)
        for _ in 0..<40 {
            let isInsert = list.count == 0 || numbers.chance(70)
            let place = numbers.below(list.count + (isInsert ? 1 : 0))
            var follows = true
            func follow(_ change: SizeList.Change) { follows = body.follow(change) && follows }
            for _ in 0..<(isInsert ? 1 + numbers.below(9) : 1) {
                if isInsert {
                    list.insert(size(), at: place, follow)
                } else {
                    _ = list.remove(at: place, follow)
                }
            }
            if !follows { body = ColumnsBody(list, metrics) }
            try expectPlaces(of: list, metrics, in: body)
        }
    }

    private func expectPlaces(
        of list: SizeList, _ metrics: ColumnsBody.Metrics, in body: ColumnsBody
    ) throws {
        var tops = Array(repeating: 0.0, count: metrics.columns)
        for item in 0..<list.count {
            let column =
                switch metrics.direction {
                case .shortestFirst:
                    tops.indices.min { (tops[$0], $0) < (tops[$1], $1) } ?? 0
                case .leftToRight: item % metrics.columns
                case .rightToLeft: metrics.columns - 1 - item % metrics.columns
                }
            let place = AxisRect(
                main: tops[column], cross: 11 * Double(column), mainLength: list[item].height,
                crossLength: 10)
            try #require(body.place(of: item) == place, "item \(item) of \(list.count)")
            tops[column] += list[item].height + metrics.spacing
        }
        let end = (tops.max() ?? 0) - metrics.spacing
        #expect(body.length == max(0, end))
    }
}
