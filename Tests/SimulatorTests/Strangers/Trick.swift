import EngineTwin
import SeededRandom
import SyncBytes
import SyncLayout
import SyncModel
import SyncWire

/// What strangers do to stop a server, at a small scale. They only read the rooms of others; in
/// their own rooms they do anything.
enum Trick: String, CaseIterable {
    /// Many transactions at once, small and large.
    case floods
    /// Transactions that are refused, again and again.
    case refusals
    /// Reads of rooms and their history whose answers are not read.
    case unreadReads
    /// Lists of all rooms, and figures.
    case lists
    /// Joins from old revisions, whose batches are not read.
    case resumes
    /// Views that are opened, resized, switched and left; some are not read.
    case views
    /// Drags and presence that change all the time.
    case drags
    /// Rooms that are created and left.
    case rooms
    /// Rooms that are deleted while requests about them are pending.
    case deletions
    /// Frames that arrive in pieces and never end.
    case unfinished
    /// Connections that are opened and cut.
    case connections
    /// All of these at random.
    case mixture
    /// Rooms that are filled as far as the server's memory allows.
    case hoards

    /// The tricks that can be combined.
    static let usual = allCases.filter { $0 != .hoards }

    /// The number of connections that it needs.
    var connectionCount: Int {
        switch self {
        case .connections: 12
        case .resumes, .views: 6
        case .hoards: 8
        default: 3
        }
    }

    /// Plays the trick once.
    func play(_ stranger: Stranger, _ scene: inout Scene) {
        switch self {
        case .floods: scene.flood(stranger)
        case .refusals: scene.submitNonsense(stranger)
        case .unreadReads:
            stranger.reads = scene.random.chance(10)
            for _ in 0..<8 { scene.read(stranger) }
        case .lists:
            for _ in 0..<8 { scene.ask(stranger) }
        case .resumes: scene.resume(stranger)
        case .views: scene.look(stranger)
        case .drags: scene.drag(stranger)
        case .rooms: scene.comeAndGo(stranger)
        case .deletions: scene.delete(stranger)
        case .unfinished: scene.sayPart(stranger)
        case .connections: if scene.random.chance(30) { stranger.close() }
        case .mixture:
            let tricks = Trick.usual.filter { $0 != .mixture }
            scene.random.pick(tricks)?.play(stranger, &scene)
        case .hoards: scene.fill(stranger)
        }
    }

    /// What a stranger works with.
    struct Scene {
        var random: SplitMix64
        /// The rooms of others, and its own.
        let othersRooms: [String]
        let ownRooms: [String]
        let client: String
        private var items = 0
        private var joins = 0

        init(random: SplitMix64, othersRooms: [String], number: Int) {
            self.random = random
            self.othersRooms = othersRooms
            ownRooms = (0..<3).map { "stranger \(number) \($0)" }
            client = "stranger \(number)"
        }
    }
}

extension Trick.Scene {
    private static let layouts = LayoutSpec.Kind.allCases.map { ViewLayout($0) }

    private static let main = Placement(section: id("main"))

    private static func id(_ text: String) -> Identifier {
        guard let id = try? Identifier(text) else {
            preconditionFailure("'\(text)' is an id")
        }
        return id
    }

    /// One of its own rooms that it has joined; if there is none, it joins one and returns `nil`.
    private mutating func ownPlace(_ stranger: Stranger) -> Stranger.Place? {
        let places = stranger.places.filter { ownRooms.contains($0.room) }
        if let place = random.pick(places) { return place }
        enter(random.pick(ownRooms) ?? "", stranger, presence: true)
        return nil
    }

    /// Joins as a new client.
    private mutating func enter(
        _ room: String, _ stranger: Stranger, at place: Stranger.Place? = nil,
        isViewOnly: Bool = false, presence: Bool = false
    ) {
        joins += 1
        stranger.join(
            room, as: "\(client) \(joins)", at: place, isViewOnly: isViewOnly, presence: presence)
    }

    private mutating func anyRoom() -> String { random.pick(othersRooms + ownRooms) ?? "" }

    private mutating func insert(characters: Int = 0) -> ListOperation {
        items += 1
        let text = Field(
            name: Self.id("t"), value: .text(String(repeating: "x", count: characters)))
        let content = (try? ItemContent(fields: [text])) ?? ItemContent()
        return .insert(Item(id: Self.id("i\(items)"), content: content), to: Self.main)
    }

    fileprivate mutating func flood(_ stranger: Stranger) {
        guard let place = ownPlace(stranger) else { return }
        if random.chance(20) {
            let count = 50 + random.below(400)
            return stranger.submit((0..<count).map { _ in insert() }, to: place)
        }
        for _ in 0..<random.below(60) {
            stranger.submit([insert(characters: random.below(300))], to: place)
        }
    }

    fileprivate mutating func fill(_ stranger: Stranger) {
        guard let place = stranger.places.first else {
            return enter("\(client) filled \(random.below(100))", stranger)
        }
        for _ in 0..<4 { stranger.submit([insert(characters: 5000)], to: place) }
    }

