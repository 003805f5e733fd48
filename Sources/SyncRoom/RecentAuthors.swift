import SyncEngine
import SyncModel
import SyncWire

/// Which author's slot made each of the newest revisions. What an author made with which counter is
/// among its results, see ``Authors``: so a slot for each revision is all there is to keep.
///
/// # Performance
/// Four bytes a revision, and O(1).
struct RecentAuthors {
    /// So many of the newest revisions are known.
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

    /// Who may have made a revision: whether it did its results say.
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
    /// Finds anew who has made the newest revisions.
    mutating func recall() {
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

    /// Who made a revision, and with which counter, if that is still known.
    func author(of revision: Revision) -> (author: Author, counter: UInt64)? {
        guard let slot = recent.slot(at: revision), let author = author(in: slot),
            let counter = records[Int(slot)].counter(of: revision)
        else { return nil }
        return (author, counter)
    }
}

extension Room {
    /// Says who made the revisions of a span, as far as that is known, in as many frames as it
    /// takes.
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
                message.authors.append(.init(client: client, user: user))
                places[author.slot] = place
                bytes += client.text.utf8.count + user.utf8.count + Room.bytesOfAuthor
            }
            message.transactions.append(
                .init(revision: revision, counter: counter, author: place))
            bytes += Room.bytesOfAuthor
        }
        if !message.transactions.isEmpty { frames.append(encoder.encode(.authors(message))) }
        return frames
    }

    /// What an author or a transaction takes beside names, at most.
    private static let bytesOfAuthor = 24
}
