/// How much of a message is read. The length of the body is limited by the caller, who sees its
/// bytes come.
package struct HTTPLimits: Sendable, Equatable {
    /// All bytes up to the empty line behind the fields, and again those of the trailer's fields.
    package var headBytes = 16 << 10
    package var targetBytes = 8 << 10
    /// How many fields there may be, with those of the trailer.
    package var fieldCount = 100
    /// How many bytes of a body are decoded at a time.
    package var sliceBytes = 4 << 10
    /// The sizes and extensions of chunks may take so many times the bytes of the body, and
    /// ``sliceBytes``.
    package var framingShare = 8

    package init() {}
}
