/// What of a room counts as a member's own.
struct MemberShare {
    /// Its part of what the room holds.
    let part: Charge
    /// The connections of the same holder in the room.
    var group: HolderInRoom?
    /// Whether its connection holds its share of the server's memory: it may delete.
    var isOver = false
    /// What it has of the room's places.
    private(set) lazy var places = RoomPlaces(in: group?.places ?? RoomPlaces())
    /// What it shows others.
    private(set) lazy var shownBytes = Charge(in: places.presenceBytes)

    init(of holder: Holder) {
        part = Charge(in: holder.memory, isPart: true)
    }
}
