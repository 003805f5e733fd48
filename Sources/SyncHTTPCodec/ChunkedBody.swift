/// Cuts the bytes of a body in chunks for the decoder, and limits what comes with its content.
///
/// The body ends with an empty line, and content may contain empty lines, too. A slice ends behind
/// each of them, so the decoder never gets bytes behind the body. This costs no more than as many
/// bytes of short requests do.
///
/// The sizes and extensions of chunks are checked at fixed places of the body, so that the result
/// is the same however the input is cut.
struct ChunkedBody {
    private let limits: HTTPLimits
    private var bytes = 0
    private var contentBytes = 0
    private var emptyLine = EmptyLine()

    init(_ limits: HTTPLimits) {
        self.limits = limits
    }

    /// Chooses how many bytes the decoder gets next, at least one.
    mutating func takeSlice(of unread: UnreadBytes) -> Int {
        let limit = limits.sliceBytes - bytes % limits.sliceBytes
        let count =
            unread.end(of: &emptyLine, from: 0, limit: limit) ?? min(unread.count, limit)
        bytes += count
        return count
    }

    /// Adds what the decoder has made of the slice.
    mutating func add(_ contentBytes: Int) throws(HTTPError) {
        self.contentBytes += contentBytes
        guard bytes % limits.sliceBytes == 0 else { return }
        let framing = bytes - self.contentBytes
        guard framing <= limits.sliceBytes + limits.framingShare * self.contentBytes else {
            throw .malformed("The body has long sizes, extensions or trailers beside its data.")
        }
    }
}