    fileprivate mutating func submitNonsense(_ stranger: Stranger) {
        guard let place = ownPlace(stranger) else { return }
        for _ in 0..<30 {
            let unknown = Self.id("none \(random.below(10))")
            let operations: [ListOperation] = [
                .move(unknown, to: Placement(section: unknown)), .delete(unknown),
                .insert(Item(id: unknown), to: Placement(section: unknown)),
            ]
            let base = random.chance(20) ? Revision.max : Revision(random.below(100))
            stranger.submit(operations, to: place, base: base)
        }
    }

    fileprivate mutating func read(_ stranger: Stranger) {
        guard let room = RoomName(anyRoom()) else { return }
        let request = stranger.nextRequest()
        let from = Revision(random.below(30))
        if random.chance(50) {
            let revision = random.chance(50) ? nil : from
            return stranger.say(
                .readSnapshot(ReadSnapshot(request: request, room: room, revision: revision)))
        }
        let until = random.chance(70) ? nil : from + 5
        let everyRevision = random.chance(60)
        if from % 3 == 0 { return search(room, from, request, stranger) }
        stranger.say(
            .readHistory(
                ReadHistory(
                    request: request, room: room, from: from, until: until,
                    everyRevision: everyRevision)))
    }

    private func search(
        _ room: RoomName, _ from: Revision, _ request: RequestID, _ stranger: Stranger
    ) {
        let text = from % 2 == 0 ? SearchText("xx") : nil
        let part: ItemQuery.Part =
            text.map { .search($0, in: nil, after: nil) }
            ?? .these([Self.id("none"), Self.id("none")])
        stranger.say(
            .readItems(
                ReadItems(
                    request: request, room: room, revision: from > 15 ? from : nil,
                    ItemQuery(part, limit: 1_000))))
    }

    fileprivate mutating func ask(_ stranger: Stranger) {
        guard random.chance(50), let room = RoomName(anyRoom()) else {
            return stranger.say(.listRooms(ListRooms(request: stranger.nextRequest())))
        }
        stranger.say(.readStats(RoomRequest(request: stranger.nextRequest(), room: room)))
    }

    fileprivate mutating func resume(_ stranger: Stranger) {
        guard let place = random.pick(stranger.places) else {
            return enter(anyRoom(), stranger)
        }
        stranger.reads = random.chance(50)
        stranger.leave(place)
        var former = place
        former.revision = Revision(random.below(Int(clamping: place.revision) + 1))
        enter(place.room, stranger, at: former)
    }

    fileprivate mutating func look(_ stranger: Stranger) {
        guard let place = random.pick(stranger.places) else {
            return enter(anyRoom(), stranger, isViewOnly: random.chance(60))
        }
        if random.chance(3) { return stranger.leave(place) }
        if random.chance(10) { stranger.reads = random.chance(60) }
        let size = random.chance(5) ? 1e6 : Double(100 + random.below(2000))
        stranger.say(
            .view(
                ViewRequest(
                    room: place.handle, view: ViewNumber(1 + random.below(6)),
                    layout: random.chance(40) ? random.pick(Self.layouts) : nil,
                    bounds: ListRect(
                        x: 0, y: Double(random.below(5000)), width: size, height: size / 2),
                    seen: UInt64(random.below(9)), isClosed: random.chance(10))))
    }

    fileprivate mutating func drag(_ stranger: Stranger) {
        guard let place = ownPlace(stranger) else { return }
        if items < 5 { return stranger.submit([insert(), insert(), insert()], to: place) }
        let item = Self.id("i\(1 + random.below(items))")
        let number = DragNumber(1 + random.below(4))
        let point = ListPoint(x: Double(random.below(500)), y: Double(random.below(500)))
        let step: Drag.Step
        switch random.below(8) {
        case 0: return look(stranger)
        case 1: step = .begin(item, view: ViewNumber(1 + random.below(6)), isShared: true)
        case 2: step = .end(counter: 1_000_000)
        case 3: step = .cancel
        case 4, 5: step = .update(point, number: UInt64(random.below(50)), seen: 1)
        default:
            let state = PresenceState(selected: [item], highlighted: [item])
            return stranger.say(.presence(Presence(room: place.handle, state: state)))
        }
        stranger.say(.drag(Drag(room: place.handle, number: number, step)))
    }

    fileprivate mutating func comeAndGo(_ stranger: Stranger) {
        if let place = random.pick(stranger.places), random.chance(50) {
            if random.chance(50), ownRooms.contains(place.room) {
                stranger.submit([insert()], to: place)
            }
            return stranger.leave(place)
        }
        enter("\(client) new \(random.below(1000))", stranger)
    }

    fileprivate mutating func delete(_ stranger: Stranger) {
        flood(stranger)
        read(stranger)
        guard random.chance(20), let room = RoomName(random.pick(ownRooms) ?? "") else { return }
        stranger.say(.deleteRoom(RoomRequest(request: stranger.nextRequest(), room: room)))
        look(stranger)
        read(stranger)
    }

    /// The head of a frame that is longer than the bytes after it.
    fileprivate mutating func sayPart(_ stranger: Stranger) {
        stranger.say(SharedBytes([0xFF, 0xFF, 0x03] + Array(repeating: 0, count: 200)))
        if random.chance(5) { stranger.close() }
    }
}
