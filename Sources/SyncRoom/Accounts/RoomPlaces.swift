/// What a room has few of, and what somebody holds of it.
package struct RoomPlaces {
    let layouts: Account
    let sharedDrags: Account
    /// Bytes of what members show each other.
    let presenceBytes: Account

    /// A room's.
    init(_ policy: RoomPolicy = RoomPolicy()) {
        layouts = Account(limit: policy.maximumLayouts)
        sharedDrags = Account(limit: policy.maximumSharedDrags)
        presenceBytes = Account(limit: policy.maximumPresenceBytes)
    }

    /// A holder's in a room, or a connection's of its holder's.
    init(in pots: RoomPlaces) {
        layouts = Account(in: pots.layouts, share: .ofPlaces)
        sharedDrags = Account(in: pots.sharedDrags, share: .ofPlaces)
        presenceBytes = Account(in: pots.presenceBytes, share: .ofBytes)
    }
}
