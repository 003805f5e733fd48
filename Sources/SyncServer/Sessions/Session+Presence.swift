import SyncRoom
import SyncWire

extension Session {
    /// Has the loop of its room show others what this member shows.
    func present(_ presence: Presence) {
        guard isIn(presence.room) else { return }
        let id = id
        ask(.presence, of: presence.room) { host in host.present(presence, by: id) }
    }
}

extension RoomHost {
    func present(_ presence: Presence, by id: MemberID) {
        do throws(RoomRefusal) {
            try room.present(presence.state, by: id)
            loop.compose(self)
        } catch {
            loop.tell(id) { $0.refuse(about: presence.room, error.code, error.text) }
        }
    }
}
