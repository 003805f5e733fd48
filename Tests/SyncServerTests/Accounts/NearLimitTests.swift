import ModelSupport
import ServerSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Clients are told that a quota of their room is nearly used up.
@Suite("Members of a nearly full room")
struct NearLimitTests {
    /// A room of at most ten items, in which warnings are news at 8 and after 6.
    private static func makeWorld(
        threads: Int = 1, seed: UInt64 = 1, tokens: Bool = true,
        _ configure: (inout ServerConfiguration) -> Void = { $0.room.maximumItems = 10 }
    ) throws -> World {
        try World(seed: seed) {
            $0.threads = threads
            if tokens {
                var authentication = TokenAuthentication(TestTokens())
                authentication.areTakenFromAnywhere = true
                $0.tokens = authentication
            }
            configure(&$0)
        }
    }

    private static func join(
        _ world: World, _ name: String, as role: Role, room: String = "room"
    ) throws -> (client: RawClient, room: RoomHandle) {
        let token = TestTokens.token(name, "*=\(role.name)")
        let client = try world.greet(name, token: token)
        return (client, try world.join(client, room))
    }

    /// Submits a transaction and waits until it is accepted.
    private static func submit(
        _ counter: UInt64, by client: RawClient, in room: RoomHandle, _ world: World,
        _ operations: [ListOperation]
    ) {
        client.submit(counter, in: room, operations)
        #expect(world.run { client.answer(counter, in: room) != nil })
        guard case .ack = client.answer(counter, in: room) else {
            Issue.record("transaction \(counter) is refused")
            return
        }
    }

    private static func items(_ used: UInt64, in room: RoomHandle) -> NearLimit {
        NearLimit(room: room, QuotaUse(.items, used: used, limit: 10))
    }

    @Test("are told at 80 %, and again after it was below 70 %", arguments: [1, 3])
    func editors(threads: Int) throws {
        let world = try Self.makeWorld(threads: threads)
        let (ada, room) = try Self.join(world, "ada", as: .editor)
        let (ann, _) = try Self.join(world, "ann", as: .admin)
        let (other, _) = try Self.join(world, "other", as: .admin, room: "another")
        let (vic, _) = try Self.join(world, "vic", as: .viewer)
        Self.submit(1, by: ada, in: room, world, (1...7).map { .insert("i\($0)") })
        world.run(forMilliseconds: 100)
        #expect(ada.nearLimits.isEmpty)
        Self.submit(2, by: ada, in: room, world, [.insert("i8")])
        Self.submit(3, by: ada, in: room, world, [.insert("i9")])
        let told = [Self.items(8, in: room)]
        #expect(world.run { ada.nearLimits == told && ann.nearLimits == told })
        // Down to 7, which is not below 70 %.
        Self.submit(4, by: ada, in: room, world, [.delete(id("i9")), .delete(id("i8"))])
        Self.submit(5, by: ada, in: room, world, [.insert("j8"), .insert("j9")])
        world.run(forMilliseconds: 100)
        #expect(ada.nearLimits == told && ann.nearLimits == told)
        Self.submit(6, by: ada, in: room, world, ["i7", "j8", "j9"].map { .delete(id($0)) })
        Self.submit(7, by: ada, in: room, world, ["k7", "k8", "k9"].map { .insert($0) })
        let again = told + [Self.items(9, in: room)]
        #expect(world.run { ada.nearLimits == again && ann.nearLimits == again })
        #expect(world.log.count(of: "a room is nearly full") == 2)
        #expect(vic.nearLimits.isEmpty && other.nearLimits.isEmpty)
    }

    @Test("are told when they join, if they may edit", arguments: Role.allCases, [1, 3])
    func joining(role: Role, threads: Int) throws {
        let world = try Self.makeWorld(threads: threads)
        let (ada, room) = try Self.join(world, "ada", as: .editor)
        Self.submit(1, by: ada, in: room, world, (1...8).map { .insert("i\($0)") })
        Self.submit(2, by: ada, in: room, world, [.insert("i9")])
        let (late, _) = try Self.join(world, "late", as: role)
        let told = role == .viewer ? [] : [Self.items(9, in: room)]
        #expect(world.run { late.nearLimits == told })
        Self.submit(3, by: ada, in: room, world, (1...4).map { .delete(id("i\($0)")) })
        let (later, _) = try Self.join(world, "later", as: role)
        world.run(forMilliseconds: 1000)
        #expect(late.nearLimits == told && later.nearLimits.isEmpty)
    }

