package import SyncBytes

/// A piece of an output line. Most lines are one piece; a large batch or snapshot has many, which
/// come as their connection takes them. Nothing else stands between the pieces of a line.
package struct LinePiece: Sendable {
    package let bytes: SharedBytes
    package let beginsLine: Bool
    package let endsLine: Bool

    package init(_ bytes: SharedBytes, beginsLine: Bool = true, endsLine: Bool = true) {
        self.bytes = bytes
        self.beginsLine = beginsLine
        self.endsLine = endsLine
    }
}
