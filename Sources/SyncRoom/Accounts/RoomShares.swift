/// Whose the bytes of a room are: the holders in it have equal parts, and so have each one's connections of its part.
///
/// A part is known to a sixteenth, or 256 bytes, so that not all parts change whenever the room does or somebody comes. A
/// member's part goes with the member, so nothing is left of those who have left.
///
/// # Performance
/// O(m) for m members when parts are due, which is each time after the room, or the number of those in it, has changed by
/// a sixteenth: amortized O(1) for each who comes or leaves.
struct RoomShares {
    private var groups: [ObjectIdentifier: HolderInRoom] = [:]
    /// Each holder's part, as it was divided last.
    private var part = 0
    /// Whether a holder has many more or fewer connections here than when it was divided last.
    private var isUneven = false

    mutating func enter(_ member: Member, _ total: Int, _ places: RoomPlaces) {
        let top = member.holder.top
        let group = groups[ObjectIdentifier(top)] ?? HolderInRoom(RoomPlaces(in: places))
        groups[ObjectIdentifier(top)] = group
        group.memberCount += 1
        member.share.group = group
        member.share.part.change(to: total / groups.count / group.memberCount)
        noteCount(of: group)
    }

    mutating func leave(_ member: Member) {
        guard let group = member.share.group else { return }
        member.share.group = nil
        member.share.part.change(to: 0)
        group.memberCount -= 1
        if group.memberCount == 0 {
            groups[ObjectIdentifier(member.holder.top)] = nil
        } else {
            noteCount(of: group)
        }
    }

    private mutating func noteCount(of group: HolderInRoom) {
        let change = abs(group.memberCount - group.dividedCount)
        if change * 16 > group.dividedCount { isUneven = true }
    }

    /// Divides what the room holds, if parts are due.
    mutating func divide(_ total: Int, among members: [Member]) {
        if groups.isEmpty { return }
        let now = total / groups.count
        let change = abs(now - part)
        guard isUneven || change > max(RoomShares.leastChange, part / 16) else { return }
        part = now
        isUneven = false
        for group in groups.values { group.dividedCount = group.memberCount }
        for member in members {
            if let group = member.share.group {
                member.share.part.change(to: now / group.memberCount)
            }
        }
    }

    private static let leastChange = 256
}

/// A holder's connections in a room.
final class HolderInRoom {
    let places: RoomPlaces
    fileprivate(set) var memberCount = 0
    /// How many there were when the room was divided last.
    fileprivate var dividedCount = 0

    fileprivate init(_ places: RoomPlaces) {
        self.places = places
    }
}
