import SyncRoom

/// Who has a room made, if there is none.
struct RoomMaker: Sendable {
    /// What its address has and does; `nil` if that is trusted.
    let account: AddressAccount?
    let holder: Holder

    /// Has its address pay for the room; `false` if that has had too many made.
    func pays(at now: UInt64) -> Bool {
        account?.takeNewRoom(at: now) ?? true
    }
}
