import SyncIO
import SyncRoom
import SyncWire

/// What a loop has of those who read rooms, or list them.
final class Reads {
    var feeds: [FeedKey: RequestFeed] = [:]
    /// The rooms that requests wait for.
    var waiting: [FeedKey: RoomName] = [:]
    let slots: ReadSlots
    /// What takes more items or changes to be written is not made on the loop, or in several pieces.
    let mostItems: Int
    /// Where rooms are listed; used on the first loop only.
    let listing: RoomListing

    init(on loop: ServerLoop) {
        let policy = loop.configuration.reads
        slots = ReadSlots(policy.maximumReplays, on: loop)
        mostItems = min(
            policy.itemsPerTurn, WorkCost.readItem.units(for: loop.budget.stepsPerPiece))
        listing = RoomListing(on: loop)
    }

    /// Forgets who reads, as nothing will be answered any more.
    func abandon() {
        for feed in feeds.values { feed.abandon() }
        feeds = [:]
        waiting = [:]
        slots.abandon()
    }
}
