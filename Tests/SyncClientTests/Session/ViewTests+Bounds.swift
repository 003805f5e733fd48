import SyncClient
import SyncLayout
import SyncModel
import Testing

extension ViewTests {
    /// A new layout and new bounds that wait together are sent in one request only if they were
    /// set together, else in the order in which they were set last.
    @Test func onlyBoundsOfALayoutComeWithIt() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        let circle = ViewLayout(.circle)
        func sent(_ settings: ViewSettings...) -> [[String]] {
            let before = requests(server).count
            // Sent at once, so that the others wait.
            change(client, view, ViewSettings(overscan: Double(before)))
            for one in settings { change(client, view, one) }
            simulation.runUntilIdle()
            return requests(server).dropFirst(before + 1).map { request in
                [request.bounds.map { "y \($0.y)" }, request.layout.map { "\($0.spec.kind)" }]
                    .compactMap { $0 }
            }
        }
        let scroll = ViewSettings(origin: ListPoint(y: 7))
        let resize = ViewSettings(size: ListSize(width: 9, height: 9))
        let switched = ViewSettings(layout: circle)
        let place = ViewSettings(layout: circle, origin: ListPoint(y: 8))
        #expect(sent(place) == [["y 8.0", "circle"]])
        #expect(sent(scroll, switched) == [["y 7.0"], ["circle"]])
        #expect(sent(switched, scroll) == [["circle"], ["y 7.0"]])
        #expect(sent(switched, scroll, switched) == [["y 7.0"], ["circle"]])
        #expect(sent(scroll, switched, place) == [["y 8.0", "circle"]])
        #expect(sent(resize, switched) == [["y 8.0", "circle"]])
        #expect(sent(switched, resize) == [["y 8.0", "circle"]])
    }
}