    @Test("are told by the role of their newest token", arguments: [1, 3])
    func renewal(threads: Int) throws {
        let world = try Self.makeWorld(threads: threads)
        let (ada, room) = try Self.join(world, "ada", as: .editor)
        let (vic, _) = try Self.join(world, "vic", as: .viewer)
        let (eve, _) = try Self.join(world, "eve", as: .editor)
        func renew(_ client: RawClient, _ role: Role) {
            let request = client.makeRequest()
            let token = TestTokens.token(client.name, "*=\(role.name)")
            client.send(.renew(Renew(request: request, token: token)))
            #expect(world.run { client.renewed.contains(request) })
            world.run(forMilliseconds: 100)
        }
        renew(eve, .viewer)
        Self.submit(1, by: ada, in: room, world, (1...8).map { .insert("i\($0)") })
        world.run(forMilliseconds: 1000)
        #expect(vic.nearLimits.isEmpty && eve.nearLimits.isEmpty)
        renew(vic, .editor)
        #expect(world.run { vic.nearLimits == [Self.items(8, in: room)] })
        renew(eve, .admin)
        #expect(world.run { eve.nearLimits == [Self.items(8, in: room)] })
    }

    @Test("are told of each quota by its name")
    func kinds() throws {
        let world = try Self.makeWorld(tokens: false) {
            $0.room.maximumItems = 10
            $0.room.maximumSections = 5
            $0.room.maximumMembers = 3
            $0.room.writes.transactions = Rate(perSecond: 10)
            $0.room.writes.bytes = Rate(perSecond: 900_000)
            $0.room.maximumBytes = 1 << 20
            $0.storage.maximumRoomDiskBytes = 1_000_000
        }
        let (ada, room) = try world.join("ada")
        ada.submit(
            1, in: room,
            (1...3).map { .insertSection(ListSection(id: id("s\($0)")), to: Placement()) })
        let text = String(repeating: "x", count: 100_000)
        let fields = [Field(name: id("t"), value: .text(text))]
        for counter in 2...9 as ClosedRange<UInt64> {
            let item = Item(id: id("i\(counter)"), content: try ItemContent(fields: fields))
            ada.submit(counter, in: room, [.insert(item, to: Placement(section: id("main")))])
        }
        #expect(world.run { ada.answer(9, in: room) != nil })
        let quotas = { Set(ada.nearLimits.map(\.use.quota)) }
        let lasting: Set<Quota> = [.sections, .items, .bytes, .disk]
        #expect(world.run { quotas() == lasting.union([.transactions, .logBytes]) })
        // What was written in a second is long ago by now.
        world.run(forMilliseconds: 2000)
        let (ben, _) = try world.join("ben")
        #expect(world.run { Set(ben.nearLimits.map(\.use.quota)) == lasting })
        let (cleo, _) = try world.join("cleo")
        #expect(world.run { cleo.nearLimits.count == 5 && ada.nearLimits.count == 7 })
        let members = QuotaUse(.members, used: 3, limit: 3)
        for client in [ada, ben, cleo] {
            #expect(client.nearLimits.contains(NearLimit(room: room, members)))
        }
        #expect(ada.nearLimits.contains { $0.use == QuotaUse(.sections, used: 4, limit: 5) })
        #expect(ada.nearLimits.allSatisfy { $0.room == room && $0.use.used <= $0.use.limit })
    }

    // MARK: Floods

    @Test("who do not read have one message of a quota pending, however often it is crossed")
    func slowMembers() throws {
        let world = try Self.makeWorld(threads: 2, tokens: false) {
            $0.room.maximumItems = 10
            $0.connections.heartbeatMilliseconds = 600_000
        }
        // What is deflated would not fill its stream.
        let slow = try world.greet("slow", features: [])
        let room = try world.join(slow)
        let (ada, _) = try world.join("ada")
        let (eve, _) = try world.join("eve")
        slow.stream?.isReadingPaused = true
        let text = String(repeating: "x", count: 200_000)
        let fields = [Field(name: id("t"), value: .text(text))]
        for counter in 1...6 as ClosedRange<UInt64> {
            let item = Item(id: id("i\(counter)"), content: try ItemContent(fields: fields))
            let place = Placement(section: id("main"))
            Self.submit(counter, by: ada, in: room, world, [.insert(item, to: place)])
        }
        #expect(world.run { eve.items(room).count == 6 })
        let rounds: UInt64 = 1000
        for round in 0..<rounds {
            Self.submit(
                2 * round + 1, by: eve, in: room, world,
                [.insert("a\(round)"), .insert("b\(round)")])
            Self.submit(
                2 * round + 2, by: eve, in: room, world,
                [.delete(id("a\(round)")), .delete(id("b\(round)"))])
            world.run(forMilliseconds: 10)
        }
        Self.submit(2 * rounds + 1, by: eve, in: room, world, [.insert("c"), .insert("d")])
        #expect(world.run { ada.nearLimits.count == Int(rounds) + 1 })
        #expect(world.log.count(of: "a room is nearly full") == Int(rounds) + 1)
        #expect(slow.nearLimits.isEmpty)
        slow.stream?.isReadingPaused = false
        #expect(world.run { slow.revision(room) == ada.revision(room) })
        world.run(forMilliseconds: 1000)
        #expect(slow.nearLimits.count == 1 && slow.nearLimits.first == Self.items(8, in: room))
    }
}

