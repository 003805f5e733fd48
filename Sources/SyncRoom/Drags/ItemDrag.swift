import SyncEngine
import SyncWire

/// An item that a member drags over one of its views, until that is over: dropped, and the move is to be seen;
/// or put back.
///
/// What is held and where it would go are known by their keys, so that edits of others change where they are
/// and not what is meant.
final class ItemDrag {
    /// A place behind an item, or at the beginning of a section.
    struct Target: Equatable {
        var section: ThingKey
        var after: ThingKey?
        /// The index there, without the item itself, when it was found: for when `after` is there no more.
        var index: Int

        static func == (left: Target, right: Target) -> Bool {
            left.section == right.section && left.after == right.after
        }
    }

    let number: DragNumber
    let member: Member
    let view: RoomView
    let item: ThingKey
    let id: Identifier
    /// Its place among the room's shared drags, in which others see its neighbours make room.
    fileprivate(set) var place: Charge?
    var isShared: Bool { place != nil }
    /// The number of the last update that came.
    var update: UInt64 = 0
    /// Whether the target of that is still to be found.
    var isTargetOpen = false
    /// Where it would go; `nil` if it would stay where it is.
    var target: Target?
    /// Whether its member was told the target.
    var isTold = false
    /// Once it is dropped: the revision of the move. The preview stays until that is to be seen.
    var landing: Revision?

    init(
        _ number: DragNumber, of item: ThingKey, _ id: Identifier, by member: Member,
        in view: RoomView, place: Charge?
    ) {
        self.number = number
        self.item = item
        self.id = id
        self.member = member
        self.view = view
        self.place = place
    }
}

/// What members of a room drag, in the order in which they began.
///
/// A member drags one item at a time. Those that it has dropped before and that are not to be seen at their places
/// yet are there besides, some of them.
struct DragTable {
    private(set) var list: [ItemDrag] = []
    /// Counts what became different with those that others see.
    private(set) var version: UInt64 = 0
    /// As of when they were looked after: what is durable, and what is applied.
    var settled: [Revision] = []

    /// How many of a member may be dropped and not to be seen yet.
    static let maximumLanding = 8

    /// What a member holds; `nil` if nothing.
    func held(by member: Member) -> ItemDrag? {
        list.last { $0.member === member && $0.landing == nil }
    }

    /// How many bytes all take, about.
    var byteCount: Int { 512 * list.count }

    mutating func add(_ drag: ItemDrag) {
        list.append(drag)
        settled = []
    }

    mutating func remove(_ drag: ItemDrag) {
        list.removeAll { $0 === drag }
        didChange(drag)
        drag.place = nil
    }

    /// Takes note that it is to be seen otherwise.
    mutating func didChange(_ drag: ItemDrag) {
        if drag.isShared { version += 1 }
    }
}
