import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel

/// A collection that changes at random, as plain arrays, and the batches of its changes.
struct LayoutHistory {
    struct Section {
        var options: LayoutOptions
        var items: [Int]
    }

    private(set) var sections: [Section] = []
    /// The sizes of items, by their numbers; `nil` for items without one.
    private var sizes: [ListSize?] = []
    private var revision: Revision = 0

    init(_ sections: [SectionInput]) {
        for section in sections {
            // Items without a size have the same size in all sections.
            var options = section.options
            options.itemSize = nil
            let own: [ListSize?] =
                switch section.items {
                case .count(let count): Array(repeating: nil, count: count)
                case .sizes(let sizes): sizes
                }
            self.sections.append(
                Section(options: options, items: Array(sizes.count..<sizes.count + own.count)))
            sizes += own
        }
    }

    var inputs: [SectionInput] {
        sections.map { section in
            SectionInput(items: .sizes(section.items.map { sizes[$0] }), options: section.options)
        }
    }

    /// Makes a change, and returns its batch.
    mutating func change(using numbers: inout RandomNumbers) throws -> Batch {
        var stages: [Stage] = []
        if numbers.chance(50) { stages.append(try reload(using: &numbers)) }
        if numbers.chance(25) { stages.append(try rearrangeSections(using: &numbers)) }
        if numbers.chance(80) { stages.append(try rearrangeItems(using: &numbers)) }
        revision += 1
        return Batch(from: revision - 1, to: revision, stages: stages, sections: sections.count)
    }

    /// One of the items, held over any place; `nil` if there are none.
    func heldItem(using numbers: inout RandomNumbers) -> HeldItem? {
        let full = sections.indices.filter { !sections[$0].items.isEmpty }
        guard let section = numbers.pick(full) else { return nil }
        let path = ItemPath(
            section: section, item: numbers.below(sections[section].items.count))
        let other = numbers.below(sections.count)
        let room = sections[other].items.count + (other == section ? 0 : 1)
        return HeldItem(
            path: path, target: ItemPath(section: other, item: numbers.below(room)),
            center: ListPoint(x: numbers.usual(-50...800), y: numbers.usual(-50...1500)))
    }

    private mutating func newItem(using numbers: inout RandomNumbers) -> Int {
        // Sizes are often repeated: so a section may become uniform, or cease to be.
        let known = numbers.pick(sizes) ?? nil
        let own = numbers.chance(20) ? nil : numbers.chance(50) ? known : size(using: &numbers)
        sizes.append(own)
        return sizes.count - 1
    }

    /// A size that content can have.
    private func size(using numbers: inout RandomNumbers) -> ListSize {
        ListSize(width: numbers.usual(0...200), height: numbers.usual(0...150))
    }

    private func item(_ number: Int) throws -> Item {
        Item(
            id: try Identifier("i\(number)"), content: try ItemContent(size: finite(sizes[number])))
    }

    private func finite(_ size: ListSize?) -> ListSize? {
        size.flatMap { $0.width.isFinite && $0.height.isFinite ? $0 : nil }
    }

    // MARK: Stages

    private mutating func reload(using numbers: inout RandomNumbers) throws -> Stage {
        var stage = Stage()
        for (index, section) in sections.enumerated() {
            for (position, number) in section.items.enumerated() where numbers.chance(10) {
                sizes[number] = numbers.chance(20) ? nil : size(using: &numbers)
                stage.reloads.append(
                    .init(
                        path: ItemPath(section: index, item: position), item: try item(number)))
            }
            if numbers.chance(20) {
                let content = try change(&sections[index].options, using: &numbers)
                stage.changedSections.append(.init(index: index, section: content))
            }
        }
        return stage
    }

    /// Gives a section other headers and footers, as its content sets them.
    private func change(
        _ options: inout LayoutOptions, using numbers: inout RandomNumbers
    ) throws -> ListSection {
        var supplementaries: [Supplementary] = []
        let header = numbers.chance(60) ? size(using: &numbers) : nil
        let footer = numbers.chance(40) ? size(using: &numbers) : nil
        if let header {
            supplementaries.append(Supplementary(kind: Identifier("header"), size: header))
        }
        if let footer {
            supplementaries.append(Supplementary(kind: Identifier("footer"), size: footer))
        }
        options.headerReferenceSize = header
        options.headerHeight = header?.height
        options.footerReferenceSize = footer
        options.footerHeight = footer?.height
        return ListSection(
            id: Identifier("section"),
            content: try SectionContent(supplementaries: supplementaries))
    }

    private mutating func rearrangeSections(using numbers: inout RandomNumbers) throws -> Stage {
        var stage = Stage()
        var staying: [(old: Int?, section: Section)] = []
        var leaving: [(old: Int, section: Section)] = []
        for (index, section) in sections.enumerated() {
            switch numbers.below(5) {
            case 0 where sections.count > 1: stage.deleteSections.append(index)
            case 1: leaving.append((index, section))
            default: staying.append((index, section))
            }
        }
        var moved: Set<Int> = []
        for (old, section) in leaving {
            moved.insert(old)
            staying.insert((old, section), at: numbers.below(staying.count + 1))
        }
        if staying.count < 6, numbers.chance(50) || staying.isEmpty {
            staying.insert(
                (nil, Section(options: LayoutOptions(), items: [])),
                at: numbers.below(staying.count + 1))
        }
        for index in staying.indices {
            guard let old = staying[index].old else {
                let content = try change(&staying[index].section.options, using: &numbers)
                stage.insertSections.append(.init(index: index, section: content))
                continue
            }
            if moved.contains(old) { stage.moveSections.append(.init(from: old, to: index)) }
        }
        sections = staying.map(\.section)
        return stage
    }

    private mutating func rearrangeItems(using numbers: inout RandomNumbers) throws -> Stage {
        guard !sections.isEmpty else { return Stage() }
        var stage = Stage()
        var moved: [Int: ItemPath] = [:]
        let percent = numbers.pick([0, 5, 20, 90]) ?? 5
        for index in sections.indices {
            var staying: [Int] = []
            for (position, number) in sections[index].items.enumerated() {
                let path = ItemPath(section: index, item: position)
                if numbers.chance(percent) {
                    if numbers.chance(50) {
                        stage.deletes.append(path)
                    } else {
                        moved[number] = path
                    }
                } else {
                    staying.append(number)
                }
            }
            sections[index].items = staying
        }
        let inserted = (0..<numbers.below(8)).map { _ in newItem(using: &numbers) }
        for number in moved.keys.sorted() + inserted {
            let section = numbers.below(sections.count)
            let position = numbers.below(sections[section].items.count + 1)
            sections[section].items.insert(number, at: position)
        }
        let firstInserted = sizes.count - inserted.count
        for (index, section) in sections.enumerated() {
            for (position, number) in section.items.enumerated() {
                let path = ItemPath(section: index, item: position)
                if number >= firstInserted {
                    stage.inserts.append(.init(path: path, item: try item(number)))
                } else if let old = moved[number] {
                    stage.moves.append(.init(from: old, to: path))
                }
            }
        }
        return stage
    }
}
