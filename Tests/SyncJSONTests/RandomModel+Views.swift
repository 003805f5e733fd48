import LayoutTwin
import ModelSupport
import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel

extension RandomModel {
    /// A view's layout with any options.
    mutating func viewLayout(hostile: Bool = false) -> ViewLayout {
        let input = RandomLayoutInput(seed: next(), hostile: hostile)
        return ViewLayout(input.spec, in: input.environment)
    }

    mutating func viewCommand() throws -> ViewCommand {
        let id = try name()
        if chance(10) { return ViewCommand(id: id, isClosed: true) }
        let bounds = chance(70) ? rect() : nil
        return ViewCommand(
            id: id, layout: chance(70) ? viewLayout() : nil, bounds: bounds,
            overscan: chance(50) ? number() : nil, snaps: bounds != nil && chance(30),
            anchor: chance(30) ? try viewAnchor() : nil)
    }

    private mutating func viewAnchor() throws -> ViewAnchor {
        if chance(30) { return .beginning }
        let distance = ListPoint(x: number(), y: number())
        return .item(ItemAnchor(item: try name(), distance: distance))
    }

    mutating func viewLine() throws -> ViewLine {
        ViewLine(
            view: try name().text, revision: revision(), contentSize: chance(50) ? size() : nil,
            offset: chance(30) ? ListPoint(x: number(), y: number()) : nil,
            isTransition: chance(20), hasMore: chance(20),
            appeared: try list(upTo: 3) { try $0.entry(content: true) },
            changed: try list(upTo: 3) { try $0.entry(content: $0.chance(30)) },
            disappeared: try list(upTo: 3) { try $0.entry(content: false) })
    }

    private mutating func rect() -> ListRect {
        ListRect(x: number(), y: number(), width: number(), height: number())
    }

    private mutating func entry(content: Bool) throws -> ViewLine.Entry {
        let category = pick(ElementKind.self)
        let kind = try name()
        let from = element(category, kind: kind)
        var entry = ViewLine.Entry(from: from, to: element(category, kind: kind))
        if chance(80) { entry.id = try name() }
        guard content else { return entry }
        entry.content =
            switch category {
            case .cell, .itemSupplementary: .item(try item())
            case .supplementary, .decoration: .section(try section())
            }
        return entry
    }

    /// An element of a kind.
    private mutating func element(_ category: ElementKind, kind: Identifier) -> LayoutElement {
        let path = ItemPath(section: below(9), item: below(1000))
        let identity: LayoutElement.Identity =
            switch category {
            case .cell: .cell(path)
            case .itemSupplementary: .itemSupplementary(kind: kind, path)
            case .supplementary: .supplementary(kind: kind, section: path.section)
            case .decoration: .decoration(kind: kind, section: path.section)
            }
        var element = LayoutElement(identity, frame: rect(), zIndex: below(9) - 4)
        if chance(50) { element.alpha = number() }
        if chance(50) { element.scale = number() }
        element.isHidden = chance(20)
        return element
    }
}
