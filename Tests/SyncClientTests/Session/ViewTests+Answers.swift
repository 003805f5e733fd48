import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// Which requests for a view are answered.
extension ViewTests {
    func countedRequests(_ server: ScriptedServer) -> [ViewRequest] {
        server.heard.compactMap { if case .view(let request) = $0 { request } else { nil } }
    }

    func changes(_ client: SessionFixture) -> [ViewChange] {
        client.room.events.compactMap { if case .view(_, let change) = $0 { change } else { nil } }
    }

    func screen(_ client: SessionFixture, _ view: ViewNumber) -> ViewSnapshot? {
        client.membership?.screen(of: view)
    }

    @Test func reportsTheAnsweredRequest() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        func answered(_ serial: UInt64, more: Bool = false) -> UInt64? {
            var update = update((screen(client, view)?.revision ?? 3) - 2)
            update.isFirst = update.number == 1
            update.revision = update.number + 3
            update.head.serial = serial
            update.hasMore = more
            say(server, update)
            let answered = changes(client).last?.answeredSettings
            #expect(answered == screen(client, view)?.answeredSettings)
            return answered
        }
        #expect(screen(client, view)?.answeredSettings == nil)
        #expect(answered(1, more: true) == nil, "the screen is incomplete")
        #expect(answered(1) == 0)
        change(client, view, ViewSettings(origin: ListPoint(y: 40), number: 1))
        #expect(screen(client, view)?.answeredSettings == nil)
        simulation.runUntilIdle()
        change(client, view, ViewSettings(overscan: 7, number: 2))
        simulation.runUntilIdle()
        #expect(countedRequests(server).map(\.serial) == [1, 2, 3])
        #expect(answered(1) == nil && answered(2) == nil, "there is a later request")
        #expect(answered(3) == 2)
        #expect(answered(3) == 2, "nothing was requested since")
        simulation.network.connections.first?.cut()
        simulation.run { countedRequests(server).last?.serial == 4 }
        #expect(screen(client, view)?.answeredSettings == nil, "it is requested again")
    }
}
