import SyncModel

/// How many points of a view a terminal's characters take.
struct CharacterScale: Hashable, Sendable {
    /// The size of a character, where no size of the view is asked for. One is about twice as high
    /// as wide.
    var character: ListSize
    /// How wide the view is to be, whatever the window is.
    var width: Double?
    /// How high it is to be.
    var height: Double?

    static let usual = ListSize(width: 5, height: 10)

    /// The size of a character in a window whose view has so many columns and rows.
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
