import SyncBytes
package import SyncModel
package import SyncWire

/// The chunks that bring members and readers to a revision: batches from another revision, or a
/// snapshot. All who need the same share one span. Members may share a snapshot while it is still
/// being made.
package final class Span {
    /// The revision from which a span begins, and its form.
    package struct Start: Hashable {
        /// `nil` for a snapshot.
        package var revision: Revision?
        package var everyRevision = false

        package init(revision: Revision? = nil, everyRevision: Bool = false) {
            self.revision = revision
            self.everyRevision = everyRevision
        }

        /// The least revision of a snapshot that can replace a batch from there.
        var leastSnapshot: Revision { revision.map { $0 + 1 } ?? 0 }
    }

    let start: Start
    let revision: Revision
    private var chunks: [Chunk] = []
    /// How many of the first chunks were dropped.
    private var droppedCount = 0
    package private(set) var isComplete = false
    /// Whether a snapshot is smaller. Then the span has no chunks.
    let isLargerThanSnapshot: Bool

    package init(from start: Start, to revision: Revision, isLargerThanSnapshot: Bool = false) {
        self.start = start
        self.revision = revision
        self.isLargerThanSnapshot = isLargerThanSnapshot
    }

    var isSnapshot: Bool { start.revision == nil }

    /// Bytes of its chunks without compression.
    package var byteCount: Int { chunks.reduce(0) { $0 + $1.plainByteCount } }

    /// Whether it has no chunks now: none was made, or all were dropped.
    var isEmpty: Bool { chunks.isEmpty }

    var end: Int { droppedCount + chunks.count }

    subscript(index: Int) -> Chunk { chunks[index - droppedCount] }

    func add(_ frames: [EncodedFrame], isLast: Bool, in accounts: RoomAccounts) {
        chunks += frames.map { Chunk($0, in: accounts) }
        isComplete = isLast
    }

    /// Adds chunks for requests, which are charged for the whole span.
    package func add(_ frames: [EncodedFrame], isLast: Bool) {
        chunks += frames.map { Chunk($0) }
        isComplete = isLast
    }

    /// Bytes of its chunks, with these encodings.
    package func byteCount(in encodings: [FrameEncoding]) -> Int {
        chunks.reduce(0) { $0 + $1.byteCount(in: encodings) }
    }

    /// Drops the chunks before an index. After that nobody may begin with the span. Returns whether
    /// any were dropped.
    @discardableResult
    package func drop(before index: Int) -> Bool {
        let count = index - droppedCount
        guard count > 0 else { return false }
        chunks.removeFirst(count)
        droppedCount = index
        return true
    }
}

/// The position of a member or a reader in a span.
package struct Feed {
    let span: Span
    package private(set) var next = 0

    package init(_ span: Span) {
        self.span = span
    }

    package var isAtEnd: Bool { span.isComplete && !hasNext }

    /// Whether there is a chunk to send now.
    package var hasNext: Bool { next < span.end }

    /// Bytes of the next chunk without compression.
    package var nextBytes: Int { hasNext ? span[next].plainByteCount : 0 }

    /// The frames of the next delivery: as many as fit in `limitBytes`, but at least one if there
    /// is one.
    package mutating func take(
        atMost limitBytes: Int, in encodings: [FrameEncoding]
    ) -> [EncodedFrame] {
        var frames: [EncodedFrame] = []
        var bytes = 0
        while hasNext {
            let frame = span[next].frame(in: encodings)
            bytes += frame.plain.count
            if !frames.isEmpty, bytes > limitBytes { break }
            frames.append(frame)
            next += 1
        }
        return frames
    }
}

/// Pieces of batches that were made lately for members that are behind. Pieces end at common
/// revisions, so other members can use them.
struct RecentSpans {
    private var spans: [Span.Start: Span] = [:]
    /// Oldest first.
    private var order: [Span] = []
    private var byteCount = 0

    var isEmpty: Bool { order.isEmpty }

    subscript(start: Span.Start) -> Span? {
        spans.isEmpty ? nil : spans[start]
    }

    /// No more spans than these are kept, however small they are.
    private static let mostSpans = 1024

    /// - Parameter mostBytes: the oldest spans are dropped before, until the others have no more
    ///   bytes than these.
    mutating func add(_ spans: [Span], keeping mostBytes: Int) {
        while byteCount > mostBytes || order.count > RecentSpans.mostSpans { remove(order[0]) }
        for span in spans {
            if let former = self.spans[span.start] { remove(former) }
            self.spans[span.start] = span
            order.append(span)
            byteCount += span.byteCount
        }
    }

    private mutating func remove(_ span: Span) {
        spans[span.start] = nil
        order.removeAll { $0 === span }
        byteCount -= span.byteCount
    }
}

/// A frame of a room's content, packed once, with its encodings, each made once. All receivers
/// share it.
///
/// It names no receiver, only the room. While it exists its room is charged for it, in all
/// encodings that members read. For an answer to a request, the request is charged for the whole
/// span instead. Memory is reserved before a chunk is made. A chunk is used and released only on
/// its room's loop.
package final class Chunk {
    private let frame: EncodedFrame
    private let charge: Charge?

    init(_ frame: EncodedFrame, in accounts: RoomAccounts) {
        self.frame = frame
        charge = accounts.charge(forChunkOf: frame.byteCount(in: accounts.encodings))
    }

    /// Makes a chunk that the request is charged for.
    init(_ frame: EncodedFrame) {
        self.frame = frame
        charge = nil
    }

    /// - Parameter encodings: all encodings that a receiver may need.
    func frame(in encodings: [FrameEncoding]) -> EncodedFrame {
        // What was not made at first counted with the most that it may take.
        if let charge { charge.change(to: frame.byteCount(in: encodings)) }
        return frame
    }

    var plainByteCount: Int { frame.plain.count }

    func byteCount(in encodings: [FrameEncoding]) -> Int { frame.byteCount(in: encodings) }
}
