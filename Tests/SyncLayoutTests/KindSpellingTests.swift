import ModelSupport
import SyncLayout
import SyncModel
import Testing

/// Kinds are compared byte by byte. Two that look the same are two, and neither is found by the
/// name of the other.
@Suite("Two spellings of a kind")
struct KindSpellingTests {
    private let environment = LayoutEnvironment(viewport: ListSize(width: 300, height: 500))
    private let bounds = ListRect(width: 300, height: 500)
    private let kinds = Spellings.all.map { id($0) }

    /// A layout with each spelling as a kind. No two of its elements have the same size.
    private var spec: LayoutSpec {
        var spec = LayoutSpec(kind: .flow)
        let places: [CustomSupplementary.Place] = [.beforeItems, .afterItems, .atItem(.top)]
        spec.options.supplementaries = places.enumerated().flatMap { place in
            kinds.enumerated().map { number, kind in
                let size = Double(1 + 4 * place.offset + number)
                return CustomSupplementary(
                    kind: kind, place: place.element, size: ListSize(width: size, height: size))
            }
        }
        spec.options.decorations = kinds.enumerated().map { number, kind in
            Decoration(kind: kind, inset: Insets(left: Double(number)))
        }
        return spec
    }

    private func elements(of spec: LayoutSpec) throws -> ([LayoutElement], CollectionLayout) {
        let layout = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(2))])
        return (try layout.elements(in: bounds, bounds: bounds), layout)
    }

    @Test("an element is found by its own kind")
    func found() throws {
        var single = spec
        // A kind at one place only: else the first place is found.
        single.options.supplementaries?.removeAll { $0.place == .afterItems }
        let (elements, layout) = try elements(of: single)
        #expect(Set(elements.map(\.identity)).count == elements.count)
        #expect(elements.count == 2 + 4 + 2 * 4 + 4)
        for element in elements {
            #expect(layout.element(element.identity, bounds: bounds) == element)
        }
    }

    @Test("layouts that differ by a spelling are two, for viewers and as keys")
    func compared() {
        for kind in kinds {
            for other in kinds {
                var (first, second) = (LayoutSpec(kind: .flow), LayoutSpec(kind: .flow))
                first.options.decorations = [Decoration(kind: kind)]
                second.options.decorations = [Decoration(kind: other)]
                let isSame = kind.text.utf8.elementsEqual(other.text.utf8)
                let keys = [first, second].map { LayoutKey($0, in: environment) }
                #expect((keys[0] == keys[1]) == isSame, "\(kind) \(other)")
                #expect(Set(keys).count == (isSame ? 1 : 2))
            }
        }
    }

    @Test("the content order is that of the layout, whichever came first")
    func ordered() throws {
        var single = spec
        single.options.supplementaries?.removeAll { $0.place == .afterItems }
        let shown = try elements(of: single).0.enumerated().map { number, element in
            ViewElement(
                key: UInt64(number), element: element, content: .section(ListSection(id: "main")))
        }
        let sorted = ContentOrder(of: single).sort(shown.reversed())
        #expect(sorted.map(\.key) == shown.map(\.key))
    }
}
