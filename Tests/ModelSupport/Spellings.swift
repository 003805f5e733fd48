package import SyncLayout
package import SyncModel

/// Names whose texts are equal to Swift, as they are canonically equivalent, but not their bytes.
/// So each is a name of its own. Generators of names use them, so that whoever compares names as
/// texts takes one for the other.
package enum Spellings {
    /// One scalar, or a letter and its mark.
    package static let composed = "caf\u{E9}"
    package static let decomposed = "cafe\u{301}"
    /// Two marks of different classes in both orders.
    package static let aboveAndBelow = "o\u{301}\u{323}"
    package static let belowAndAbove = "o\u{323}\u{301}"

    package static let all = [composed, decomposed, aboveAndBelow, belowAndAbove]

    /// All as rooms, in the order of their bytes.
    package static var rooms: [RoomName] { all.map { roomName($0) }.sorted() }

    /// A layout for each, with a decoration and a supplementary of that kind.
    package static var layouts: [ViewLayout] {
        all.map { kind in
            ViewLayout(.flow) { options in
                options.decorations = [Decoration(kind: id(kind))]
                options.supplementaries = [
                    CustomSupplementary(
                        kind: id(kind), place: .beforeItems, size: ListSize(width: 0, height: 1))
                ]
            }
        }
    }

    /// Scalars for random texts: a letter with and without its mark, and marks of two classes (230
    /// and 202), whose order makes no difference to Swift.
    package static let scalars: [Unicode.Scalar] = ["\u{E9}", "e", "\u{301}", "\u{327}"]

    /// The name of a number. The first four names are texts that Swift takes for two.
    package static func name(_ prefix: String, _ number: Int) -> Identifier {
        id(prefix + (all.indices.contains(number) ? all[number] : "\(number)"))
    }
}
