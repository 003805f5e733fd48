import Foundation
import ModelSupport
import ServerSupport
import SyncLayout
import SyncModel
import SyncServer
import SyncWire
import Testing

/// What each role may do is a table in `Protocol/access.md`. The tests read that table and the
/// schema, so a new message without a row fails.
@Suite("The gate")
struct GateTests {
    private static func text(_ file: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Protocol/\(file)"), encoding: .utf8)
    }

    /// The messages of clients in the schema.
    static func messages() throws -> [String] {
        let schema = try text("collsync.proto")
        let frame = try #require(schema.split(separator: "message Frame {").last)
        let body = try #require(frame.split(separator: "// Server to client.").first)
        return body.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 4, words[2] == "=", words[1] != "deflated" else { return nil }
            return String(words[1])
        }
    }

    /// The least roles in the table; `nil` where it says none.
    static func table() throws -> [String: Role?] {
        let page = try text("access.md")
        let rows = try #require(page.components(separatedBy: "| least role").last)
        var table: [String: Role?] = [:]
        for row in rows.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|")
            let name = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            let role = cells[1].split(whereSeparator: { " ;:,".contains($0) }).first ?? ""
            if role == "none" {
                table[name] = .some(nil)
            } else {
                table[name] = Role.allCases.first { $0.name == role }
            }
        }
        return table
    }

    @Test("has a row for each message of clients, and no other")
    func completeness() throws {
        let messages = try GateTests.messages()
        #expect(messages.count >= 14)
        #expect(Set(messages) == Set(try GateTests.table().keys))
        for (name, role) in try GateTests.table() {
            let message = try Scene.message(name, 1, room: 1)
            #expect(message.leastRole == role, "\(name)")
        }
    }

    @Test(
        "lets each role do what the table says, and nothing else",
        arguments: try GateTests.messages(), [nil] + Role.allCases.map(Optional.some))
    func roles(name: String, role: Role?) throws {
        let row = try #require(try GateTests.table()[name])
        // An admin of one room may not revoke.
        let isAllowed =
            name != "revoke" && (row.map { least in role.map { $0 >= least } ?? false } ?? true)
        let scene = try Scene()
        let client = try scene.join(as: role)
        try scene.check(name, by: client, isAllowed: isAllowed)
    }

    @Test(
        "judges by the role in the room, whatever the role in others is",
        arguments: [
            "join", "read_snapshot", "read_history", "read_items", "read_stats", "delete_room",
        ])
    func otherRooms(name: String) throws {
        let scene = try Scene()
        let client = try scene.world.greet("c", token: TestTokens.token("eve", "mine=admin"))
        let request = client.makeRequest()
        client.send(try Scene.message(name, request, room: 1))
        #expect(scene.world.run { client.errors[.request(request)]?.code == .notAllowed })
        #expect(client.stats.isEmpty && client.snapshots.isEmpty && client.items.isEmpty)
        #expect(client.done.isEmpty)
        #expect(client.joined.isEmpty && !scene.owner.isClosed)
    }

    @Test("lists only rooms in which the user has a role")
    func list() throws {
        let scene = try Scene()
        _ = try scene.world.join(scene.owner, "team-b")
        _ = try scene.world.join(scene.owner, "team-c")
        for (rooms, names) in [
            ("*=viewer", ["room", "team-b", "team-c"]), ("team-*=editor", ["team-b", "team-c"]),
            ("team-c=viewer,room=viewer", ["room", "team-c"]), ("other=admin", []),
        ] {
            let client = try scene.world.greet("l", token: TestTokens.token("lea", rooms))
            client.send(.listRooms(ListRooms(request: client.makeRequest())))
            #expect(scene.world.run { client.roomLists.last?.hasMore == false })
            #expect(client.roomLists.flatMap(\.rooms).map(\.name.text) == names)
        }
    }

    @Test("answers lists for different users that are asked for at once")
    func manyLists() throws {
        let scene = try Scene()
        for number in 1...5 { _ = try scene.world.join(scene.owner, "r\(number)") }
        let clients = try (1...5).map { number in
            try scene.world.greet("l\(number)", token: TestTokens.token("u", "r\(number)=viewer"))
        }
        for client in clients + clients {
            client.send(.listRooms(ListRooms(request: client.makeRequest())))
        }
        #expect(scene.world.run { clients.allSatisfy { $0.roomLists.count == 2 } })
        for (number, client) in clients.enumerated() {
            #expect(client.roomLists.allSatisfy { $0.rooms.map(\.name.text) == ["r\(number + 1)"] })
        }
    }

    @Test("shows the figures of the server only to admins of all rooms")
    func figures() throws {
        let scene = try Scene()
        for (rooms, isShown) in [("*=admin", true), ("room=admin", false), ("*=editor", false)] {
            let client = try scene.world.greet("s", token: TestTokens.token("sam", rooms))
            let request = client.makeRequest()
            client.send(try Scene.message("read_stats", request, room: 1))
            #expect(scene.world.run { client.stats[request] != nil })
            let stats = try #require(client.stats[request])
            #expect(stats.figures[.members] == 1)
            #expect((stats.server[.connections] ?? 0 > 0) == isShown)
        }
    }

    @Test("lets nobody make a room who may not edit it")
    func making() throws {
        let scene = try Scene()
        let viewer = try scene.world.greet("v", token: TestTokens.token("vic", "*=viewer"))
        let request = viewer.join("new")
        #expect(scene.world.run { viewer.errors[.request(request)]?.code == .roomNotFound })
        let editor = try scene.world.greet("e", token: TestTokens.token("edi", "*=editor"))
        _ = try scene.world.join(editor, "new")
        _ = try scene.world.join(viewer, "new")
    }
}

