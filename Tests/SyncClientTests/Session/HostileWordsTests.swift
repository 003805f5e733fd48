import EngineTwin
import ModelSupport
import SeededRandom
import SyncBytes
import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A server that sends anything in any order. None of it stops the client, and the client's state
/// stays consistent. Each seed is another server.
@Suite struct HostileWordsTests {
    @Test(arguments: 0..<48)
    func anythingInAnyOrder(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        var words = HostileWords(seed: seed)
        server.answer = { connection, message in
            switch message {
            case .join(let join):
                connection.say(RoomScript.joined(join, revision: 5, resumed: false))
                if words.isTrue() { connection.say(words.snapshot(revision: 5)) }
            case .listRooms(let list): words.requests.append(list.request)
            case .readItems(let read): words.requests.append(read.request)
            case .readHistory(let read): words.requests.append(read.request)
            case .renew(let renew): words.requests.append(renew.request)
            default: break
            }
        }
        server.tokenMilliseconds = words.isTrue() ? 1 : 2_000
        let source = ScriptedSource()
        let client = try SessionFixture(simulation) { $0.token = source }
        client.open()
        var options = Membership.Options()
        (options.presence, options.authors) = (true, true)
        client.join(options: options)
        let name = try #require(RoomName("room"))
        client.session?.ask(.rooms) { _ in }
        client.session?.ask(.history(name, from: 0, until: nil, everyRevision: true)) { _ in }
        let query = ItemQuery(.these([words.id()]), limit: 1)
        client.session?.ask(.items(name, query, revision: nil)) { _ in }
        let membership = try #require(client.membership)
        _ = client.session?.openView(
            of: membership, layout: ViewLayout(.flow), bounds: ListRect(), overscan: 0)
        client.submit([.delete(words.id())])
        for _ in 0..<80 {
            simulation.run(forMilliseconds: 20)
            guard let connection = server.current, !connection.isClosed else { continue }
            words.revision = membership.revision ?? 5
            if words.below(12) == 0 {
                connection.sayRaw(words.damaged())
            } else {
                connection.say(words.message())
            }
            membership.replica.checkInvariants()
        }
        simulation.run(forMilliseconds: 20_000)
        membership.replica.checkInvariants()
        #expect(source.count <= 2 + simulation.nowMicroseconds / 1_000_000)
    }
}

/// Messages of a server; most make no sense.
private struct HostileWords {
    private var random: SplitMix64
    /// The client's requests that may be answered.
    var requests: [RequestID] = []
    /// The client's revision.
    var revision: Revision = 5

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func below(_ count: Int) -> Int { random.below(count) }
    mutating func isTrue() -> Bool { random.below(2) == 0 }

    mutating func id() -> Identifier { ModelSupport.id("i\(below(6))") }

    /// A small number, or a very large one.
    private mutating func index() -> Int {
        isTrue() ? below(4) : [0, 1 << 31, Int(UInt32.max), below(1_000)][below(4)]
    }

    private mutating func path() -> ItemPath { ItemPath(section: index(), item: index()) }
    private mutating func few<Thing>(_ make: (inout HostileWords) -> Thing) -> [Thing] {
        var things: [Thing] = []
        for _ in 0..<below(4) { things.append(make(&self)) }
        return things
    }

    private mutating func someRevision() -> Revision {
        [revision, revision, revision &+ 1, 0, .max, revision &- 1][below(6)]
    }

    private mutating func channel() -> Channel {
        if let request = requests.first, below(3) == 0 { return .request(request) }
        return below(8) == 0 ? .room(RoomHandle(below(3))) : .room(1)
    }

    mutating func snapshot(revision: Revision) -> ServerMessage {
        let pieces = few { words in
            SnapshotPart.Piece(
                section: words.isTrue() ? ListSection(id: words.id()) : nil,
                items: words.few { Item(id: $0.id()) })
        }
        return .snapshot(
            SnapshotPart(
                channel: channel(), revision: revision, pieces: pieces, isFirst: below(4) > 0,
                isLast: below(4) > 0, totalItems: UInt64(index())))
    }

    private mutating func stage() -> Stage {
        var stage = Stage()
        stage.reloads = few { Stage.PlacedItem(path: $0.path(), item: Item(id: $0.id())) }
        stage.inserts = few { Stage.PlacedItem(path: $0.path(), item: Item(id: $0.id())) }
        stage.deletes = few { $0.path() }
        stage.deleteSections = few { $0.index() }
        stage.insertSections = few {
            Stage.PlacedSection(index: $0.index(), section: ListSection(id: $0.id()))
        }
        return stage
    }

