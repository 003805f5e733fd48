/// The JSON of collsync: the lines of `join` and `layout`, one object each, and the `snapshot`
/// object of `export` and `import`.
///
/// ``JoinCommand`` is an input line of `join` and ``ServerLine`` an output line. ``LayoutInput`` is
/// an input line of `layout`, ``LayoutAnswer`` its output, and ``ViewLayout`` the part of it that
/// views of a room have too. ``JSONWriter`` writes all of them. ``SnapshotReader`` reads a snapshot
/// of any size piece by piece. None keeps state beyond the current text.
/// 1. For any bytes, reading ends in a value or in this error, which names the place.
/// 2. Nothing is ignored: an unknown key, a key that an object has twice and a number that is not
///    exact are errors. Keys are compared as bytes, so two spellings of one glyph are two names.
/// 3. Output is one line without spaces. Keys have a fixed order, and every number has the fewest
///    digits that read back as the same number. Control characters and characters that change the
///    direction of text are escaped.
///
/// ``JSONScanner`` checks a text and lists its values, and ``JSONNode`` reads them where they are
/// in the text. Foundation's decoders drop duplicate keys and keys that look the same, and round
/// integers that are not exact. A library that makes an object of each value would take a quarter
/// of the time of a server whose members speak JSON.
///
/// # Performance
/// O(n) for n bytes. The list of a text's values uses up to twenty times its size (`0,0,…` is the
/// worst) until it is read. So callers limit the length of lines from strangers; a snapshot is
/// parsed one item at a time.
///
/// The engine decides which lines make sense in a room, and the reader of the lines how long they
/// may be.
package struct JSONError: Error, Sendable, Equatable {
    /// The place: keys and indices from the outside in, as in `ops[0].insert.item.id`; empty for
    /// the whole text.
    package var path: String
    /// What is wrong there, and what would be right.
    package var message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
