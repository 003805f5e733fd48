import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// Members that are sent a large room in parts, and what the others show, in turns that do not
/// suffice for all of them.
@Suite struct DeliveryTests {
    @Test("a member is sent nothing in a turn that begins before it has taken what came before")
    func oneAtATime() throws {
        let scene = RoomScene(turnSteps: 128)
        for revision in 0..<40 {
            try scene.commit(scene.inserts((0..<5).map { "i\(revision)-\($0)" }, bytes: 2000))
        }
        let room = scene.room
        let members = try (0..<80).map { number in
            let member = ConnectionID(value: UInt64(100 + number))
            _ = try room.join(
                Admission(member: member, client: id("m\(number)"), presence: true))
            return member
        }
        let encoder = MessageEncoder()
        var busy: Set<ConnectionID> = []
        var deliveries = 0
        var fullTurns = 0
        for turn in 0..<300 {
            for (number, member) in members.enumerated()
            where (turn + number) % 3 == 0 && busy.remove(member) != nil {
                room.ready(member)
            }
            let shown = PresenceState(selected: [id("i\(turn % 40)-0")])
            try room.present(shown, by: members[turn % members.count])
            let busyBefore = busy
            scene.budget.begin(.read)
            scene.budget.begin(.compose)
            room.compose(with: encoder, at: UInt64(turn)) { _, receivers in
                for receiver in receivers {
                    deliveries += 1
                    #expect(!busyBefore.contains(receiver.id))
                    busy.insert(receiver.id)
                }
            }
            if room.hasMoreToCompose { fullTurns += 1 }
        }
        #expect(deliveries > 1000 && fullTurns > 10, "\(deliveries), \(fullTurns)")
    }
}