/// A room with one item, its owner, and members with other roles.
private struct Scene {
    let world: World
    let owner: RawClient
    let room: RoomHandle

    init() throws {
        world = try World {
            var tokens = TokenAuthentication(TestTokens())
            tokens.areTakenFromAnywhere = true
            $0.tokens = tokens
        }
        owner = try world.greet("owner", token: TestTokens.token("owner", "*=admin"))
        room = try world.join(owner, presence: true)
        owner.submit(1, in: room, [.insert("a")])
        let (owner, room) = (owner, room)
        #expect(world.run { owner.items(room) == ["a"] })
    }

    /// A client that has a role in the room, and is in it, if it has one.
    func join(as role: Role?) throws -> RawClient {
        let rooms = role.map { "room=\($0.name)" } ?? "other=admin"
        let client = try world.greet("eve", token: TestTokens.token("eve", rooms))
        if role != nil { _ = try world.join(client, presence: true) }
        return client
    }

    static func message(
        _ name: String, _ request: RequestID, room: RoomHandle
    ) throws -> ClientMessage {
        let roomName = try #require(RoomName("room"))
        return switch name {
        case "hello": .hello(Hello())
        case "renew":
            .renew(Renew(request: request, token: TestTokens.token("eve", "*=viewer")))
        case "revoke": .revoke(Revoke(request: request, .user("owner")))
        case "heartbeat": .heartbeat(Heartbeat())
        case "leave": .leave(Leave(request: request, room: room))
        case "list_rooms": .listRooms(ListRooms(request: request))
        case "join":
            .join(Join(request: request, room: roomName, client: id("twin"), secret: [9]))
        case "view":
            .view(
                ViewRequest(
                    room: room, view: 1, layout: ViewLayout(.flow),
                    bounds: ListRect(width: 100, height: 100)))
        case "presence":
            .presence(Presence(room: room, state: PresenceState(selected: [id("a")])))
        case "read_snapshot": .readSnapshot(ReadSnapshot(request: request, room: roomName))
        case "read_history":
            .readHistory(ReadHistory(request: request, room: roomName, from: 0))
        case "read_items":
            .readItems(
                ReadItems(
                    request: request, room: roomName,
                    ItemQuery(.page(in: nil, after: nil), limit: 1)))
        case "read_stats": .readStats(RoomRequest(request: request, room: roomName))
        case "submit":
            .submit(
                try Submit(
                    room: room, counter: 1,
                    transaction: ListTransaction(base: 1, operations: [.insert("b")])))
        case "drag": .drag(Drag(room: room, number: 1, .begin(id("a"), view: 1, isShared: false)))
        case "delete_room": .deleteRoom(RoomRequest(request: request, room: roomName))
        default: throw Unknown(name: name)
        }
    }

    struct Unknown: Error {
        let name: String
    }

    /// Sends a message, and checks that it has its effect, or none and a refusal.
    func check(_ name: String, by client: RawClient, isAllowed: Bool) throws {
        let handle = client.joined.values.first?.handle ?? 1
        let isMember = !client.joined.isEmpty
        let request = client.makeRequest()
        if name == "drag" {
            client.send(try Scene.message("view", 0, room: handle))
            world.run(forMilliseconds: 200)
        }
        client.send(try Scene.message(name, request, room: handle))
        world.run(forMilliseconds: 500)
        let refusal: ErrorCode? = isAllowed ? nil : isMember ? .notAllowed : .unknownRoom
        switch name {
        case "hello": #expect(client.connectionError?.code == .badMessage)
        case "heartbeat": #expect(!client.isClosed && client.errors.isEmpty)
        case "renew": #expect(client.renewed == [request])
        case "list_rooms": #expect(client.roomLists.count == 1)
        case "leave":
            #expect(client.done.contains(request) == isMember)
        case "submit":
            #expect(owner.items(room) == (isAllowed ? ["a", "b"] : ["a"]))
            if isMember, !isAllowed {
                #expect(client.answer(1, in: handle) == .reject(.notAllowed))
            }
        case "view":
            #expect(client.viewUpdates.isEmpty == !isAllowed)
            #expect(client.errors[.view(1, in: handle)]?.code == refusal)
        case "drag":
            #expect(client.errors[.drag(1, in: handle)]?.code == refusal)
            #expect(owner.presenceUpdates.contains { $0.dragged != nil } == isAllowed)
        case "presence":
            #expect(client.errors[.presence(in: handle)]?.code == refusal)
            #expect(owner.others["eve"]?.selected.isEmpty == !isAllowed || !isMember)
        default:
            let code = isAllowed ? joinsTwice(name, isMember) : .notAllowed
            #expect(client.errors[.request(request)]?.code == code)
        }
        #expect(!owner.isClosed)
        let isDeleted = name == "delete_room" && isAllowed
        #expect((owner.troubles[room] ?? []) == (isDeleted ? [.roomDeleted] : []))
    }

    /// A join of a room that the connection is in is refused for another reason.
    private func joinsTwice(_ name: String, _ isMember: Bool) -> ErrorCode? {
        name == "join" && isMember ? .unsupported : nil
    }
}
