import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// A layout whose sizes are read piece by piece equals one that gets the same sizes at once.
@Suite struct SectionSourceTests {
    @Test(arguments: LayoutSpec.Kind.allCases)
    func piecesMakeTheSameLayout(kind: LayoutSpec.Kind) throws {
        var held = 0
        try LayoutTests.forEachSeed(kind, 200) { seed in
            var numbers = RandomNumbers(seed: seed, hostile: false)
            let input = RandomLayoutInput(using: &numbers, kind: kind)
            let key = LayoutKey(input.spec, in: input.environment)
            let content = SectionContent()
            let whole = try CollectionLayout(
                key.spec, in: key.environment,
                sections: input.sections.map { SectionInput(items: $0.items, content: content) })
            let read = try CollectionLayout(
                key, sources: input.sections.map { source(of: $0.items, content, &numbers) })
            let bounds = input.bounds
            guard try whole.elements(bounds: bounds) == read.elements(bounds: bounds),
                whole.contentSize(in: bounds) == read.contentSize(in: bounds)
            else { return "the elements differ" }
            // Edit something, so that the chunks of sizes are used.
            guard let section = input.sections.firstIndex(where: { $0.count > 1 }) else {
                return nil
            }
            let last = ItemPath(section: section, item: input.sections[section].count - 1)
            let item = HeldItem(
                path: last, target: ItemPath(section: section, item: 0), center: nil)
            held += 1
            return try whole.elements(in: bounds, bounds: bounds, holding: item)
                == read.elements(in: bounds, bounds: bounds, holding: item)
                ? nil : "the elements differ while one is held"
        }
        guard LayoutTests.seed == nil else { return }
        #expect(held > 50, "hardly any section has items")
    }

    private func source(
        of items: SectionInput.Items, _ content: SectionContent, _ numbers: inout RandomNumbers
    ) -> SectionSource {
        let sizes: [ListSize?] =
            switch items {
            case .count(let count): Array(repeating: nil, count: count)
            case .sizes(let sizes): sizes
            }
        let length = 1 + numbers.below(10)
        return SectionSource(content: content, count: sizes.count) { take in
            for start in stride(from: 0, to: sizes.count, by: length) {
                sizes[start..<min(start + length, sizes.count)].withUnsafeBufferPointer(take)
            }
        }
    }
}
