import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

@Suite("Limits that flags set")
struct FlaggedLimitTests {
    @Test("of pending requests, of overscan, of presence")
    func limits() throws {
        let world = try World {
            $0.connections.maximumRequests = 2
            $0.room.maximumOverscan = 100
            $0.wire.presence.items = 1
        }
        let (anna, room) = try world.join("anna", presence: true)
        for request: RequestID in 50..<53 { anna.send(.listRooms(ListRooms(request: request))) }
        #expect(world.run { anna.errors[.request(52)]?.code == .limitExceeded })
        #expect(world.run { anna.roomLists.count == 2 })

        anna.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: ViewLayout(.flow),
                    bounds: ListRect(width: 300, height: 300), overscan: 101)))
        #expect(world.run { anna.viewErrors.last?.code == .limitExceeded })

        anna.send(
            .presence(
                Presence(room: room, state: PresenceState(selected: [id("a"), id("b")]))))
        #expect(world.run { anna.errors[.presence(in: room)]?.code == .limitExceeded })
        #expect(!anna.isClosed)
    }
}
