import ModelSupport
import RoomSupport
import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Views, rooms and connections stay within their share of memory")
struct MemoryQuotaTests {
    private static let flow = ViewLayout(.flow)

    private func large(_ name: String, bytes: Int = 100_000) throws -> ListOperation {
        let text = String(repeating: "x", count: bytes)
        let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
        return .insert(Item(id: id(name), content: content), to: Placement(section: id("main")))
    }

    private func view(_ room: RoomHandle, _ number: ViewNumber, width: Double) -> ClientMessage {
        .view(
            ViewRequest(
                room: room, view: number, layout: MemoryQuotaTests.flow,
                bounds: ListRect(width: width, height: 300)))
    }

    /// Inserts until a transaction is refused.
    ///
    /// - Returns: how many were accepted, and the code of the refusal.
    private func fill(
        _ client: RawClient, _ room: RoomHandle, _ world: World
    ) throws -> (taken: UInt64, code: Rejection.Code?) {
        for counter in 1...UInt64(100) {
            client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { client.answer(counter, in: room) != nil })
            if case .reject(let code) = client.answer(counter, in: room) {
                return (counter - 1, code)
            }
        }
        return (100, nil)
    }

    // MARK: The server's memory

    @Test("near the limit no new view or layout is made, and existing ones stay")
    func views() throws {
        let world = try World { $0.maximumMemoryBytes = 8 << 20 }
        let (filler, room) = try world.join("filler", "full")
        // So many connections have frames of the room that none of them reaches its share.
        for number in 0..<8 { _ = try world.join("quiet\(number)", "full") }
        let viewer = try world.greet("viewer")
        let join = viewer.join("full", viewOnly: true)
        #expect(world.run { viewer.joined[join] != nil })
        viewer.send(view(room, 1, width: 300))
        #expect(world.run { viewer.viewUpdates.count == 1 })
        let (taken, code) = try fill(filler, room, world)
        #expect(code == .unavailable)
        // A second view, and the same layout with another size.
        viewer.send(view(room, 2, width: 300))
        #expect(world.run { viewer.viewErrors.count == 1 })
        let other = try world.greet("other")
        let another = other.join("full", viewOnly: true)
        #expect(world.run { other.joined[another] != nil })
        other.send(view(room, 1, width: 555))
        #expect(world.run { other.viewErrors.count == 1 })
        #expect((viewer.viewErrors + other.viewErrors).allSatisfy { $0.code == .unavailable })
        // The first view goes on.
        let count = viewer.viewUpdates.count
        let (deleter, _) = try world.join("deleter", "full")
        world.run(forMilliseconds: 1000)
        deleter.submit(1, in: room, base: taken, [.delete(id("i1"))])
        #expect(world.run { viewer.viewUpdates.count > count })
        #expect(viewer.viewUpdates.last?.revision == taken + 1)
        #expect(viewer.viewErrors.map(\.view) == [2])
    }

    /// What a client says it has sent before is no reason to take more of it.
    @Test("who claims to have sent everything before is refused as early as everybody")
    func claimedCounters() throws {
        var taken: [UInt64] = []
        for counter in [0, 1 << 53 - 1] as [UInt64] {
            let world = try World { $0.maximumMemoryBytes = 8 << 20 }
            let client = try world.greet("filler")
            let room = try world.join(client, "full", counter: counter)
            let filled = try fill(client, room, world)
            #expect(filled.code == .unavailable)
            taken.append(filled.taken)
        }
        #expect(taken[0] == taken[1])
    }

    @Test("a client that was refused for lack of memory may delete with the refused counter")
    func space() throws {
        let world = try World { $0.maximumMemoryBytes = 8 << 20 }
        let (filler, room) = try world.join("filler", "full")
        let (taken, code) = try fill(filler, room, world)
        #expect(code == .unavailable)
        let refused = taken + 1
        filler.submit(refused + 1, in: room, base: taken, [.delete(id("i1"))])
        #expect(world.run { filler.answer(refused + 1, in: room) == .reject(.unavailable) })
        let deletes = (1...5).map { ListOperation.delete(id("i\($0)")) }
        filler.submit(refused, in: room, base: taken, deletes)
        #expect(world.run { filler.revision(room) == refused })
        #expect(
            filler.replicas[room]?.answers.last?.outcome == .ack(Commit(revision: refused)))
        filler.submit(refused + 1, in: room, base: refused, [.insert("small")])
        #expect(world.run { filler.revision(room) == refused + 1 })
    }

    /// A room of many small items, whose layout takes much memory.
    private func manyItems(_ world: World) throws -> (RawClient, RoomHandle) {
        let (writer, room) = try world.join("writer", "many")
        for counter in 1...10 as ClosedRange<UInt64> {
            writer.submit(
                counter, in: room,
                (0..<1000).map { .insert("i\(counter)-\($0)") })
        }
        #expect(world.run { writer.revision(room) == 10 })
        world.run(forMilliseconds: 100)
        return (writer, room)
    }

    @Test("a layout is not made without free memory for it")
    func layouts() throws {
        let plain = try World()
        _ = try manyItems(plain)
        let held = try #require(plain.server).memory.total
        plain.simulation.end()
        // Memory is not short, but it suffices only for half of a layout of 10,000 items.
        let world = try World { $0.maximumMemoryBytes = (held + 160_000) * 10 / 9 }
        let (writer, room) = try manyItems(world)
        // The frames that the writer was sent are gone by now.
        world.run(forMilliseconds: 1000)
        let shortages = world.log.count(of: "memory is short")
        writer.send(view(room, 1, width: 300))
        #expect(world.run { !writer.viewErrors.isEmpty })
        #expect(writer.viewErrors.map(\.code) == [.unavailable])
        #expect(world.log.count(of: "memory is short") == shortages)
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).memory[.views] < 1024)
        // The reserved memory is free again.
        let (another, small) = try world.join("another", "small")
        another.send(view(small, 1, width: 300))
        #expect(world.run { !another.viewUpdates.isEmpty })
    }

    @Test("memory is reserved for rooms that are opened, or read, at the same time")
    func openings() throws {
        let world = try World()
        let names = (0..<8).map { "room\($0)" }
        for name in names {
            let (client, room) = try world.join("filler", name)
            client.submit(1, in: room, base: 0, [try large("i", bytes: 200_000)])
            #expect(world.run { client.answer(1, in: room) != nil })
        }
        // A room takes at most six times its stored bytes, so not all of them fit.
        world.configuration.maximumMemoryBytes = 2 << 20
        try world.crash()
        let late = try world.greet("late")
        let requests = names.map { late.join($0) }
        #expect(
            world.run {
                requests.allSatisfy { late.joined[$0] != nil || late.errors[.request($0)] != nil }
            })
        let refused = requests.indices.filter { late.joined[requests[$0]] == nil }
        #expect(refused.count > 0 && refused.count < names.count)
        for number in refused {
            #expect(late.errors[.request(requests[number])]?.code == .unavailable)
        }
        // A single room fits.
        try world.crash()
        let (again, _) = try world.join("again", names[refused.first ?? 0])
        #expect(again.isConnected)
    }

    @Test("a frame that comes in parts is counted")
    func unfinished() throws {
        let world = try World()
        let client = try world.greet("slow")
        let before = try #require(world.server).memory[.connections]
        let length: [UInt8] = [0xE8, 0x87, 0x80, 0x01]
        client.send(SharedBytes(length + [UInt8](repeating: 0, count: 1 << 20)))
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).memory[.connections] >= before + 1 << 20)
        client.close()
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).memory[.connections] < before + 4096)
    }

    // MARK: Rooms

    @Test("a room over its quota accepts only deletes, and others everything", arguments: 1...3)
    func room(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.room.maximumBytes = 1 << 20 }
        let (filler, room) = try world.join("filler", "full")
        let (taken, code) = try fill(filler, room, world)
        #expect(code == .limitExceeded)
        #expect(taken >= 8 && taken <= 12, "\(taken) transactions of 100 KB were accepted")
        // This refusal is final, so later transactions are judged by themselves.
        filler.submit(taken + 2, in: room, base: taken, [.delete(id("i1"))])
        #expect(world.run { filler.answer(taken + 2, in: room) != nil })
        #expect(filler.answer(taken + 2, in: room) == .ack(Commit(revision: taken + 1)))
        #expect(world.run { filler.revision(room) == taken + 1 })
        #expect(filler.items(room).count == Int(taken) - 1)
        #expect(world.log.count(of: "a room is nearly full") == 1)
        let (other, small) = try world.join("other", "small")
        other.submit(1, in: small, base: 0, [.insert("a")])
        #expect(world.run { other.revision(small) == 1 })
        // No acknowledged transaction is lost.
        try world.crash()
        let (late, again) = try world.join("late", "full")
        #expect(world.run { late.items(again).count == Int(taken) - 1 })
    }

    @Test("the layouts of a room use only what its quota leaves")
    func layoutsOfRoom() throws {
        let plain = try World()
        _ = try manyItems(plain)
        let held = try #require(plain.server).memory[.rooms]
        plain.simulation.end()
        // This leaves next to nothing, because the figure includes some bytes for the room itself.
        let world = try World { $0.room.maximumBytes = held - 10_000 }
        let (writer, room) = try manyItems(world)
        writer.send(view(room, 1, width: 300))
        #expect(world.run { !writer.viewErrors.isEmpty })
        #expect(writer.viewErrors.map(\.code) == [.limitExceeded])
    }

    // MARK: Figures

    @Test("the figures show the memory in use, its limits and the work of the turns")
    func figures() throws {
        let world = try World {
            $0.maximumMemoryBytes = 64 << 20
            $0.storage.maximumDiskBytes = 1 << 30
        }
        world.storage.usedBytes = 12_345
        let (client, room) = try world.join("client", "room")
        client.submit(1, in: room, base: 0, [try large("i")])
        #expect(world.run { client.revision(room) == 1 })
        client.send(view(room, 1, width: 300))
        #expect(world.run { !client.viewUpdates.isEmpty })
        client.send(.readStats(RoomRequest(request: 9, room: try #require(RoomName("room")))))
        #expect(world.run { client.stats[9] != nil })
        let stats = try #require(client.stats[9])
        let (inRoom, server) = (stats.figures, stats.server)
        let roomBytes = try #require(server[.roomBytes])
        let memoryBytes = try #require(inRoom[.memoryBytes])
        #expect(roomBytes >= 100_000 && roomBytes >= memoryBytes / 2)
        for figure in [ServerFigure.connectionBytes, .viewBytes, .turns, .largestTurn] {
            #expect(try #require(server[figure]) > 0, "\(figure)")
        }
        #expect(server[.memoryLimit] == 64 << 20 && inRoom[.memoryLimit] == 2 << 30)
        #expect(server[.diskBytes] == 12_345 && server[.diskLimit] == 1 << 30)
        #expect(server[.connections] == 1 && server[.openRooms] == 1 && server[.pressure] == 0)
        let (turns, fullTurns) = (server[.turns], server[.fullTurns])
        #expect(try #require(turns) >= #require(fullTurns))
    }
}
