import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

@Suite("Limits that a server may be told")
struct FlaggedLimitTests {
    @Test("of requests under way, of a layout's JSON, of overscan, of presence")
    func limits() throws {
        let world = try World {
            $0.connections.maximumRequests = 2
            $0.connections.maximumLayoutTextBytes = 40
            $0.room.maximumOverscan = 100
            $0.wire.presence.items = 1
        }
        let (anna, room) = try world.join("anna", presence: true)
        for request: RequestID in 50..<53 { anna.send(.listRooms(ListRooms(request: request))) }
        #expect(world.run { anna.errors[.request(52)]?.code == .limitExceeded })
        #expect(world.run { anna.roomLists.count == 2 })

        let layouts = [
            (#"{"layout":{"kind":"flow"}}"#, 101.0),
            (#"{"layout":{"kind":"flow","gap":1}}          "#, 1),
        ]
        for (layout, overscan) in layouts {
            let before = anna.viewErrors.count
            anna.send(
                .view(
                    ViewRequest(
                        room: room, view: 1, layout: layout,
                        bounds: ListRect(width: 300, height: 300),
                        overscan: overscan)))
            #expect(world.run { anna.viewErrors.count > before })
            #expect(anna.viewErrors.last?.code == .limitExceeded, "\(layout)")
        }

        anna.send(
            .presence(
                Presence(room: room, state: PresenceState(selected: [id("a"), id("b")]))))
        #expect(world.run { anna.errors[.room(room)]?.code == .limitExceeded })
        #expect(!anna.isClosed)
    }
}
