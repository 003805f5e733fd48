import CollSync
import CollSyncUV
import ServerSupport
import SyncModel
import Testing

/// Views with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct CollectionViewTests {
    private let bounds = ListRect(x: 0, y: 0, width: 320, height: 480)
    private let flow = LayoutSpec(kind: .flow)

    /// A room with this many items of the usual size, and another client that has only views of it.
    private func rooms(
        _ server: LocalServer, items: Int
    ) async throws -> (writer: CollectionRoom, viewer: CollectionRoom) {
        let writer = try await CollectionClient.connect(to: server.address).join("room")
        let main = Identifier("main")
        try await writer.submit(
            (0..<items).map { index in
                .insert(
                    Item(id: try Identifier("i\(index)")), to: Placement(section: main))
            })
        let viewer = try await CollectionClient.connect(to: server.address)
            .join("room", options: JoinOptions(viewOnly: true))
        return (writer, viewer)
    }

    private func ids(_ elements: [ViewElement]) -> [String] {
        elements.sorted { $0.element.frame.y < $1.element.frame.y }.compactMap { element in
            if case .item(let item) = element.content { item.id.text } else { nil }
        }
    }

    @Test func showsWhatIsOnTheScreen() async throws {
        let server = try await LocalServer.start()
        let (_, viewer) = try await rooms(server, items: 100)
        let view = try await viewer.openView(flow, bounds: bounds)
        let screen = try await view.screen()
        // Five items a line, and eight lines of sixty points.
        #expect(Set(ids(screen.elements)) == Set((0..<40).map { "i\($0)" }))
        #expect(screen.contentSize == ListSize(width: 320, height: 1190))
        #expect(screen.bounds == bounds)
        await #expect(throws: CollectionError.self) { try await viewer.snapshot() }
    }

    @Test func beginsAtTheBeginning() async throws {
        let server = try await LocalServer.start()
        let (_, viewer) = try await rooms(server, items: 100)
        var row = LayoutSpec(kind: .flow)
        row.scrollDirection = .horizontal
        row.rtl = true
        let bounds = ListRect(width: 300, height: 50)
        let view = try await viewer.openView(row, bounds: bounds, atBeginning: true)
        let screen = try await view.screen()
        #expect(Set(ids(screen.elements)) == Set((0..<5).map { "i\($0)" }))
        #expect(screen.bounds == ListRect(x: 5690, width: 300, height: 50))
        view.scroll(to: ListPoint())
        view.scrollToBeginning()
        view.change(layout: flow, scrollingTo: ListPoint(y: 60))
        for await event in view.events {
            guard case .updated(let change) = event else { break }
            if change.bounds.origin == ListPoint(y: 60) { break }
        }
    }

    @Test func eventsReportEachChange() async throws {
        let server = try await LocalServer.start()
        let (writer, viewer) = try await rooms(server, items: 100)
        let view = try await viewer.openView(flow, bounds: bounds)
        var shown: [UInt64: ViewElement] = [:]
        var steps: [String] = []
        for await event in view.events {
            guard case .updated(let change) = event else {
                steps.append("ended")
                break
            }
            for entry in change.disappeared { shown[entry.from.key] = nil }
            for entry in change.changed { shown[entry.to.key] = entry.to }
            for entry in change.appeared { shown[entry.to.key] = entry.to }
            switch steps.count {
            case 0:
                #expect(shown.count == 40)
                steps.append("opened")
                view.scroll(to: ListPoint(x: 0, y: 600))
            case 1:
                #expect(Set(ids(Array(shown.values))) == Set((50..<90).map { "i\($0)" }))
                steps.append("scrolled")
                try await writer.submit([.delete(Identifier("i60"))])
            case 2:
                #expect(!ids(Array(shown.values)).contains("i60"))
                #expect(shown.count == 40)
                #expect(change.revision == 2)
                steps.append("deleted")
                view.resize(to: ListSize(width: 320, height: 60))
            case 3:
                #expect(shown.count == 5)
                steps.append("resized")
                view.change(layout: LayoutSpec(kind: .mosaic))
            case 4:
                #expect(change.contentSize != nil)
                steps.append("switched")
                view.close()
            default: Issue.record("an update after \(steps)")
            }
        }
        #expect(steps == ["opened", "scrolled", "deleted", "resized", "switched", "ended"])
        await #expect(throws: CollectionError.self) { try await view.screen() }
    }

    @Test func goesToAnItemWhereverItIs() async throws {
        let server = try await LocalServer.start()
        let (_, viewer) = try await rooms(server, items: 100)
        let view = try await viewer.openView(flow, bounds: bounds)
        var shifts: [ListPoint?] = []
        for await event in view.events {
            guard case .updated(let change) = event else { break }
            shifts.append(change.shift)
            if shifts.count == 1 {
                view.scroll(toItem: Identifier("i52"), at: ListPoint(x: 0, y: 30))
            } else {
                view.close()
            }
        }
        // The item is in the eleventh line.
        #expect(shifts == [nil, ListPoint(x: 0, y: 570)])
    }

    @Test func saysWhyAViewIsNotToBeHad() async throws {
        let server = try await LocalServer.start()
        let (_, viewer) = try await rooms(server, items: 1)
        do throws(CollectionError) {
            _ = try await viewer.openView(flow, bounds: ListRect(x: 0, y: 0, width: -1, height: 1))
            Issue.record("a view has negative bounds")
        } catch {
            #expect(error.code == "badView")
        }
        viewer.leave()
        await #expect(throws: CollectionError.self) {
            _ = try await viewer.openView(flow, bounds: bounds)
        }
    }

    /// A stream alone keeps its view open; releasing the stream closes the view.
    @Test func aStreamKeepsItsView() async throws {
        let server = try await LocalServer.start()
        let (writer, viewer) = try await rooms(server, items: 1)
        let events = try await viewer.openView(flow, bounds: bounds).events
        try await writer.submit([.delete(Identifier("i0"))])
        for await event in events {
            guard case .updated(let change) = event else {
                Issue.record("the view has ended")
                break
            }
            if !change.disappeared.isEmpty { break }
        }
    }
}
