/// Which items of a room a request reads.
package struct ItemQuery: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        /// The items of a section, or of the whole room, in their order: from its first item on, or
        /// from the one behind `after` on.
        case page(in: Identifier?, after: Identifier?)
        /// The items of such a page that contain a text.
        case search(SearchText, in: Identifier?, after: Identifier?)
        /// The items with these ids, in this order.
        case these([Identifier])
    }

    package var part: Part
    /// The most items that the answer may have.
    package var limit: Int

    package init(_ part: Part, limit: Int) {
        self.part = part
        self.limit = limit
    }

    /// The most items of an answer, and the most ids of a request.
    package static let mostItems = 1_000
}
