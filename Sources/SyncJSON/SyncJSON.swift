/// What collsync says and hears in JSON: the lines of `join` and of `layout`, one object each, and
/// the `snapshot` object of `export` and `import`.
///
/// ``JoinCommand`` is what a program may say to a room, ``ServerLine`` what it is told;
/// ``LayoutInput`` is what it may have laid out, ``LayoutAnswer`` what comes of it, and
/// ``ViewLayout`` the part of it that a view of a room asks for. ``JSONWriter`` is what writes, and
/// ``SnapshotReader`` what reads a snapshot of any size piece by piece. None keeps a state beyond
/// the text at hand.
///
/// 1. Whatever the bytes, reading ends in a value or in this error, which names the place.
/// 2. Nothing is passed over: an unknown key, a key that stands twice in an object and a number
///    that is not exact are errors. Keys are compared as bytes, so that two spellings of one glyph
///    are two names.
/// 3. What is written is one line without spaces, with the keys in a fixed order and every number
///    in the fewest digits that read back as the same number. It has no control character and none
///    that changes the direction of text: such are written as escapes.
///
/// Parsing is jansson's: it keeps the order and the bytes of keys, tells keys that stand twice, and
/// nests at most 2,048 deep. Foundation's decoders drop all but one of the keys that stand twice or
/// look the same, and round integers that are not exact.
///
/// # Performance
/// O(n) for n bytes. A parsed text takes up to eighty times its size (`{},{},…` is the worst) until
/// it is read, so whoever takes lines from strangers limits their length; a snapshot is parsed one
/// item at a time.
///
/// Which of the lines make sense in a room is the engine's to say, and how many bytes a line may
/// have its reader's.
package struct JSONError: Error, Sendable, Equatable {
    /// Where: keys and indices from the outside in, as in `ops[0].insert.item.id`; empty for the
    /// text as a whole.
    package var path: String
    /// What is wrong there and what would be right.
    package var message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
