import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter LayoutPreviewTests`.
@Suite("Several items held over other places")
struct LayoutPreviewTests {
    @Test("all is as after one drop after the other", arguments: LayoutSpec.Kind.allCases)
    func previews(kind: LayoutSpec.Kind) throws {
        try LayoutTests.forEachSeed(kind, 200) { try difference(kind, $0) }
    }

    private func difference(_ kind: LayoutSpec.Kind, _ seed: UInt64) throws -> String? {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        let history = LayoutHistory(input.sections)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: history.inputs)
        let before = try layout.elements(bounds: input.bounds)
        let preview = LayoutPreview(of: layout)
        var dropped = Dropped(history.inputs)
        for _ in 0..<3 {
            guard let held = history.heldItem(using: &numbers), dropped.drop(held) else {
                continue
            }
            try preview.hold(
                HeldItem(path: held.path, target: held.target, center: nil))
        }
        let twin = LayoutTwin(
            input.spec, in: input.environment, sections: dropped.inputs, bounds: input.bounds)
        let comparison = LayoutTwinComparison(largest: twin.largest)
        let everything = ListRect(x: -1e6, y: -1e6, width: 1e9, height: 1e9)
        if !twin.isKnifeEdge {
            var shown: [LayoutElement] = []
            try preview.read(&shown, in: everything, bounds: input.bounds, limit: 100_000)
            let expected = twin.elements.map { dropped.named($0) }
            let visible = expected.filter { $0.frame.intersects(everything) }
            if let difference = comparison.difference(shown, expected: visible) {
                return "\(difference)\n\(input.spec)"
            }
            for element in shown {
                guard
                    preview.element(element.identity, bounds: input.bounds)?.frame == element.frame
                else { return "\(element.identity) is not where it is" }
            }
        }
        for path in before.compactMap(\.identity.path) {
            guard dropped.path(ofShown: preview.shownPath(of: path)) == path,
                preview.path(ofShown: preview.shownPath(of: path)) == path
            else { return "\(path) is not found again" }
        }
        try preview.putBack()
        let after = try layout.elements(bounds: input.bounds)
        return comparison.difference(after, expected: before)
    }

    @Test(
        "the target is the visible item under the point, unless it leads straight back")
    func targets() throws {
        // A small item, a large one, and a section that has only a header.
        var empty = LayoutOptions()
        empty.headerHeight = 30
        empty.headerReferenceSize = ListSize(width: 100, height: 30)
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 100, height: 500)),
            sections: [
                SectionInput(
                    items: .sizes([
                        ListSize(width: 100, height: 40), ListSize(width: 100, height: 200),
                        ListSize(width: 100, height: 40),
                    ])), SectionInput(items: .count(0), options: empty),
            ])
        let bounds = ListRect(width: 100, height: 500)
        let spacing = layout.element(.cell(ItemPath(section: 0, item: 1)), bounds: bounds)
        let top = try #require(spacing).frame.y
        let preview = LayoutPreview(of: layout)
        let home = ItemPath(section: 0, item: 0)
        try preview.hold(HeldItem(path: home, target: home, center: ListPoint(x: 50, y: 20)))
        func target(_ y: Double, accepts: Bool = true) throws -> ItemPath? {
            try preview.moveLast(to: ListPoint(x: 50, y: y), bounds: bounds) { _ in accepts }
        }
        #expect(try target(top + 10) == home, "the large one would come back under the point")
        #expect(try target(top + 190, accepts: false) == home)
        #expect(try target(top + 190) == ItemPath(section: 0, item: 1))
        #expect(try target(top + 199) == ItemPath(section: 0, item: 1), "it is held over its place")
        #expect(try target(-100) == ItemPath(section: 0, item: 1), "nothing is there")
        let header = LayoutElement.Identity.supplementary(kind: "header", section: 1)
        let frame = try #require(preview.element(header, bounds: bounds)).frame
        #expect(try target(frame.y + 5) == ItemPath(section: 1, item: 0))
        #expect(preview.itemCount(inSection: 1) == 1)
        #expect(preview.isHeld(home) && !preview.isHeld(ItemPath(section: 0, item: 1)))
        try preview.putBack()
        #expect(layout.element(.cell(home), bounds: bounds)?.frame.y == 0)
    }
}

/// The sections after one drop after the other.
private struct Dropped {
    private(set) var inputs: [SectionInput]
    /// The paths that items had before.
    private var paths: [[ItemPath]]

    init(_ inputs: [SectionInput]) {
        self.inputs = inputs
        paths = inputs.enumerated().map { index, section in
            (0..<section.count).map { ItemPath(section: index, item: $0) }
        }
    }

    /// - Returns: whether the place exists by now.
    mutating func drop(_ held: HeldItem) -> Bool {
        let isSameSection = held.path.section == held.target.section
        guard paths[held.path.section].indices.contains(held.path.item),
            held.target.item <= paths[held.target.section].count - (isSameSection ? 1 : 0)
        else { return false }
        var sizes = inputs.map { section -> [ListSize?] in
            switch section.items {
            case .count(let count): Array(repeating: nil, count: count)
            case .sizes(let sizes): sizes
            }
        }
        let size = sizes[held.path.section].remove(at: held.path.item)
        sizes[held.target.section].insert(size, at: held.target.item)
        let path = paths[held.path.section].remove(at: held.path.item)
        paths[held.target.section].insert(path, at: held.target.item)
        for index in inputs.indices { inputs[index].items = .sizes(sizes[index]) }
        return true
    }

    func path(ofShown path: ItemPath) -> ItemPath { paths[path.section][path.item] }

    /// An element with the path that its item had before.
    func named(_ element: LayoutElement) -> LayoutElement {
        var element = element
        switch element.identity {
        case .cell(let path): element.identity = .cell(self.path(ofShown: path))
        case .itemSupplementary(let kind, let path):
            element.identity = .itemSupplementary(kind: kind, self.path(ofShown: path))
        case .supplementary, .decoration: break
        }
        return element
    }
}

extension LayoutElement.Identity {
    /// The path of a cell.
    fileprivate var path: ItemPath? {
        if case .cell(let path) = self { path } else { nil }
    }
}
