/// Why a collection can't be laid out, or a question about it can't be answered.
package enum LayoutError: Error, Equatable, Sendable {
    /// A section has more items than its layout supports, or a negative number.
    case itemCount(section: Int, limit: Int)
    /// All sections together have more items than their layout supports.
    case totalItemCount(limit: Int)
    /// A section has too many columns.
    case columnCount(section: Int, limit: Int)
    /// A batch does not fit the current sections and items.
    case batchMismatch
    /// A rectangle has more elements than one answer may have.
    case tooManyElements(limit: Int)
    /// A layout would need more memory than it may use.
    case tooLarge(bytes: Int)
    /// The lengths are so large that their sum is not finite.
    case tooLong

    /// The code on the wire and in JSON.
    package var code: String {
        switch self {
        case .itemCount, .totalItemCount, .columnCount, .tooManyElements, .tooLarge, .tooLong:
            "limitExceeded"
        case .batchMismatch: "batchMismatch"
        }
    }

    /// What is wrong, in a sentence for people.
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
