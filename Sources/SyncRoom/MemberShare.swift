/// What of a room counts as a member's own.
struct MemberShare {
    /// Its part of what the room holds.
    let part: Charge
    /// The connections of the same holder in the room.
    var group: HolderInRoom?
    /// Which transactions its holder's shares of the server's memory and disk allow.
    var intake = Intake.Measure.all
    /// Bytes that it has written, and that its holder does not know of yet.
    var written = 0
    /// What it has of the room's places.
    private(set) lazy var places = RoomPlaces(in: group?.places ?? RoomPlaces())
    /// What it shows others.
    private(set) lazy var shownBytes = Charge(in: places.presenceBytes)

    /// So many bytes are counted at once.
    static let writtenAtOnce = 4096

    init(of holder: Holder) {
        part = Charge(in: holder.memory, isPart: true)
    }
}
