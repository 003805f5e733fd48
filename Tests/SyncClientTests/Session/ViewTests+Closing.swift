import ModelSupport
import SeededRandom
import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

extension ViewTests {
    /// A view whose end could not be sent ended with its connection.
    @Test func aViewIsNotClosedOnTheNextConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        say(server, update(1))
        // The first request does not get through, so the second waits, and the end behind both.
        let usual = simulation.conditions.socketBufferBytes
        simulation.conditions.socketBufferBytes = 64
        var random = SplitMix64(seed: 1)
        let kinds = (0..<2_000).map { _ in Decoration(kind: id(String(random.next()))) }
        change(client, view, ViewSettings(layout: ViewLayout(.flow) { $0.decorations = kinds }))
        simulation.run(forMilliseconds: 1)
        change(client, view, ViewSettings(overscan: 7))
        client.session?.closeView(view, of: try #require(client.membership))
        simulation.network.connections.first?.cut()
        simulation.conditions.socketBufferBytes = usual
        simulation.run { server.joins.count == 2 }
        simulation.runUntilIdle()
        #expect(countedRequests(server).isEmpty)
        #expect(open(client) == view + 1)
        #expect(countedRequests(server).map(\.view) == [view + 1])
    }

    @Test func aLayoutThatNoServerTakesEndsTheView() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let long = Decoration(kind: id(String(repeating: " ", count: Identifier.maximumLength)))
        let count = WireLimits().frameBytes / Identifier.maximumLength
        let layout = ViewLayout(.flow) { $0.decorations = Array(repeating: long, count: count) }
        let view = try #require(open(client, layout))
        #expect(client.room.events == [.viewEnded(view, "limitExceeded")])
        #expect(server.connections.count == 1)
    }
}
