import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel

/// Measures layouts of very many items of mixed sizes: the first layout, questions, edits.
struct LayoutBenchmark {
    struct Figure {
        var name: String
        var measured: String
        var reach: String
        var beside: String?
    }

    private let items: Int
    private let rounds: Int
    private let sizes: [ListSize?]
    private var random: SplitMix64
    private let viewport = ListSize(width: 375, height: 667)
    /// The viewport at the start of the content.
    private var bounds: ListRect { ListRect(width: viewport.width, height: viewport.height) }

    init(items: Int, rounds: Int, seed: UInt64) {
        self.items = items
        self.rounds = rounds
        var random = SplitMix64(seed: seed)
        sizes = (0..<items).map { _ in LayoutBenchmark.size(&random) }
        self.random = random
    }

    /// A random size, like those of photographs.
    static func size(_ random: inout SplitMix64) -> ListSize {
        ListSize(width: Double(40 + random.below(100)), height: Double(40 + random.below(160)))
    }

    mutating func figures() throws -> [Figure] {
        // First, before others free memory that could be reused.
        let memory = try memory()
        var figures = [try fullWaterfall(), try fullFlow()]
        figures += try uniformFlow()
        for kind in LayoutSpec.Kind.allCases where kind != .circle {
            figures.append(try viewportQuery(kind))
        }
        figures.append(try wholeCircle())
        figures.append(try insertInFlow())
        figures.append(try resizeInWaterfall())
        figures.append(memory)
        return figures
    }

    // MARK: First layout

    private var waterfall: LayoutSpec {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = 4
        return spec
    }

