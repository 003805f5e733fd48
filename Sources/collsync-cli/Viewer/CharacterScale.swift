import SyncModel

/// The number of points of a view in one character of a terminal.
struct CharacterScale: Hashable, Sendable {
    /// The size of a character if the view's size is not set. Characters are about twice as high as
    /// wide.
    var character: ListSize
    /// The width of the view in any window, if it is set.
    var width: Double?
    /// The height of the view in any window, if it is set.
    var height: Double?

    static let usual = ListSize(width: 5, height: 10)

    /// The size of a character in a window whose view has this many columns and rows.
    func character(columns: Int, rows: Int) -> ListSize {
        var size = character
        if let width {
            size.width = width / Double(columns)
            size.height = 2 * size.width
        }
        if let height { size.height = height / Double(rows) }
        return size
    }
}
