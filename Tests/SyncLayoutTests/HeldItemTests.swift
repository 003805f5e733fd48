import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter HeldItemTests`.
@Suite("An item held over another place")
struct HeldItemTests {
    @Test(
        "the other items are where they are after a drop",
        arguments: LayoutSpec.Kind.allCases)
    func preview(kind: LayoutSpec.Kind) throws {
        try LayoutTests.forEachSeed(kind, 300) { try difference(kind, $0) }
    }

    private func difference(_ kind: LayoutSpec.Kind, _ seed: UInt64) throws -> String? {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        var history = LayoutHistory(input.sections)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: history.inputs)
        for _ in 0..<4 {
            try layout.apply(try history.change(using: &numbers))
            guard let held = history.heldItem(using: &numbers) else { continue }
            let before = try layout.elements(bounds: input.bounds)
            let size = layout.contentSize(in: input.bounds)
            let preview = Preview(input, history.inputs, held)
            let comparison = LayoutTwinComparison(largest: preview.twin.largest)
            for rect in rects(using: &numbers) where !preview.twin.isKnifeEdge {
                let given = try layout.elements(in: rect, bounds: input.bounds, holding: held)
                let expected = preview.elements(in: rect)
                if let difference = comparison.difference(given, expected: expected) {
                    return "\(held) in \(rect): \(difference)\n\(input.spec)"
                }
            }
            let after = try layout.elements(bounds: input.bounds)
            if let difference = comparison.difference(after, expected: before) {
                return "\(held), afterwards: \(difference)\n\(input.spec)"
            }
            if !comparison.isSame(layout.contentSize(in: input.bounds), size) {
                return "the content's size differs"
            }
        }
        return nil
    }

    /// Everything, and rectangles whose edges are unlikely to touch a frame.
    private func rects(using numbers: inout RandomNumbers) -> [ListRect] {
        let some = (0..<3).map { _ in
            ListRect(
                x: numbers.usual(-100...500) + 0.12345678,
                y: numbers.usual(-100...2000) + 0.12345678,
                width: numbers.usual(0...500), height: numbers.usual(0...700))
        }
        return some + [ListRect(x: -1e6, y: -1e6, width: 1e9, height: 1e9)]
    }

    @Test("a missing path or target is an error, and changes nothing")
    func badPaths() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 200, height: 100)),
            sections: [SectionInput(items: .count(3)), SectionInput(items: .sizes([nil, nil]))])
        let bounds = ListRect(width: 200, height: 100)
        let before = try layout.elements(bounds: bounds)
        let paths = [(0, 3), (0, -1), (2, 0), (-1, 0), (Int.max, Int.max), (0, Int.min)]
        let targets = [(0, 3), (1, 3), (0, -1), (2, 0), (-1, 0), (1, Int.max)]
        var all = paths.map { ($0, (0, 0)) }
        all += targets.map { ((0, 1), $0) }
        for (path, target) in all {
            let held = HeldItem(
                path: ItemPath(section: path.0, item: path.1),
                target: ItemPath(section: target.0, item: target.1), center: ListPoint())
            #expect(throws: LayoutError.batchMismatch, "\(held)") {
                try layout.elements(in: bounds, bounds: bounds, holding: held)
            }
        }
        #expect(try layout.elements(bounds: bounds) == before)
    }

    @Test("if a section has no room for an item of another size, nothing changes")
    func noRoom() throws {
        let large = ListSize(width: 70, height: 70)
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 200, height: 100)),
            sections: [
                SectionInput(items: .sizes([large, nil])), SectionInput(items: .count(1 << 26)),
            ])
        let bounds = ListRect(width: 200, height: 100)
        let before = try layout.elements(in: bounds, bounds: bounds)
        let held = HeldItem(
            path: ItemPath(section: 0, item: 0), target: ItemPath(section: 1, item: 5),
            center: ListPoint(x: 10, y: 10))
        #expect(throws: LayoutError.itemCount(section: 1, limit: 1 << 26)) {
            try layout.elements(in: bounds, bounds: bounds, holding: held)
        }
        #expect(try layout.elements(in: bounds, bounds: bounds) == before)
    }
}

/// The expected screen while an item is held, from the collection laid out with the item moved.
private struct Preview {
    let twin: LayoutTwin
    private let held: HeldItem
    /// The paths of items without the preview, by their paths in it.
    private var paths: [[ItemPath]]

    init(_ input: RandomLayoutInput, _ inputs: [SectionInput], _ held: HeldItem) {
        self.held = held
        var moved = inputs
        paths = inputs.enumerated().map { index, section in
            (0..<section.count).map { ItemPath(section: index, item: $0) }
        }
        var sizes: [[ListSize?]] = inputs.map { section in
            switch section.items {
            case .count(let count): Array(repeating: nil, count: count)
            case .sizes(let sizes): sizes
            }
        }
        let size = sizes[held.path.section].remove(at: held.path.item)
        sizes[held.target.section].insert(size, at: held.target.item)
        let path = paths[held.path.section].remove(at: held.path.item)
        paths[held.target.section].insert(path, at: held.target.item)
        for index in moved.indices { moved[index].items = .sizes(sizes[index]) }
        twin = LayoutTwin(
            input.spec, in: input.environment, sections: moved, bounds: input.bounds)
    }

    func elements(in rect: ListRect) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        var own: LayoutElement?
        for var element in twin.elements {
            switch element.identity {
            case .cell(let path):
                element.identity = .cell(paths[path.section][path.item])
                if element.identity == .cell(held.path), let center = held.center {
                    element.frame.x = center.x - element.frame.width / 2
                    element.frame.y = center.y - element.frame.height / 2
                    element.zIndex = HeldItem.zIndex
                    own = element
                    continue
                }
            case .itemSupplementary(let kind, let path):
                element.identity = .itemSupplementary(
                    kind: kind, paths[path.section][path.item])
            case .supplementary, .decoration: break
            }
            elements.append(element)
        }
        return (elements + [own].compactMap { $0 }).filter { $0.frame.intersects(rect) }
    }
}
