import EngineTwin
import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

@Suite("Reading items")
struct ItemReadTests {
    private let name = RoomName("room")

    private struct Refused: Error {
        let code: ErrorCode
    }

    /// A request of a client, and its answer.
    private func ask(
        _ query: ItemQuery, of client: RawClient, in world: World, at revision: Revision? = nil,
        origin: Origin? = nil
    ) throws -> Result<Items, Refused> {
        let request = client.makeRequest()
        let room = try #require(name)
        client.send(
            .readItems(
                ReadItems(
                    request: request, room: room, revision: revision, origin: origin,
                    query)))
        let isAnswered = world.run {
            client.done.contains(request) || client.errors[.request(request)] != nil
        }
        #expect(isAnswered)
        if let error = client.errors[.request(request)] {
            return .failure(Refused(code: error.code))
        }
        return .success(try #require(client.items[request]))
    }

    /// All answers of a request and of those that go on behind it.
    private func askOn(
        _ query: ItemQuery, of client: RawClient, in world: World, at revision: Revision? = nil
    ) throws -> [Items] {
        var answers: [Items] = []
        var query = query
        while true {
            let answer = try ask(query, of: client, in: world, at: revision).get()
            answers.append(answer)
            guard let next = answer.next else { return answers }
            switch query.part {
            case .page(let section, _): query.part = .page(in: section, after: next)
            case .search(let text, let section, _):
                query.part = .search(text, in: section, after: next)
            case .these(let ids):
                let index = try #require(ids.firstIndex(of: next))
                query.part = .these(Array(ids[(index + 1)...]))
            }
        }
    }

    private func places(_ snapshot: Snapshot) -> [Stage.PlacedItem] {
        snapshot.sections.enumerated().flatMap { section, state in
            state.items.enumerated().map { index, item in
                Stage.PlacedItem(path: ItemPath(section: section, item: index), item: item)
            }
        }
    }

    /// A room with many revisions and a short horizon, and each of its states.
    private func makeHistory(
        _ world: World, revisions: Int
    ) throws -> (client: RawClient, states: [Snapshot]) {
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        var states = [try #require(anna.replicas[room]?.snapshot)]
        for counter in 1...revisions {
            let item = "i\(counter)"
            let operation: ListOperation =
                switch counter % 6 {
                case 0: .delete(id("i\(counter - 3)"))
                case 1:
                    .insertSection(ListSection(id: id("s\(counter)")), to: Placement())
                case 4: .move(id("i\(counter - 1)"), to: Placement(position: .before(id("i2"))))
                case 5:
                    .insert(
                        try Item(id(item), ["title": .text("Number \(counter)")]),
                        to: Placement(section: id("s\(counter - 4)")))
                default: .insert(item)
                }
            anna.submit(UInt64(counter), in: room, [operation])
            #expect(world.run { anna.revision(room) == Revision(counter) })
            states.append(try #require(anna.replicas[room]?.snapshot))
        }
        return (anna, states)
    }

    @Test(
        "pages, items and searches show any revision, from the room or from the log",
        arguments: 0..<3 as Range<UInt64>)
    func anyRevision(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.room.horizon = 10
            $0.room.maximumHorizon = 20
            $0.storage.snapshotRevisions = 40
        }
        let (anna, states) = try makeHistory(world, revisions: 90)
        let text = try #require(SearchText("NUMBER"))
        for revision in [nil, 0, 3, 41, 79, 80, 85, 90] as [Revision?] {
            let state = states[Int(revision ?? 90)]
            let all = places(state)
            let sections = state.sections.map(\.section.id)
            let pages = try askOn(
                ItemQuery(.page(in: nil, after: nil), limit: 7), of: anna, in: world, at: revision)
            #expect(pages.flatMap(\.items) == all, "revision \(revision ?? 90)")
            #expect(pages.allSatisfy { $0.items.count == 7 || $0.next == nil })
            for page in pages {
                #expect(page.revision == revision ?? 90)
                #expect(page.origin == world.identities["room"]?.origin(of: page.revision))
                let named = Set(page.items.map(\.path.section)).sorted()
                #expect(page.sections.map(\.index) == named)
                #expect(page.sections.map(\.id) == named.map { sections[$0] })
            }
            let ids = ["none", "i85", "i2", "i77", "i3", "i2"].map { id($0) }
            let these = try askOn(
                ItemQuery(.these(ids), limit: 2), of: anna, in: world, at: revision)
            #expect(
                these.flatMap(\.items) == ids.compactMap { id in all.first { $0.item.id == id } })
            let found = try askOn(
                ItemQuery(.search(text, in: nil, after: nil), limit: 3), of: anna, in: world,
                at: revision)
            #expect(found.flatMap(\.items) == all.filter { $0.item["title"] != nil })
        }
    }

    @Test("what the room does not have is an error with a name")
    func errors() throws {
        let world = try World()
        let (anna, states) = try makeHistory(world, revisions: 30)
        let section = try #require(states[30].sections.last?.section.id)
        func code(
            _ part: ItemQuery.Part, at revision: Revision? = nil, origin: Origin? = nil
        ) throws -> ErrorCode? {
            let query = ItemQuery(part, limit: 5)
            let answer = try ask(query, of: anna, in: world, at: revision, origin: origin)
            if case .failure(let refused) = answer { return refused.code } else { return nil }
        }
        #expect(try code(.page(in: nil, after: id("i2"))) == nil)
        #expect(try code(.page(in: id("main"), after: id("i2"))) == nil)
        #expect(try code(.page(in: nil, after: id("none"))) == .badContent)
        // It came later, and was deleted.
        #expect(try code(.page(in: nil, after: id("i2")), at: 1) == .badContent)
        #expect(try code(.page(in: nil, after: id("i3"))) == .badContent)
        #expect(try code(.page(in: id("none"), after: nil)) == .badContent)
        #expect(try code(.page(in: section, after: id("i2"))) == .badContent)
        #expect(try code(.these([id("none")])) == nil)
        #expect(try code(.these([])) == nil)
        #expect(try code(.these([]), at: 31) == .badRevision)
        #expect(try code(.these([]), at: 3, origin: .nowhere) == .roomChanged)
        let other = try #require(RoomName("other"))
        anna.send(.readItems(ReadItems(request: 900, room: other, ItemQuery(.these([]), limit: 1))))
        #expect(world.run { anna.errors[.request(900)]?.code == .roomNotFound })
        #expect(!anna.isClosed)
    }

    /// Items of 16 KiB: an answer ends after some of them.
    private func makeLarge(_ world: World, count: Int) throws -> (RawClient, RoomHandle) {
        let (anna, room) = try world.join("anna")
        let text = Value.text(String(repeating: "a", count: 16_384))
        for start in stride(from: 0, to: count, by: 50) {
            let operations = try (start..<start + 50).map { index in
                ListOperation.insert(
                    try Item(id("i\(index)"), ["text": text]), to: Placement(section: id("main")))
            }
            anna.submit(UInt64(1 + start / 50), in: room, operations)
            #expect(world.run { anna.revision(room) == Revision(1 + start / 50) })
        }
        return (anna, room)
    }

    @Test("an answer ends at the size of a part, and a search after some work, in short turns")
    func bounds() throws {
        let world = try World {
            $0.turnSteps = 2_048
            $0.threads = 1
        }
        let (anna, room) = try makeLarge(world, count: 600)
        world.run(forMilliseconds: 1000)
        let all = places(try #require(anna.replicas[room]?.snapshot))
        let reads = world.storage.logReadCount
        let server = try #require(world.server)
        let before = server.turns
        let query = ItemQuery(.page(in: nil, after: nil), limit: 1000)
        let pages = try askOn(query, of: anna, in: world)
        #expect(pages.flatMap(\.items) == all)
        let partItems = world.configuration.wire.partBytes / 16_384
        #expect(pages.allSatisfy { $0.items.count <= partItems + 1 })
        // No item is found, and each answer has looked at 65,536 steps of 64 bytes.
        let text = try #require(SearchText(String(repeating: "a", count: 100) + "b"))
        let searched = server.turns
        let search = ItemQuery(.search(text, in: nil, after: nil), limit: 1000)
        let answers = try askOn(search, of: anna, in: world)
        #expect(answers.map(\.items.count) == [0, 0, 0])
        // An item takes 257 steps, and a piece some more.
        let last = answers.first?.next.flatMap { Int($0.text.dropFirst()) }
        #expect((240...255).contains(last ?? 0))
        let turns = server.turns.turns - searched.turns
        #expect(turns > 150 * WorkCost.readItem.steps(1_000) / 2_048)
        #expect(server.turns.largestTurn <= max(before.largestTurn, 2 * 2_048))
        #expect(world.storage.logReadCount == reads, "nothing was read from the log")
    }

    @Test("answers that are not taken are bounded for a connection")
    func untakenAnswers() throws {
        let world = try World { $0.reads.maximumBytesPerConnection = 1 << 20 }
        defer { world.simulation.end() }
        _ = try makeLarge(world, count: 50)
        let carl = try world.greet("carl", features: [])
        carl.stream?.isReadingPaused = true
        let room = try #require(name)
        let query = ItemQuery(.page(in: nil, after: nil), limit: 1000)
        for request in 1...60 as ClosedRange<RequestID> {
            carl.send(.readItems(ReadItems(request: request, room: room, query)))
        }
        world.run(forMilliseconds: 3000)
        let server = try #require(world.server)
        #expect(server.unreadAnswerBytes <= 1 << 20)
        carl.stream?.isReadingPaused = false
        #expect(world.run { carl.done.count + carl.errors.count == 60 })
        #expect(!carl.done.isEmpty && carl.items.count == carl.done.count)
        let codes = Set(carl.errors.values.map(\.code))
        #expect(!codes.isEmpty && codes.isSubset(of: [.limitExceeded, .unavailable]))
        world.run(forMilliseconds: 1000)
        #expect(server.unreadAnswerBytes == 0)
    }

    @Test("a room is opened for a request, and no request makes one")
    func opening() throws {
        let world = try World { $0.storage.idleUnloadMilliseconds = 1000 }
        let (anna, states) = try makeHistory(world, revisions: 20)
        anna.close()
        world.run(forMilliseconds: 10_000)
        let ben = try world.greet("ben")
        let answer = try ask(
            ItemQuery(.page(in: nil, after: nil), limit: 1000), of: ben, in: world
        ).get()
        #expect(answer.items == places(states[20]))
        #expect(answer.next == nil)
    }
}
