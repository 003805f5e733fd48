/// Why a collection can't be laid out, or a question about it can't be answered.
package enum LayoutError: Error, Equatable, Sendable {
    /// A section has more items than its layout takes, or fewer than none.
    case itemCount(section: Int, limit: Int)
    /// All sections together have more items than their layout takes.
    case totalItemCount(limit: Int)
    /// A section has more columns than are laid out.
    case columnCount(section: Int, limit: Int)
    /// A batch that does not begin with the sections and items there are.
    case batchMismatch
    /// More elements are asked for than are given at once.
    case tooManyElements(limit: Int)
    /// A layout would take more bytes than it may.
    case tooLarge(bytes: Int)
    /// Lengths whose sum is no number any more.
    case tooLong

    /// The code on the wire and in JSON.
    package var code: String {
        switch self {
        case .itemCount, .totalItemCount, .columnCount, .tooManyElements, .tooLarge, .tooLong:
            "limitExceeded"
        case .batchMismatch: "batchMismatch"
        }
    }

    /// What is wrong, for people.
    package var explanation: String {
        switch self {
        case .itemCount(let section, let limit):
            "section \(section) must have 0 to \(limit) items in this layout"
        case .totalItemCount(let limit):
            "all sections together must have at most \(limit) items in this layout"
        case .columnCount(let section, let limit):
            "section \(section) must have at most \(limit) columns"
        case .batchMismatch:
            "the batch does not fit what is laid out: lay the collection out anew"
        case .tooManyElements(let limit):
            "there are more than \(limit) elements there: ask for a smaller rectangle"
        case .tooLarge(let bytes):
            "the layout would take more than \(bytes) bytes: ask for fewer columns, or a plainer one"
        case .tooLong: "the lengths are too large: their sum is no number"
        }
    }
}
