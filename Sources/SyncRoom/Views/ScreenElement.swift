import SyncEngine
import SyncLayout

/// An element that the client of a view holds.
struct ScreenElement {
    var key: UInt32
    var part: ScreenPart
    var element: LayoutElement
    /// The revision that its content is of.
    var contentRevision: Revision
}

/// What an element on a screen shows, wherever it stands. Most are cells, so these take little.
enum ScreenPart: Hashable {
    case cell(ThingKey)
    indirect case other(Other)

    /// A supplementary or a decoration.
    struct Other: Hashable {
        enum Category {
            case supplementary, itemSupplementary, decoration
        }

        var category: Category
        var kind: String
        /// The item, or the section.
        var thing: ThingKey
        /// Which one it is, where a kind stands several times.
        var copy = 0
    }

    /// The item, or the section.
    var thing: ThingKey {
        switch self {
        case .cell(let thing): thing
        case .other(let part): part.thing
        }
    }
}
