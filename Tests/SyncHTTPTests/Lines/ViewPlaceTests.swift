import ModelSupport
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// Where the bounds of a view go, as lines ask for it.
@Suite("Places of views in lines")
struct ViewPlaceTests {
    private let world: LineWorld
    private let client: LineClient
    /// Lines are 60 points apart.
    private static let flow = #"{"kind":"flow","itemSize":{"width":300,"height":50}}"#
    /// Items are 50 points apart.
    private static let waterfall =
        #"{"kind":"waterfall","columnCount":1,"#
        + #""minimumInteritemSpacing":0,"itemSize":{"width":300,"height":50}}"#

    /// A room with a hundred items `i0`….
    init() throws {
        world = try LineWorld(seed: 3)
        client = try world.join()
        let inserts = (0..<100).map {
            #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"#
        }
        client.send(#"{"ops":[\#(inserts.joined(separator: ","))]}"#)
        let client = client
        #expect(world.run { client.snapshot?.revision == 1 })
    }

    /// Sends a line about a view.
    ///
    /// - Returns: the last place to which its bounds were moved, if they were.
    private func show(_ members: String) -> ListPoint? {
        let before = client.lines.count
        client.send(#"{"view":{"id":"v",\#(members)}}"#)
        world.run(forMilliseconds: 500)
        return client.lines[before...].compactMap { line -> ListPoint? in
            if case .viewUpdate(let view) = line { view.offset } else { nil }
        }.last
    }

    /// The items on the screen, from the beginning of the line or of the screen.
    private var items: [String] {
        let shown = client.views["v"]?.elements.keys.compactMap(\.id?.text) ?? []
        return shown.sorted { (Int($0.dropFirst()) ?? 0) < (Int($1.dropFirst()) ?? 0) }
    }

    private func bounds(y: Int, width: Int = 300) -> String {
        #""bounds":{"y":\#(y),"width":\#(width),"height":300}"#
    }

    @Test("a view begins at the beginning, also where that is the right end")
    func beginning() {
        let row = #"{"kind":"flow","scrollDirection":"horizontal","rtl":true}"#
        let bounds = #""bounds":{"width":300,"height":50}"#
        let beginning = #""anchor":{"beginning":true}"#
        // A hundred items, 60 points apart.
        #expect(
            show(#""layout":\#(row),\#(bounds),\#(beginning)"#) == ListPoint(x: 5690))
        #expect(items == (0..<5).map { "i\($0)" })
        #expect(show(#""bounds":{"x":0,"width":300,"height":50}"#) == nil)
        #expect(items.last == "i99")
        #expect(show(beginning) == ListPoint(x: 5690))
        #expect(show(#""anchor":{"beginning":true,"id":"i3"}"#) == nil)
        #expect(client.errors.map(\.code) == ["malformed"])
    }

    @Test("bounds with another layout or width are a place in it")
    func placed() {
        #expect(show(#""layout":\#(ViewPlaceTests.flow),"# + bounds(y: 200)) == nil)
        #expect(
            show(#""layout":\#(ViewPlaceTests.waterfall),"# + bounds(y: 3000)) == nil)
        #expect(items == (60..<66).map { "i\($0)" })
        #expect(show(#""layout":\#(ViewPlaceTests.flow)"#) == ListPoint(y: 3600))
        #expect(show(bounds(y: 0, width: 480)) == nil)
        #expect(items.first == "i0")
        #expect(client.errors.isEmpty)
    }

    @Test("the same bounds keep the item on the screen in its place")
    func anchored() {
        #expect(show(#""layout":\#(ViewPlaceTests.flow),"# + bounds(y: 200)) == nil)
        #expect(
            show(#""layout":\#(ViewPlaceTests.waterfall),"# + bounds(y: 200)) == ListPoint(y: 170))
        // The client has been told of y 170, and goes on from there.
        #expect(
            show(#""layout":\#(ViewPlaceTests.flow),"# + bounds(y: 170)) == ListPoint(y: 200))
        #expect(show(#""layout":\#(ViewPlaceTests.waterfall),"# + bounds(y: 400)) == nil)
        #expect(items.first == "i8")
    }
}
