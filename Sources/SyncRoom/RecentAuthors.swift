import SyncEngine
import SyncModel
import SyncWire

/// The slot of the author that made each of the newest revisions. The counter of a revision is
/// among its author's results, see ``Authors``.
///
/// # Performance
/// Four bytes a revision; O(1) to record and to find one.
struct RecentAuthors {
    /// How many of the newest revisions are kept.
    static let maximumCount = 4096

    /// By revision, modulo the maximum.
    private var slots: [UInt32] = []

    private static let nobody = UInt32.max

    var byteCount: Int { slots.capacity * MemoryLayout<UInt32>.stride }

    @inline(__always)
    mutating func note(_ slot: UInt32, at revision: Revision) {
        let index = RecentAuthors.index(of: revision)
        if index < slots.count {
            slots[index] = slot
        } else {
            grow(through: index)
            slots[index] = slot
        }
    }

    private mutating func grow(through index: Int) {
        while slots.count <= index { slots.append(RecentAuthors.nobody) }
    }

    /// The slot that may have made a revision. Only the author's results say whether it did, as an
    /// author may be evicted and its slot used again.
    func slot(at revision: Revision) -> UInt32? {
        let index = RecentAuthors.index(of: revision)
        return index < slots.count && slots[index] != RecentAuthors.nobody ? slots[index] : nil
    }

    @inline(__always)
    private static func index(of revision: Revision) -> Int {
        Int(revision % Revision(maximumCount))
    }
}

extension Authors {
    /// Computes the authors of the newest revisions from the records.
    mutating func rebuildRecent() {
        recent = RecentAuthors()
        let newest = records.reduce(0) { max($0, $1.lastRevision) }
        let first = newest - min(newest, Revision(RecentAuthors.maximumCount - 1))
        for record in records {
            guard let author = record.author else { continue }
            for result in record.results.reversed() {
                if result.madeRevision < first { break }
                recent.note(author.slot, at: result.madeRevision)
            }
        }
    }

    /// The author and the counter that made a revision, if they are still known.
    func author(of revision: Revision) -> (author: Author, counter: UInt64)? {
        guard let slot = recent.slot(at: revision), let author = author(in: slot),
            let counter = records[Int(slot)].counter(of: revision)
        else { return nil }
        return (author, counter)
    }
}

extension Room {
    /// Frames that name the authors of the revisions of a span, as far as these are known.
    func encodeAuthors(above from: Revision, to: Revision) -> [EncodedFrame] {
        let most = Revision(RecentAuthors.maximumCount)
        let first = max(from, to - min(to, most)) + 1
        guard first <= to else { return [] }
        budget.spend(WorkCost.coldEngineStep.steps(Int(to - first) + 1))
        let encoder = MessageEncoder()
        var frames: [EncodedFrame] = []
        var message = BatchAuthors(room: handle)
        var places: [UInt32: Int] = [:]
        var bytes = 0
        for revision in first...to {
            guard let (author, counter) = state.authors.author(of: revision) else { continue }
            if bytes >= partBytes {
                frames.append(encoder.encode(.authors(message)))
                message = BatchAuthors(room: handle)
                (places, bytes) = ([:], 0)
            }
            let place = places[author.slot] ?? message.authors.count
            if place == message.authors.count {
                guard let client = state.engine.id(of: author) else { continue }
                let user = state.authors[author].user
                message.authors.append(.init(client: client, user: user.text))
                places[author.slot] = place
                bytes += client.text.utf8.count + user.text.utf8.count + Room.bytesOfAuthor
            }
            message.transactions.append(
                .init(revision: revision, counter: counter, author: place))
            bytes += Room.bytesOfAuthor
        }
        if !message.transactions.isEmpty { frames.append(encoder.encode(.authors(message))) }
        return frames
    }

    /// Bytes of an author or a transaction without names, at most.
    private static let bytesOfAuthor = 24
}
