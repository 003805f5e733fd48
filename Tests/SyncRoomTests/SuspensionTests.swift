import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

@Suite("While the store has failed")
struct SuspensionTests {
    @Test("drags end, and their members are notified once the store recovers")
    func drags() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 1)
        _ = try room.settled.join(Admission(member: member, client: id("anna"), viewOnly: true))
        let insert = ListTransaction(base: 0, operations: [.insert("a")])
        _ = room.receive(try PackedTransaction(insert), counter: 1, from: member)
        let demand = ViewDemand(
            view: 1, spec: LayoutSpec(kind: .flow), bounds: ListRect(width: 100, height: 100))
        try room.settled.show(demand, to: member)
        let begin = Drag.Step.begin(id("a"), view: 1, isShared: false)
        try room.settled.drag(1, begin, by: member)
        room.suspend()
        #expect(throws: RoomRefusal.self) { try room.settled.drag(2, begin, by: member) }
        _ = room.resume(RoomState(), opening: .test)
        var messages: [ServerMessage] = []
        room.compose(with: MessageEncoder(), at: 0) { frames, _ in
            messages += frames.compactMap { try? $0.message() }
        }
        let told = messages.compactMap { message in
            if case .error(let error) = message { error } else { nil }
        }
        #expect(told.map(\.drag) == [1] && told.first?.code == .unavailable)
        #expect(told.first?.retry == true)
    }

    @Test("members still get each other's presence")
    func presence() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let twins = (1...2).map {
            ListenerTwin(ConnectionID(value: $0), client: id("c\($0)"), isTold: true)
        }
        for twin in twins {
            _ = try room.settled.join(
                Admission(member: twin.id, client: twin.client, viewOnly: true, presence: true))
        }
        room.suspend()
        let state = PresenceState(custom: try EncodedValue(.bool(true)))
        try room.settled.present(state, by: twins[1].id)
        var frames: [EncodedFrame] = []
        room.compose(with: MessageEncoder(), at: 0) { sent, members in
            if members.contains(where: { $0.id == twins[0].id }) {
                frames += sent
            }
        }
        #expect(try twins[0].receive(frames, whatIsShown: [twins[1].client: state]) == nil)
        _ = twins[0].take()
        #expect(twins[0].others == [twins[1].client: state])
    }
}
