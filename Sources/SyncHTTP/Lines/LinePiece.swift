package import SyncBytes

/// A piece of output lines. Most lines are one piece, and several short ones may be one, with line
/// breaks between them; a large batch or snapshot has many, which come as their connection takes
/// them. Nothing else stands between the pieces of a line.
package struct LinePiece: Sendable {
    /// The text; empty if it is still to be written.
    package let bytes: SharedBytes
    /// The line that is still to be written: that takes too long for a turn of a loop.
    let unwritten: UnwrittenLine?
    /// Whether it has the beginning of its first line, and the end of its last one.
    package let beginsLine: Bool
    package let endsLine: Bool

    package init(_ bytes: SharedBytes, beginsLine: Bool = true, endsLine: Bool = true) {
        self.bytes = bytes
        unwritten = nil
        self.beginsLine = beginsLine
        self.endsLine = endsLine
    }

    init(_ unwritten: UnwrittenLine) {
        bytes = SharedBytes([])
        self.unwritten = unwritten
        beginsLine = true
        endsLine = true
    }
}
