import EngineTwin
import LayoutTwin
import RoomSupport
import SeededRandom
import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A room with one writer and some viewers, from one seed. The log is slow. Viewers scroll, resize,
/// switch and close their views, and take their updates at once or late. After each update the
/// screen is compared with a fresh layout of the room.
final class ViewStory {
    private final class Viewer {
        let id: ConnectionID
        var views: [ViewerTwin] = []
        /// Updates in flight.
        var inbox: [ViewUpdate] = []

        init(_ id: ConnectionID) { self.id = id }
    }

    private let room: Room
    private let encoder = MessageEncoder()
    private let writer = ConnectionID(value: 1)
    private let viewers: [Viewer]
    private var random: SplitMix64
    private var numbers: RandomNumbers
    private var counter: UInt64 = 0
    private var lastItem = 0
    private var lastView: ViewNumber = 0
    private var records: [UInt64] = []
    /// The revisions that moved each item or section.
    private(set) var moves: [Identifier: [Revision]] = [:]
    /// The room at the revisions that viewers may be sent.
    private(set) var snapshots: [Revision: Snapshot] = [:]
    private var milliseconds: UInt64 = 0
    private(set) var updateCount = 0
    /// How often bounds reached an item.
    var arrivals = 0
    /// How often bounds came with another layout.
    var placements = 0

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        numbers = RandomNumbers(seed: seed, hostile: false)
        var policy = RoomPolicy()
        if random.chance(30) { policy.horizon = 3 }
        room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        viewers = (0..<3).map { Viewer(ConnectionID(value: UInt64($0) + 2)) }
        _ = try room.settled.join(Admission(member: writer, client: Identifier("writer")))
        for viewer in viewers {
            _ = try room.settled.join(
                Admission(
                    member: viewer.id, client: try Identifier("v\(viewer.id.value)"),
                    viewOnly: true))
        }
    }

    /// Plays the story.
    ///
    /// - Returns: what went wrong, in words.
    func play(steps: Int) throws -> String? {
        for _ in 0..<steps {
            switch random.below(10) {
            case 0...3: try submit()
            case 4: endTick()
            case 5: appendSome()
            case 6, 7: if let problem = try ask() { return problem }
            default: break
            }
            if let viewer = random.pick(viewers), random.chance(60),
                let problem = try take(viewer)
            {
                return problem
            }
            if random.chance(70), let problem = try compose() { return problem }
        }
        return try finish()
    }

    /// Lets everything finish, and checks all screens once more.
    private func finish() throws -> String? {
        endTick()
        while !records.isEmpty { appendSome() }
        for _ in 0..<10_000 {
            if let problem = try compose() { return problem }
            let waiting = viewers.filter { !$0.inbox.isEmpty }
            for viewer in waiting {
                if let problem = try take(viewer) { return problem }
            }
            if waiting.isEmpty, room.viewsDue == nil { return try screens() }
        }
        return "updates don't come to an end"
    }

    private func screens() throws -> String? {
        guard let snapshot = snapshots[room.durableRevision] else { return "no snapshot" }
        for viewer in viewers {
            for view in viewer.views {
                if view.answered != view.asked { return "\(view.asked) was not answered" }
                if let difference = try view.difference(from: snapshot, isWhole: true) {
                    return "in the end: \(difference)\n\(view.spec) \(view.bounds)"
                }
            }
        }
        return nil
    }

    // MARK: The room

    private func endTick() {
        if let record = room.endTurn(wallClockMilliseconds: 0) { records.append(record.sequence) }
    }

    private func appendSome() {
        guard !records.isEmpty else { return }
        room.appended(through: records.removeFirst())
        _ = room.takeAnswers()
    }

    private func submit() throws {
        let snapshot = try engineSnapshot()
        let operations = try (0..<1 + random.below(3)).map { _ in try operation(snapshot) }
        counter += 1
        let transaction = ListTransaction(base: snapshot.revision, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        room.applyQueued()
        // A refused transaction moves nothing.
        guard room.state.engine.revision > snapshot.revision else { return }
        for operation in operations {
            switch operation {
            case .move(let id, _), .moveSection(let id, _):
                moves[id, default: []].append(room.state.engine.revision)
            default: break
            }
        }
    }

    private func operation(_ snapshot: Snapshot) throws -> ListOperation {
        let sections = snapshot.sections
        let items = sections.flatMap { $0.items.map(\.id) }
        guard let section = random.pick(sections)?.section.id else {
            return .insertSection(ListSection(id: Identifier("main")), to: Placement())
        }
        let index = UInt64(random.below(30))
        let place = Placement(section: section, position: .index(index))
        switch random.below(20) {
        case 0...6:
            lastItem += 1
            let size = random.chance(70) ? numbers.size(10...200, 10...200) : nil
            let title = Field(name: Identifier("t"), value: .number(Double(lastItem)))
            return .insert(
                Item(
                    id: try Identifier("i\(lastItem)"),
                    content: try ItemContent(size: size, fields: [title])),
                to: place)
        case 7, 8:
            guard let item = random.pick(items) else { break }
            return .delete(item)
        case 9...12:
            guard let item = random.pick(items) else { break }
            return .move(item, to: place)
        case 13, 14:
            guard let item = random.pick(items) else { break }
            let field = Field(name: Identifier("t"), value: .number(Double(counter)))
            return .update(item, ItemPatch(set: [field]))
        case 15:
            guard let item = random.pick(items) else { break }
            return .update(item, ItemPatch(size: .set(numbers.size(10...200, 10...200))))
        case 16:
            let id = try Identifier("s\(random.below(5))")
            return .insertSection(
                ListSection(id: id, content: try content()),
                to: Placement(position: .index(UInt64(random.below(4)))))
        case 17: return .deleteSection(section)
        case 18:
            return .moveSection(section, to: Placement(position: .index(UInt64(random.below(4)))))
        default: break
        }
        let field = Field(name: Identifier("n"), value: .number(Double(counter)))
        return .updateSection(section, SectionPatch(set: [field]))
    }

    private func content() throws -> SectionContent {
        guard random.chance(50) else { return SectionContent() }
        let kind = try Identifier(random.chance(50) ? "header" : "footer")
        return try SectionContent(supplementaries: [
            Supplementary(kind: kind, size: numbers.size(0...40, 0...40))
        ])
    }

    // MARK: Viewers

    private func ask() throws -> String? {
        guard let viewer = random.pick(viewers) else { return nil }
        guard let index = viewer.views.indices.randomElement(using: &random), random.chance(85)
        else { return try open(viewer) }
        if random.chance(8) {
            let view = viewer.views.remove(at: index)
            room.closeView(view.number, of: viewer.id)
            viewer.inbox.removeAll { $0.view == view.number }
            if viewer.inbox.isEmpty { room.ready(viewer.id) }
            return nil
        }
        var view = viewer.views[index]
        switch random.below(9) {
        case 0: view.overscan = Double(random.below(3) * 100)
        case 1:
            (view.bounds.width, view.bounds.height) = (numbers.usual(50...600), view.bounds.height)
        case 2: view.bounds.height = numbers.usual(50...600)
        case 3:
            let input = RandomLayoutInput(using: &numbers)
            view.spec = input.spec
            view.surroundings = input.environment
            if random.chance(30) { scroll(&view) }
        case 4, 6: view.anchor = try anchor()
        case 5:
            view.bounds.width = numbers.usual(50...600)
            scroll(&view)
        default: scroll(&view)
        }
        view.asked += 1
        let demand = view.demand
        if let anchor = view.anchor { view.anchor = try pending(anchor.item) }
        if view.key != viewer.views[index].key {
            let scrolled = view.bounds.origin.distance(to: viewer.views[index].bounds.origin)
            if scrolled.x >= 1 || scrolled.y >= 1 {
                view.isPlaced = true
            } else {
                view.hasOtherLayout = true
            }
        }
        view.looks.append(view.look(having: viewer.inbox))
        viewer.views[index] = view
        try room.settled.show(demand, to: viewer.id)
        return nil
    }

    private func scroll(_ view: inout ViewerTwin) {
        // Less than a point counts as none, if it comes with another layout.
        if random.chance(10) {
            view.bounds.y += 0.75
        } else {
            view.bounds.y = numbers.usual(-50...1500)
            view.bounds.x = numbers.usual(-50...300)
        }
        view.anchor = nil
    }

    /// An item to go to, or one that does not exist.
    private func anchor() throws -> ViewerTwin.Anchor {
        let items = try engineSnapshot().sections.flatMap { $0.items.map(\.id) }
        let item = random.chance(90) ? random.pick(items) : nil
        let distance = ListPoint(x: 5, y: numbers.usual(-50...300))
        return (ItemAnchor(item: item ?? Identifier("nobody"), distance: distance), 0)
    }

    /// The room's pending way to an anchor that is requested now, if the item exists.
    private func pending(_ anchor: ItemAnchor) throws -> ViewerTwin.Anchor? {
        let snapshot = try engineSnapshot()
        return anchor.lives(in: snapshot) ? (anchor, snapshot.revision) : nil
    }

    private func engineSnapshot() throws -> Snapshot {
        try #require(room.state.engine.snapshot(at: room.state.engine.revision))
    }

    private func open(_ viewer: Viewer) throws -> String? {
        guard viewer.views.count < 3 else { return nil }
        let input = RandomLayoutInput(using: &numbers)
        lastView += 1
        var view = ViewerTwin(lastView, input.spec, input.environment, input.bounds)
        view.asked = 1
        viewer.views.append(view)
        try room.settled.show(view.demand, to: viewer.id)
        return nil
    }

    private func compose() throws -> String? {
        let durable = room.durableRevision
        if snapshots[durable] == nil, durable >= room.state.engine.horizon {
            snapshots[durable] = room.state.engine.snapshot(at: durable)
        }
        var told: [(viewer: Viewer, frame: EncodedFrame)] = []
        milliseconds += UInt64(random.below(40))
        room.compose(with: encoder, at: milliseconds) { frames, members in
            for viewer in viewers where members.contains(where: { $0.id == viewer.id }) {
                told += frames.map { (viewer, $0) }
            }
        }
        room.ready(writer)
        for (viewer, frame) in told {
            guard case .viewUpdate(let update) = try frame.message() else {
                return "a viewer is told something else"
            }
            if let problem = try send(update, to: viewer) { return problem }
        }
        return nil
    }

    /// Checks an update as a viewer sees it that asks for nothing meanwhile, and sends it.
    private func send(_ update: ViewUpdate, to viewer: Viewer) throws -> String? {
        updateCount += 1
        guard let index = viewer.views.firstIndex(where: { $0.number == update.view }) else {
            return "view \(update.view) is told of, which is closed"
        }
        guard let snapshot = snapshots[update.revision] else {
            return "revision \(update.revision) was not durable"
        }
        let before = viewer.views[index]
        var after = before
        let problem =
            try after.take(update)
            ?? after.difference(from: snapshot, isWhole: !update.hasMore)
            ?? arrived(&after, snapshot)
            ?? moved(from: before, to: after, by: update.shift, snapshot)
            ?? before.beginnings(
                in: update, snapshot, before: before.revision.flatMap { snapshots[$0] })
        if let problem {
            return "update \(update.number) of view \(update.view) at \(update.revision): "
                + "\(problem)\n\(after.spec) \(after.bounds)"
        }
        viewer.views[index].anchor = after.anchor
        viewer.views[index].shownBounds = after.bounds
        viewer.views[index].hasOtherLayout = false
        viewer.views[index].isPlaced = false
        viewer.views[index].looks = [after.look]
        viewer.inbox.append(update)
        return nil
    }

    /// Has a viewer take its updates.
    private func take(_ viewer: Viewer) throws -> String? {
        guard !viewer.inbox.isEmpty else { return nil }
        for update in viewer.inbox {
            guard let index = viewer.views.firstIndex(where: { $0.number == update.view }) else {
                continue
            }
            if let problem = viewer.views[index].take(update) { return problem }
        }
        viewer.inbox = []
        room.ready(viewer.id)
        return nil
    }
}