    private func layout(_ spec: LayoutSpec) throws -> CollectionLayout {
        try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: viewport),
            sections: [SectionInput(items: .sizes(sizes))])
    }

    /// Lays everything out for another width, and back.
    private func secondsAnew(_ layout: CollectionLayout) throws -> Double {
        var isWide = false
        return try time {
            isWide.toggle()
            let width = isWide ? viewport.width + 5 : viewport.width
            try layout.change(
                to: LayoutEnvironment(viewport: ListSize(width: width, height: viewport.height)))
            precondition(layout.contentSize(in: bounds).height > 0, "there is some content")
        }
    }

    private func fullWaterfall() throws -> Figure {
        let seconds = try secondsAnew(layout(waterfall))
        let bare = try time { LayoutBenchmark.bareLoop(sizes) }
        return Figure(
            name: "full waterfall, 4 columns", measured: Report.milliseconds(seconds),
            reach: "≤ 20 ms", beside: "bare loop \(Report.milliseconds(bare))")
    }

    private func fullFlow() throws -> Figure {
        let seconds = try secondsAnew(layout(LayoutSpec(kind: .flow)))
        return Figure(
            name: "full mixed flow", measured: Report.milliseconds(seconds), reach: "≤ 15 ms")
    }

    /// The least work of a waterfall: it computes a column and a top for each item, into existing
    /// arrays.
    private static func bareLoop(_ sizes: [ListSize?]) {
        let width = 86.0
        var tops = (0.0, 0.0, 0.0, 0.0)
        withUnsafeMutablePointer(to: &tops) { tops in
            tops.withMemoryRebound(to: Double.self, capacity: 4) { tops in
                let places = [(Double, UInt8)](unsafeUninitializedCapacity: sizes.count) {
                    places, count in
                    for index in sizes.indices {
                        let size = sizes[index] ?? ListSize(width: 50, height: 50)
                        var column = 0
                        for other in 1..<4 where tops[other] < tops[column] { column = other }
                        places.initializeElement(at: index, to: (tops[column], UInt8(column)))
                        tops[column] += (size.height * width / size.width).rounded(.down) + 10
                    }
                    count = sizes.count
                }
                precondition(places.count == sizes.count, "every item has a place")
            }
        }
    }

    // MARK: Questions

    private func uniformFlow() throws -> [Figure] {
        let count = 1_000_000_000
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow), in: LayoutEnvironment(viewport: viewport),
            sections: [SectionInput(items: .count(count))])
        var random = random
        let asked = 100_000
        let items = (0..<asked).map { _ in random.below(count) }
        let seconds = try time {
            for item in items {
                let cell = layout.element(.cell(ItemPath(section: 0, item: item)), bounds: bounds)
                precondition(cell != nil, "there is such an item")
            }
        }
        let perRect = try secondsPerRect(layout)
        return [
            Figure(
                name: "a frame of \(count) in a uniform flow",
                measured: LayoutBenchmark.microseconds(seconds / Double(asked)), reach: "≤ 1 µs"),
            Figure(
                name: "a viewport's elements there",
                measured: LayoutBenchmark.microseconds(perRect.seconds),
                reach: "≤ 1 µs a frame",
                beside: "\(perRect.elements) elements, "
                    + LayoutBenchmark.microseconds(perRect.seconds / Double(perRect.elements))
                    + " each"),
        ]
    }

    /// The time of a viewport-sized rectangle at random places, and the number of elements in one.
    private func secondsPerRect(
        _ layout: CollectionLayout
    ) throws -> (seconds: Double, elements: Int) {
        var random = random
        let length = layout.layout.scrollDirection.main(layout.contentSize(in: bounds))
        let rects = (0..<1000).map { _ in
            let offset = Double(random.below(1 << 30)) / Double(1 << 30) * length
            let point = layout.layout.scrollDirection.point(main: offset, cross: 0)
            return ListRect(x: point.x, y: point.y, width: viewport.width, height: viewport.height)
        }
        var elements = 0
        let seconds = try time {
            elements = 0
            for rect in rects { elements += try layout.elements(in: rect, bounds: rect).count }
        }
        return (seconds / Double(rects.count), max(1, elements / rects.count))
    }

    private func viewportQuery(_ kind: LayoutSpec.Kind) throws -> Figure {
        var spec = LayoutSpec(kind: kind)
        if kind == .waterfall { spec = waterfall }
        let layout = try layout(spec)
        let perRect = try secondsPerRect(layout)
        return Figure(
            name: "elements in a viewport, \(kind.rawValue)",
            measured: LayoutBenchmark.microseconds(perRect.seconds),
            reach: "≤ 20 µs", beside: "\(perRect.elements) elements")
    }

    /// A circle is no longer than the viewport, so every viewport shows all of it.
    private func wholeCircle() throws -> Figure {
        let layout = try layout(LayoutSpec(kind: .circle))
        let watch = Stopwatch()
        let elements = try layout.elements(in: bounds, bounds: bounds).count
        let seconds = watch.seconds
        return Figure(
            name: "elements in a viewport, circle: all of them",
            measured: Report.milliseconds(seconds), reach: "≤ 1 µs a frame",
            beside: "\(elements) elements, "
                + LayoutBenchmark.microseconds(seconds / Double(max(1, elements))) + " each")
    }

    // MARK: Edits

    private func insertInFlow() throws -> Figure {
        let layout = try layout(LayoutSpec(kind: .flow))
        var random = random
        let seconds = try edit(layout) { item in
            let size = LayoutBenchmark.size(&random)
            var stage = Stage()
            stage.inserts = [.init(path: item, item: try LayoutBenchmark.item(size))]
            return stage
        }
        return Figure(
            name: "insert in the middle of a mixed flow, then the viewport",
            measured: LayoutBenchmark.microseconds(seconds), reach: "≤ 100 µs",
            beside: twinText(LayoutSpec(kind: .flow)))
    }

    private func resizeInWaterfall() throws -> Figure {
        let layout = try layout(waterfall)
        var random = random
        let seconds = try edit(layout) { item in
            let size = LayoutBenchmark.size(&random)
            var stage = Stage()
            stage.reloads = [.init(path: item, item: try LayoutBenchmark.item(size))]
            return stage
        }
        return Figure(
            name: "resize near the viewport of a waterfall, then the viewport",
            measured: LayoutBenchmark.microseconds(seconds), reach: "≤ 1 ms",
            beside: twinText(waterfall))
    }

    /// The time of a plain layout. It computes everything again after a change, and then searches
    /// all elements for those on the screen.
    private func twinText(_ spec: LayoutSpec) -> String {
        let watch = Stopwatch()
        let bounds = ListRect(y: 100_000, width: viewport.width, height: viewport.height)
        let twin = LayoutTwin(
            spec, in: LayoutEnvironment(viewport: viewport),
            sections: [SectionInput(items: .sizes(sizes))], bounds: bounds)
        precondition(!twin.elements(in: bounds).isEmpty, "there is something on the screen")
        return "all anew, plainly: \(Report.milliseconds(watch.seconds))"
    }

    private func edit(
        _ layout: CollectionLayout, _ make: (ItemPath) throws -> Stage
    ) throws -> Double {
        let path = ItemPath(section: 0, item: items / 2)
        guard let cell = layout.element(.cell(path), bounds: ListRect()) else { return 0 }
        let bounds = ListRect(
            y: cell.frame.y - 100, width: viewport.width, height: viewport.height)
        return try median {
            let batch = Batch(from: 0, to: 1, stages: [try make(path)], sections: 1)
            let watch = Stopwatch()
            try layout.apply(batch)
            let elements = try layout.elements(in: bounds, bounds: bounds)
            let seconds = watch.seconds
            precondition(!elements.isEmpty, "there is something on the screen")
            return seconds
        }
    }

    private static func item(_ size: ListSize) throws -> Item {
        Item(id: Identifier("new"), content: try ItemContent(size: size))
    }

    private func memory() throws -> Figure {
        let before = residentBytes()
        let flow = try layout(LayoutSpec(kind: .flow))
        precondition(flow.contentSize(in: bounds).height > 0, "it is laid out")
        let bytes = Double(residentBytes() - before) / Double(items)
        return Figure(
            name: "memory an item of a mixed flow", measured: "\(Int(bytes.rounded(.up))) bytes",
            reach: "≤ 32 bytes")
    }

    // MARK: Time

    private func time(_ body: () throws -> Void) throws -> Double {
        try median {
            let watch = Stopwatch()
            try body()
            return watch.seconds
        }
    }

    private func median(_ seconds: () throws -> Double) throws -> Double {
        let all = try (0..<rounds).map { _ in try seconds() }.sorted()
        return all[all.count / 2]
    }

    private static func microseconds(_ seconds: Double) -> String {
        let tenths = (seconds * 1e7).rounded() / 10
        return seconds < 1e-6 ? "\((seconds * 1e9).rounded()) ns" : "\(tenths) µs"
    }
}
