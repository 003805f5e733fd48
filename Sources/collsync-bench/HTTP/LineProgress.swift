import SyncModel

/// What a member has learned from the beginnings of lines. It checks that each batch begins where
/// the one before ended.
struct LineProgress {
    /// The revision that the last complete line leads to.
    private(set) var complete: Revision
    private(set) var answered = 0
    private(set) var snapshots = 0
    /// The revision that the last line leads to.
    private var last: Revision

    init(at revision: Revision) {
        complete = revision
        last = revision
    }

    /// The lines so far are complete.
    mutating func didEnd() {
        complete = last
    }

    /// Takes the beginning of a line.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
        var head = LineHead(bytes)
        if head.skip("{\"ack\":") {
            answered += 1
        } else if head.skip("{\"batch\":{\"from\":") {
            guard head.number() == last, head.skip(",\"to\":"), let to = head.number() else {
                throw BenchError("a batch does not begin at \(last): \(LineHead(bytes).text)")
            }
            last = to
        } else if head.skip("{\"snapshot\":{\"room\":\"bench\",\"revision\":") {
            guard let revision = head.number(), revision > last else {
                throw BenchError("a snapshot leads back: \(LineHead(bytes).text)")
            }
            snapshots += 1
            last = revision
        } else if !head.skip("{\"welcome\":") {
            throw BenchError("the server says something unexpected: \(head.text)")
        }
    }

    /// Takes what the head of a line says whose text is not read.
    mutating func take(_ revision: Revision, isSnapshot: Bool) throws {
        guard revision > last else { throw BenchError("an event leads back to \(revision)") }
        if isSnapshot { snapshots += 1 }
        last = revision
    }
}
