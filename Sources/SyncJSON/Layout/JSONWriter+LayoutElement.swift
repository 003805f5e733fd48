import SyncLayout
import SyncModel

extension JSONWriter {
    /// Writes an element.
    ///
    /// - Parameter id: that of its item or section, if it is known.
    mutating func write(_ element: LayoutElement, id: Identifier?) {
        beginObject()
        write(element.identity, id: id)
        key("frame")
        write(element.frame)
        member("zIndex", element.zIndex)
        member("scale", element.scale)
        if element.alpha != 1 { member("alpha", element.alpha) }
        if element.isHidden {
            key("hidden")
            write(bool: true)
        }
        endObject()
    }

    private mutating func write(_ identity: LayoutElement.Identity, id: Identifier?) {
        write(ElementCategory(of: identity))
        switch identity {
        case .cell(let path): writeMembers(of: path)
        case .supplementary(let kind, let section), .decoration(let kind, let section):
            write(kind: kind)
            member("section", section)
        case .itemSupplementary(let kind, let path):
            write(kind: kind)
            writeMembers(of: path)
        }
        if let id {
            key("id")
            write(text: id.text)
        }
    }

    private mutating func write(_ category: ElementCategory) {
        key("category")
        write(text: category.rawValue)
    }

    private mutating func write(kind: Identifier) {
        key("kind")
        write(text: kind.text)
    }
}

/// The kinds of elements in JSON.
enum ElementCategory: String, CaseIterable {
    case cell, supplementary, decoration

    init(of identity: LayoutElement.Identity) {
        switch identity {
        case .cell: self = .cell
        case .supplementary, .itemSupplementary: self = .supplementary
        case .decoration: self = .decoration
        }
    }
}
