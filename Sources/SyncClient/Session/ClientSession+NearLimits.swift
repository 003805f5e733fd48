import SyncModel
import SyncWire

// Quotas that the server says are nearly used up.
extension ClientSession {
    /// Passes a warning on: to the room's membership, or to all if it is about the user or the
    /// address. What only a newer client knows is skipped.
    func didReceive(_ near: NearLimit) {
        let use = near.use
        guard use.quota != .unknown, use.quota.isOfAccount == (near.room == 0) else { return }
        guard use.quota.isOfAccount else {
            if let membership = membership(near.room) { membership.isNear(use) }
            return
        }
        accountUses[use.quota] = use
        for membership in memberships where membership.handle != nil { membership.isNear(use) }
    }

    /// Passes to a membership that has joined what was received of the account before.
    func passAccountUses(to membership: Membership) {
        for quota in Quota.allCases {
            if let use = accountUses[quota] { membership.isNear(use) }
        }
    }
}