    private mutating func batch() -> ServerMessage {
        let batch = Batch(
            from: someRevision(), to: someRevision(), stages: few { $0.stage() },
            sections: index(), counts: few { SectionCount(section: $0.index(), items: $0.index()) }
        )
        return .batch(
            BatchMessage(
                channel: channel(), batch: batch, isContinued: below(4) == 0,
                hasMore: below(4) == 0))
    }

    private mutating func viewUpdate() -> ServerMessage {
        var update = ViewUpdate(
            room: 1, view: ViewNumber(below(3)), number: UInt64(below(4)),
            revision: someRevision(), isFirst: isTrue())
        update.appeared = few { words in
            ViewUpdate.Appeared(
                key: UInt32(words.below(4)),
                element: LayoutElement(.cell(words.path()), frame: ListRect()),
                of: words.id())
        }
        update.items = few { Item(id: $0.id()) }
        update.disappeared = few { ViewUpdate.Disappeared(key: UInt32($0.below(4))) }
        return .viewUpdate(update)
    }

    mutating func message() -> ServerMessage {
        let counter = isTrue() ? 1 : UInt64(index())
        switch below(16) {
        case 0, 1: return batch()
        case 2: return snapshot(revision: someRevision())
        case 3: return RoomScript.ack(counter, someRevision())
        case 4: return RoomScript.reject(counter, isTrue() ? .unavailable : .limitExceeded)
        case 5: return viewUpdate()
        case 6:
            return .presenceUpdate(
                PresenceUpdate(
                    room: 1, client: id(), user: "x",
                    state: PresenceState(selected: few { $0.id() }), left: isTrue()))
        case 7:
            return .dragTarget(
                DragTarget(room: 1, number: DragNumber(below(2)), update: UInt64(index())))
        case 8: return .done(Done(request: requests.first ?? RequestID(below(9))))
        case 9:
            let request = requests.first ?? RequestID(below(9))
            return .roomList(RoomList(request: request, rooms: [], hasMore: isTrue()))
        case 10:
            let codes = ErrorCode.allCases
            return RoomScript.error(codes[below(codes.count)], isTrue() ? subject() : nil)
        case 11: return authors()
        case 12:
            let request = requests.last ?? RequestID(below(9))
            let milliseconds: UInt64 = [0, 1, 500, 1 << 63, .max][below(5)]
            return .renewed(Renewed(request: request, tokenMilliseconds: milliseconds))
        case 14:
            let request = requests.last ?? RequestID(below(9))
            let path = ItemPath(section: below(3), item: index())
            return .items(
                Items(
                    request: request, revision: someRevision(), origin: nil,
                    items: few { Stage.PlacedItem(path: path, item: Item(id: $0.id())) },
                    next: isTrue() ? id() : nil))
        case 13:
            let quota = Quota.allCases[below(Quota.allCases.count)]
            let used: UInt64 = [0, 80, .max][below(3)]
            return .nearLimit(
                NearLimit(room: RoomHandle(below(3)), QuotaUse(quota, used: used, limit: 100)))
        default: return .heartbeat(Heartbeat())
        }
    }

    private mutating func authors() -> ServerMessage {
        let authors = (0..<1 + below(3)).map { _ in BatchAuthors.Author(client: id()) }
        let transactions = few { words in
            BatchAuthors.Transaction(
                revision: words.someRevision(), counter: UInt64(words.index()),
                author: words.below(authors.count))
        }
        return .authors(BatchAuthors(room: 1, authors: authors, transactions: transactions))
    }

    private mutating func subject() -> ErrorSubject {
        switch below(6) {
        case 0: .request(requests.first ?? RequestID(below(9)))
        case 1: .room(1)
        case 2: .transaction(UInt64(below(9)), in: 1)
        case 3: .view(ViewNumber(below(3)), in: 1)
        case 4: .drag(DragNumber(below(3)), in: 1)
        default: .presence(in: 1)
        }
    }

    /// A frame with some changed bytes.
    mutating func damaged() -> [UInt8] {
        var bytes = MessageEncoder().encode(message()).plain.array
        for _ in 0...below(3) {
            bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        }
        return bytes
    }
}
