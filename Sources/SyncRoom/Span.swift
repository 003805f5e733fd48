import SyncBytes
package import SyncModel
package import SyncWire

/// What brings members and readers to a revision, as chunks: from another revision, or from
/// nothing. All who need the same share it; a snapshot for members also while it is made.
package final class Span {
    /// What it takes members from, and how.
    package struct Start: Hashable {
        /// `nil` for a snapshot.
        package var revision: Revision?
        package var everyRevision = false

        package init(revision: Revision? = nil, everyRevision: Bool = false) {
            self.revision = revision
            self.everyRevision = everyRevision
        }

        /// The least revision of a snapshot that serves in place of a batch from there.
        var leastSnapshot: Revision { revision.map { $0 + 1 } ?? 0 }
    }

    let start: Start
    let revision: Revision
    private var chunks: [Chunk] = []
    /// How many of the first chunks are there no more.
    private var droppedCount = 0
    package private(set) var isComplete = false
    /// Whether the whole room is less to send. Then nothing is in it.
    let isMoreThanRoom: Bool

    package init(from start: Start, to revision: Revision, isMoreThanRoom: Bool = false) {
        self.start = start
        self.revision = revision
        self.isMoreThanRoom = isMoreThanRoom
    }

    var isSnapshot: Bool { start.revision == nil }

    /// What its chunks take plain.
    package var byteCount: Int { chunks.reduce(0) { $0 + $1.plainByteCount } }

    /// Whether there is no chunk that somebody is still to be sent.
    var isEmpty: Bool { chunks.isEmpty }

    var end: Int { droppedCount + chunks.count }

    subscript(index: Int) -> Chunk { chunks[index - droppedCount] }

    func add(_ frames: [EncodedFrame], isLast: Bool, in accounts: RoomAccounts) {
        chunks += frames.map { Chunk($0, in: accounts) }
        isComplete = isLast
    }

    /// Adds what was made for requests, which are charged for all of it.
    package func add(_ frames: [EncodedFrame], isLast: Bool) {
        chunks += frames.map { Chunk($0) }
        isComplete = isLast
    }

    /// What its chunks take.
    package func byteCount(in encodings: [FrameEncoding]) -> Int {
        chunks.reduce(0) { $0 + $1.byteCount(in: encodings) }
    }

    /// Drops the chunks before one. Nobody may begin with it then. Returns whether there were any.
    @discardableResult
    package func drop(before index: Int) -> Bool {
        let count = index - droppedCount
        guard count > 0 else { return false }
        chunks.removeFirst(count)
        droppedCount = index
        return true
    }
}

/// How far a member or a reader has come in a span.
package struct Feed {
    let span: Span
    package private(set) var next = 0

    package init(_ span: Span) {
        self.span = span
    }

    package var isAtEnd: Bool { span.isComplete && !hasNext }

    /// Whether there is something to be sent.
    package var hasNext: Bool { next < span.end }

    /// How many bytes the next chunk has plain.
    package var nextBytes: Int { hasNext ? span[next].plainByteCount : 0 }

    /// The frames of the next delivery: not many bytes, but one at least if there is one.
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

/// Batches that were made lately where a member that is behind is brought up to date in several
/// pieces: others come to the same cuts.
struct RecentSpans {
    private var spans: [Span.Start: Span] = [:]
    /// Oldest first.
    private var order: [Span] = []
    private var byteCount = 0

    var isEmpty: Bool { order.isEmpty }

    subscript(start: Span.Start) -> Span? {
        spans.isEmpty ? nil : spans[start]
    }

    /// More are not kept, however little is in them.
    private static let mostSpans = 1024

    /// - Parameter mostBytes: the oldest go first, until all have no more.
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

/// A piece of what a room shows: immutable content, packed once, and its encodings, made once each.
/// All who are sent it share it.
///
/// It says nothing of whom it is for but the room. Its room is charged for it as long as it is
/// there, with all of its encodings; of what requests read they are charged for the whole span. One
/// counts before it is made, as much as it may take. It is used and let go of on its room's loop
/// only.
package final class Chunk {
    private let frame: EncodedFrame
    private let charge: Charge?
    /// The encodings that it is charged for.
    private var encodings: [FrameEncoding]

    init(_ frame: EncodedFrame, in accounts: RoomAccounts) {
        self.frame = frame
        encodings = accounts.encodings
        charge = accounts.charge(forChunkOf: frame.byteCount(in: encodings))
    }

    /// Makes one that others are charged for.
    init(_ frame: EncodedFrame) {
        self.frame = frame
        encodings = []
        charge = nil
    }

    /// - Parameter encodings: those that somebody may want.
    func frame(in encodings: [FrameEncoding]) -> EncodedFrame {
        if let charge, encodings != self.encodings {
            self.encodings = encodings
            charge.change(to: frame.byteCount(in: encodings))
        }
        return frame
    }

    var plainByteCount: Int { frame.plain.count }

    func byteCount(in encodings: [FrameEncoding]) -> Int { frame.byteCount(in: encodings) }
}
