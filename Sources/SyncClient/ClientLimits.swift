package import SyncLayout
package import SyncModel
package import SyncWire

/// How much memory a server can make a client use, whatever it sends. More than that is a
/// ``ClientError/exceeded(_:_:)``, which ends the request, the view or the membership that it is
/// about.
///
/// ``MemoryBytes`` counts the bytes.
package struct ClientLimits: Sendable, Equatable {
    /// Bytes of a frame, and of what a deflated one inflates to. A frame over it ends the
    /// connection.
    package var frameBytes = 32 << 20
    /// Bytes of a room's content; as many more of received news that is not applied yet.
    package var roomBytes = 1 << 30
    /// Bytes of what is on the screen of one view.
    package var viewBytes = 256 << 20
    /// Elements on the screen of one view.
    package var viewElements = 100_000
    /// Bytes of what the others in a room show.
    package var presenceBytes = 64 << 20
    /// Bytes of a list of rooms.
    package var listBytes = 64 << 20
    /// Requests that are not answered yet.
    package var requests = 1_024

    package init() {}

    /// Bytes of a sentence for people; the rest is cut off.
    package static let textBytes = 4_096
    /// Bytes of a token.
    package static let tokenBytes = 8 << 10
    /// Transactions that may be unanswered in a room, whatever the server allows.
    package static let unansweredTransactions = 16_384

    /// What the limits are called in errors.
    package enum Name: String, Sendable {
        case roomBytes, viewBytes, viewElements, presenceBytes, listBytes, requests
        /// Events that are queued for a reader.
        case waitingEvents
    }
}

/// Roughly how much of a client's memory a thing takes: the bytes of its content and a fixed
/// overhead.
package enum MemoryBytes {
    private static let perThing = 64

    package static func of(_ item: Item) -> Int {
        item.content.bytes.count + item.id.text.utf8.count + perThing
    }

    package static func of(_ section: ListSection) -> Int {
        section.content.bytes.count + section.id.text.utf8.count + perThing
    }

    package static func of(_ snapshot: Snapshot) -> Int {
        snapshot.sections.reduce(0) { total, state in
            state.items.reduce(total + of(state.section)) { $0 + of($1) }
        }
    }

    package static func of(_ part: SnapshotPart) -> Int {
        part.pieces.reduce(perThing) { total, piece in
            piece.items.reduce(total + (piece.section.map { of($0) } ?? perThing)) { $0 + of($1) }
        }
    }

    package static func of(_ batch: Batch) -> Int {
        batch.stages.reduce(perThing * (1 + batch.counts.count)) { $0 + of($1) }
    }

    package static func of(_ authors: BatchAuthors) -> Int {
        let names = authors.authors.reduce(0) {
            $0 + $1.client.text.utf8.count + $1.user.utf8.count
        }
        return names + perThing * (1 + authors.authors.count + authors.transactions.count)
    }

    package static func of(_ authors: [TransactionAuthor]) -> Int {
        authors.reduce(perThing) {
            $0 + $1.client.text.utf8.count + $1.user.utf8.count + perThing
        }
    }

    private static func of(_ stage: Stage) -> Int {
        let places =
            stage.deletes.count + stage.moves.count + stage.moveSections.count
            + stage.deleteSections.count
        var total = perThing * (1 + places)
        for placed in stage.reloads { total += of(placed.item) }
        for placed in stage.inserts { total += of(placed.item) }
        for placed in stage.changedSections { total += of(placed.section) }
        for placed in stage.insertSections { total += of(placed.section) }
        return total
    }

    package static func of(_ update: ViewUpdate) -> Int {
        let count = update.appeared.count + update.changed.count + update.disappeared.count
        var total = perThing * (1 + 4 * count)
        for item in update.items { total += of(item) }
        for section in update.sections { total += of(section) }
        return total
    }

    package static func of(_ change: ViewChange) -> Int {
        var total =
            perThing * 4 * (change.appeared.count + change.changed.count + change.disappeared.count)
        // Content that several elements show is stored once.
        var counted: Set<ViewThing> = []
        let contents = change.appeared.map(\.to.content) + change.changed.compactMap(\.newContent)
        for content in contents where counted.insert(content.thing).inserted {
            total += of(content)
        }
        return total
    }

    static func of(_ content: ViewContent) -> Int {
        switch content {
        case .item(let item): of(item)
        case .section(let section): of(section)
        }
    }

    static func of(_ presence: SeenPresence) -> Int {
        let ids = presence.state.selected + presence.state.highlighted
        let fixed =
            perThing + presence.user.utf8.count + presence.displayName.utf8.count
            + (presence.state.custom?.bytes.count ?? 0)
        return ids.reduce(fixed) { $0 + $1.text.utf8.count + perThing }
    }

    static func of(_ rooms: [RoomList.Entry]) -> Int {
        rooms.reduce(0) { $0 + $1.name.text.utf8.count + perThing }
    }
}

extension String {
    /// The text, cut to the length that a sentence may have.
    var boundedSentence: String {
        guard utf8.count > ClientLimits.textBytes else { return self }
        // A character that is cut in two is replaced.
        return String(decoding: utf8.prefix(ClientLimits.textBytes), as: UTF8.self) + "…"
    }
}