/// Connections are told that their user or address has nearly used up a quota.
@Suite("Connections of an account near a limit")
struct NearAccountLimitTests {
    private static let office = "10.0.0.1"

    private static func connections(_ used: UInt64) -> NearLimit {
        NearLimit(room: 0, QuotaUse(.connections, used: used, limit: 5))
    }

    private static func rooms(_ used: UInt64) -> NearLimit {
        NearLimit(room: 0, QuotaUse(.rooms, used: used, limit: 10))
    }

    @Test("are told if they cross it, and nobody else", arguments: [1, 3])
    func addresses(threads: Int) throws {
        let world = try World {
            $0.threads = threads
            $0.addresses.connections = 5
            $0.addresses.rooms = 10
        }
        let trusted = try world.greet("trusted")
        var clients = try (0..<4).map { try world.greet("c\($0)", from: Self.office) }
        #expect(world.run { clients[3].nearLimits == [Self.connections(4)] })
        for number in 0..<9 { _ = try world.join(clients[1], "room \(number)") }
        for number in 0..<9 { _ = try world.join(trusted, "room \(number)") }
        #expect(world.run { clients[1].nearLimits == [Self.rooms(8)] })
        clients.append(try world.greet("c5", from: Self.office))
        clients.append(try world.greet("elsewhere", from: "10.0.1.2"))
        world.run(forMilliseconds: 1000)
        for (number, client) in clients.enumerated() where number != 1 && number != 3 {
            #expect(client.nearLimits.isEmpty, "\(client.name)")
        }
        #expect(trusted.nearLimits.isEmpty)
        #expect(clients[1].nearLimits.count == 1 && clients[3].nearLimits.count == 1)
    }

    @Test("are told of their user, and not of the address that they have left")
    func users() throws {
        let world = try World {
            var tokens = TokenAuthentication(TestTokens())
            tokens.areTakenFromAnywhere = true
            $0.tokens = tokens
            $0.addresses.connections = 5
            $0.users.connections = 5
        }
        var strangers = try (0..<3).map { try world.connect("s\($0)", from: Self.office) }
        // The fourth of its address.
        let ada = try world.greet(
            "ada", from: Self.office, token: TestTokens.token("ada", "*=viewer"))
        #expect(world.log.count(of: "an address is near a limit") == 1)
        strangers.append(try world.connect("s4", from: Self.office))
        let more = try (1...3).map {
            try world.greet("a\($0)", token: TestTokens.token("ada", "*=viewer"))
        }
        #expect(world.run { more[2].nearLimits == [Self.connections(4)] })
        #expect(world.log.count(of: "a user is near a limit") == 1)
        world.run(forMilliseconds: 1000)
        for client in strangers + [ada, more[0], more[1]] {
            #expect(client.nearLimits.isEmpty, "\(client.name)")
        }
    }

    @Test("have one message of a quota pending, however often they cross it")
    func flood() throws {
        let world = try World { $0.addresses.rooms = 10 }
        let (ada, room) = try world.join("ada", "large")
        let text = String(repeating: "x", count: 200_000)
        for counter in 1...10 as ClosedRange<UInt64> {
            let fields = [Field(name: id("t"), value: .text(text))]
            let item = Item(id: id("i\(counter)"), content: try ItemContent(fields: fields))
            ada.submit(counter, in: room, [.insert(item, to: Placement(section: id("main")))])
        }
        #expect(world.run { ada.answer(10, in: room) != nil })
        // What is deflated would not fill its stream.
        let eve = try world.greet("eve", from: Self.office, features: [])
        for number in 0..<5 { _ = try world.join(eve, "room \(number)") }
        // Rooms keep their handles while somebody is in them.
        let others = (5..<8).map { "room \($0)" }
        let handles = try others.map { try world.join("stays in \($0)", $0).room }
        // It asks for much, and does not read it.
        let name = try #require(RoomName("large"))
        eve.stream?.isReadingPaused = true
        eve.send(.readSnapshot(ReadSnapshot(request: eve.makeRequest(), room: name)))
        world.run(forMilliseconds: 1000)
        let warnings = { world.log.count(of: "an address is near a limit") }
        for round in 1...40 {
            for room in others { _ = eve.join(room) }
            #expect(world.run { warnings() == round })
            for handle in handles {
                eve.send(.leave(Leave(request: eve.makeRequest(), room: handle)))
            }
            world.run(forMilliseconds: 50)
        }
        #expect(eve.nearLimits.isEmpty)
        eve.stream?.isReadingPaused = false
        world.run(forMilliseconds: 5000)
        #expect(eve.nearLimits.count == 1 && eve.nearLimits.first == Self.rooms(8))
    }
}
