import SyncBytes
import SyncLayout
import SyncModel

// A layout as a client asks for it, and its options.

extension JSONNode {
    /// A kind and its options. Options of other kinds are allowed and have no effect, so that a
    /// client can change only the kind.
    ///
    /// - Parameter expected: the kind, if it is known; then the object need not have it.
    func layoutSpec(of expected: LayoutSpec.Kind? = nil) throws(JSONError) -> LayoutSpec {
        var kind = expected
        var spec = LayoutSpec(kind: .flow)
        enum Key: JSONName, CaseIterable {
            case kind, scrollDirection, rtl, zoomFactor, activeDistance, minimumContentHeight
        }
        for member in try members() {
            let node = member.node
            switch member.known(Key.self) {
            case .kind:
                kind = try node.choice()
                if let expected, kind != expected {
                    throw node.error("must be \(expected.rawValue), or be left out")
                }
            case .scrollDirection: spec.scrollDirection = try node.choice()
            case .rtl: spec.rtl = try node.bool()
            case .zoomFactor: spec.zoomFactor = try node.number()
            case .activeDistance: spec.activeDistance = try node.number()
            case .minimumContentHeight: spec.minimumContentHeight = try node.number()
            case nil:
                guard try spec.options.read(member) else {
                    throw member.unknownKey(among: Key.names + LayoutOptions.Key.names)
                }
            }
        }
        spec.kind = try required(kind, "kind")
        return spec
    }

    /// A text that is one of the enumeration's raw values.
    func choice<Choice>() throws(JSONError) -> Choice
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        guard let choice = try withText({ Choice(named: $0) }) else {
            countMade(Choice.allCases.count)
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("must be one of: \(choices)")
        }
        return choice
    }
}

extension LayoutOptions {
    enum Key: JSONName, CaseIterable {
        case itemSize, sectionInset, supplementaries, decorations, minimumInteritemSpacing,
            minimumLineSpacing, headerReferenceSize, footerReferenceSize,
            sectionHeadersPinToVisibleBounds, sectionFootersPinToVisibleBounds, alignment,
            lineAlignment, sectionInsetReference, minColumnWidth, cellHeight, fit, columnCount,
            minimumColumnSpacing, headerHeight, footerHeight, headerInset, footerInset, sizing,
            itemRenderDirection
    }

    /// Reads a member. Returns `false` unless it is an option that sections may also have.
    mutating func read(_ member: JSONMember) throws(JSONError) -> Bool {
        guard let key = member.known(Key.self) else { return false }
        let node = member.node
        switch key {
        case .itemSize: itemSize = try node.layoutSize()
        case .sectionInset: sectionInset = try node.insets()
        case .supplementaries:
            supplementaries = try node.fewElements { node throws(JSONError) in
                try node.customSupplementary()
            }
        case .decorations:
            decorations = try node.fewElements { node throws(JSONError) in
                try node.decoration()
            }
        case .minimumInteritemSpacing: minimumInteritemSpacing = try node.number()
        case .minimumLineSpacing: minimumLineSpacing = try node.number()
        case .headerReferenceSize: headerReferenceSize = try node.layoutSize()
        case .footerReferenceSize: footerReferenceSize = try node.layoutSize()
        case .sectionHeadersPinToVisibleBounds:
            sectionHeadersPinToVisibleBounds = try node.bool()
        case .sectionFootersPinToVisibleBounds:
            sectionFootersPinToVisibleBounds = try node.bool()
        case .alignment: alignment = try node.choice()
        case .lineAlignment: lineAlignment = try node.choice()
        case .sectionInsetReference: sectionInsetReference = try node.choice()
        case .minColumnWidth: minColumnWidth = try node.number()
        case .cellHeight: cellHeight = try node.number()
        case .fit: fit = try node.choice()
        case .columnCount: columnCount = try node.integer()
        case .minimumColumnSpacing: minimumColumnSpacing = try node.number()
        case .headerHeight: headerHeight = try node.number()
        case .footerHeight: footerHeight = try node.number()
        case .headerInset: headerInset = try node.insets()
        case .footerInset: footerInset = try node.insets()
        case .sizing: sizing = try node.choice()
        case .itemRenderDirection: itemRenderDirection = try node.choice()
        }
        return true
    }
}

// MARK: Supplementaries and decorations

/// What a supplementary belongs to.
enum SupplementaryScope: String, CaseIterable {
    case section, item
}

/// The side of a section's items on which a supplementary is.
private enum SectionEdge: String, CaseIterable {
    case before, after
}

extension CustomSupplementary.Place {
    /// The place as the two values that JSON has for it.
    var jsonNames: (scope: SupplementaryScope, edge: String) {
        switch self {
        case .beforeItems: (.section, SectionEdge.before.rawValue)
        case .afterItems: (.section, SectionEdge.after.rawValue)
        case .atItem(let corner): (.item, corner.rawValue)
        }
    }
}

extension JSONNode {
    /// The most supplementaries, or decorations, of a section. All sections may have those of the
    /// layout, so they cost time in each.
    private static let maximumKinds = 64

    fileprivate func fewElements<Element>(
        _ read: (JSONNode) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        let elements = try elements(read)
        guard elements.count <= JSONNode.maximumKinds else {
            throw error("must have at most \(JSONNode.maximumKinds) elements")
        }
        return elements
    }

    fileprivate func customSupplementary() throws(JSONError) -> CustomSupplementary {
        var kind: Identifier?
        var scope: SupplementaryScope?
        var edge: JSONNode?
        var size: ListSize?
        var offset = ListPoint()
        var zIndex = 0
        enum Key: JSONName, CaseIterable { case kind, scope, edge, size, offset, zIndex }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .kind: kind = try node.identifier()
            case .scope: scope = try node.choice()
            case .edge: edge = node
            case .size: size = try node.layoutSize()
            case .offset: offset = try node.point()
            case .zIndex: zIndex = try node.integer()
            }
        }
        let place = try required(edge, "edge").place(in: required(scope, "scope"))
        return CustomSupplementary(
            kind: try required(kind, "kind"), place: place, size: try required(size, "size"),
            offset: offset, zIndex: zIndex)
    }

    private func place(in scope: SupplementaryScope) throws(JSONError) -> CustomSupplementary.Place
    {
        switch scope {
        case .item: return .atItem(try choice())
        case .section:
            let edge: SectionEdge = try choice()
            return edge == .before ? .beforeItems : .afterItems
        }
    }

    fileprivate func decoration() throws(JSONError) -> Decoration {
        var kind: Identifier?
        var cover = Decoration.Cover.items
        var inset = Insets()
        var zIndex = -1
        enum Key: JSONName, CaseIterable { case kind, cover, inset, zIndex }
        for member in try members() {
            switch try member.key(Key.self) {
            case .kind: kind = try member.node.identifier()
            case .cover: cover = try member.node.choice()
            case .inset: inset = try member.node.insets()
            case .zIndex: zIndex = try member.node.integer()
            }
        }
        return Decoration(
            kind: try required(kind, "kind"), cover: cover, inset: inset, zIndex: zIndex)
    }
}
