import ModelSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import SyncWire
import Testing

/// Metrics count what has happened. Everything runs in a simulation, so each count is known.
@Suite("Metrics count")
struct MetricsCountTests {
    private func metrics(_ world: World) throws -> Exposition {
        try Exposition(try #require(world.server).metrics())
    }

    @Test("connections and members, by kind, on all loops")
    func connections() throws {
        let world = try World { $0.threads = 3 }
        var clients: [RawClient] = []
        for number in 0..<5 {
            clients.append(try world.join("c\(number)", "r\(number % 2)").client)
        }
        var found = try metrics(world)
        #expect(found["collsync_connections", "tcp"] == 5)
        #expect(found["collsync_connections", "http"] == 0)
        #expect(found["collsync_members"] == 5 && found["collsync_rooms_open"] == 2)
        clients[0].close()
        clients[1].close()
        world.run(forMilliseconds: 1000)
        found = try metrics(world)
        #expect(found["collsync_connections", "tcp"] == 3)
        #expect(found["collsync_connections_accepted_total", "tcp"] == 5)
        #expect(found["collsync_members"] == 3)
    }

    @Test("transactions, by result, and what they lost")
    func transactions() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        anna.submit(1, in: room, base: 0, [.insert("a"), .insert("b")])
        #expect(world.run { bert.revision(room) == 1 })
        anna.submit(2, in: room, base: 1, [.delete(id("a"))])
        #expect(world.run { bert.revision(room) == 2 })
        // These know nothing of the delete, and one names what never was.
        let field = Field(name: id("f"), value: .bool(true))
        let change = ListOperation.update(id("a"), ItemPatch(set: [field]))
        bert.submit(1, in: room, base: 1, [change, change])
        bert.submit(2, in: room, base: 1, [.delete(id("nothing"))])
        bert.submit(3, in: room, base: 99, [.insert("c")])
        #expect(world.run { bert.replicas[room]?.answers.count == 3 })
        let found = try metrics(world)
        let name = "collsync_transactions_total"
        #expect(found[name, "committed"] == 3)
        #expect(found[name, "unknownItem"] == 1 && found[name, "badBase"] == 1)
        #expect(found[name, "unavailable"] == 0)
        #expect(found["collsync_operations_superseded_total", "deleted"] == 2)
        #expect(found["collsync_operations_superseded_total", "exists"] == 0)
        #expect(
            found["collsync_records_committed_total"] == found["collsync_durable_lag_seconds_count"]
        )
        #expect(found["collsync_commit_seconds_count"] ?? 0 >= 3)
        #expect(found["collsync_transactions_queued"] == 0)
        #expect(found["collsync_store_queue_records"] == 0)
    }

    @Test("what rooms refuse, by limit")
    func roomLimits() throws {
        let world = try World {
            ($0.room.maximumMembers, $0.room.maximumItems) = (2, 2)
            ($0.room.maximumSections, $0.wire.views) = (1, 1)
            $0.wire.viewElements = 2
        }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        let carla = try world.greet("carla")
        let request = carla.join("room")
        #expect(world.run { carla.errors[.request(request)]?.code == .limitExceeded })
        anna.submit(1, in: room, base: 0, [.insert("a"), .insert("b")])
        anna.submit(2, in: room, base: 0, [.insert("c")])
        let section = ListSection(id: id("s"))
        anna.submit(3, in: room, base: 0, [.insertSection(section, to: Placement())])
        anna.submit(4, in: room, base: 0, [.insertSection(section, to: Placement())])
        #expect(world.run { anna.answer(4, in: room) == .reject(.limitExceeded) })
        // There may be no second view, and the first one becomes too large.
        let bounds = ListRect(width: 150, height: 300)
        let larger = ViewLayout(.flow) { $0.decorations = [Decoration(kind: "d")] }
        for (view, layout) in [(1, ViewLayout(.flow)), (2, ViewLayout(.flow)), (1, larger)] {
            bert.send(
                .view(
                    ViewRequest(
                        room: room, view: ViewNumber(view), layout: layout, bounds: bounds)))
            world.run(forMilliseconds: 100)
        }
        #expect(bert.viewErrors.map(\.code) == [.limitExceeded, .limitExceeded])
        let found = try metrics(world)
        let counts = RoomLimit.allCases.map {
            found["collsync_room_refusals_total", "\($0)"].map { Int($0) } ?? -1
        }
        #expect(counts == [1, 0, 1, 2, 0, 0, 1, 0, 1])
    }

    @Test("what rooms refuse since they are full, by limit")
    func fullRooms() throws {
        func refusals(_ limit: RoomLimit, in world: World) throws -> Double? {
            try metrics(world)["collsync_room_refusals_total", "\(limit)"]
        }
        var world = try World { $0.room.maximumBytes = 1 }
        let (carla, full) = try world.join("carla")
        carla.submit(1, in: full, base: 0, [.insert("a")])
        #expect(world.run { carla.answer(1, in: full) == .reject(.limitExceeded) })
        #expect(try refusals(.memory, in: world) == 1)

        world = try World { $0.room.maximumLayouts = 2 }
        let (dora, shown) = try world.join("dora")
        for (view, width) in [(1, 300.0), (2, 400.0), (3, 500.0)] {
            dora.send(
                .view(
                    ViewRequest(
                        room: shown, view: ViewNumber(view), layout: ViewLayout(.flow),
                        bounds: ListRect(width: width, height: 300))))
            world.run(forMilliseconds: 100)
        }
        #expect(dora.viewErrors.map(\.code).allSatisfy { $0 == .limitExceeded })
        #expect(try refusals(.layouts, in: world) == Double(dora.viewErrors.count))
        #expect(!dora.viewErrors.isEmpty)
    }

    @Test("a store that fails, and the answers to that")
    func failure() throws {
        let world = try World(seed: 3)
        let (anna, room) = try world.join("anna")
        world.storage.appendFault = .refuse(.diskFull)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) == .reject(.unavailable) })
        let found = try metrics(world)
        #expect(found["collsync_commits_failed_total"] == 1)
        #expect(found["collsync_transactions_total", "unavailable"] == 1)
        #expect(found["collsync_transactions_total", "committed"] == 0)
        #expect(found["collsync_durable_lag_seconds_count"] == 0)
    }

    @Test("the lag of durability is at least what the commit takes")
    func lag() throws {
        let world = try World { $0.threads = 1 }
        let (anna, room) = try world.join("anna")
        world.simulation.conditions.jobMicroseconds = 30_000...30_000
        let before = try metrics(world)
        for counter in 1...3 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
            #expect(world.run { anna.answer(counter, in: room) != nil })
        }
        let found = try metrics(world)
        let name = "collsync_durable_lag_seconds"
        #expect(before["\(name)_count"] == 0 && found["\(name)_count"] == 3)
        #expect(found["\(name)_sum"] ?? 0 >= 0.09 && found["\(name)_sum"] ?? 1 < 0.3)
        #expect(found["\(name)_bucket", "0.025"] == 0)
        #expect(found["\(name)_bucket", "0.1"] == 3)
    }

    @Test("catching up by batches and snapshots, reads, bytes and errors")
    func catchingUp() throws {
        let world = try World { $0.threads = 1 }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert", everyRevision: true)
        let before = try metrics(world)
        #expect(before["collsync_catch_ups_total", "snapshot"] == 2)
        let received = anna.receivedBytes + bert.receivedBytes
        for counter in 1...4 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
            #expect(world.run { bert.revision(room) == counter && anna.revision(room) == counter })
        }
        let name = try #require(RoomName("room"))
        anna.send(.readSnapshot(ReadSnapshot(request: 70, room: name)))
        anna.send(.readHistory(ReadHistory(request: 71, room: name, from: 1)))
        anna.send(.readHistory(ReadHistory(request: 72, room: name, from: 99)))
        #expect(world.run { anna.done.contains(71) && anna.errors[.request(72)] != nil })
        let found = try metrics(world)
        #expect(found["collsync_catch_ups_total", "batch"] == 4)
        #expect(found["collsync_catch_ups_total", "eachRevision"] == 4)
        #expect(found["collsync_catch_ups_total", "snapshot"] == 2)
        #expect(found["collsync_reads_total", "snapshot"] == 1)
        #expect(found["collsync_reads_total", "batch"] == 1)
        #expect(found["collsync_reads_total", "eachRevision"] == 0)
        #expect(found["collsync_errors_total", "badRevision"] == 1)
        #expect(found["collsync_batch_bytes_count"] == 8)
        let bytes = try #require(found["collsync_fan_out_bytes_total"])
        #expect(bytes > before["collsync_fan_out_bytes_total"] ?? 0)
        #expect(Int(bytes) < anna.receivedBytes + bert.receivedBytes)
        #expect(received > 0)
    }

    @Test("a client that was away too long needs a snapshot")
    func horizon() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 20
        }
        let (anna, room) = try world.join("anna")
        for counter in 1...60 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, [.insert("i\(counter)")])
            #expect(world.run { anna.revision(room) == counter })
        }
        _ = try world.join("bert")
        #expect(try metrics(world)["collsync_horizon_misses_total", "join"] == 0)
        _ = try world.join("carl", from: 1)
        #expect(try metrics(world)["collsync_horizon_misses_total", "join"] == 1)
        #expect(try metrics(world)["collsync_horizon_misses_total", "member"] == 0)
    }

    @Test("views, and the time for their layouts")
    func views() throws {
        let world = try World { $0.threads = 1 }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, (0..<50).map { .insert("i\($0)") })
        #expect(world.run { anna.revision(room) == 1 })
        #expect(try metrics(world)["collsync_layout_seconds_count"] == 0)
        let layout = ViewLayout(.flow) { $0.itemSize = ListSize(width: 100, height: 50) }
        for view in 1...2 as ClosedRange<ViewNumber> {
            anna.send(
                .view(
                    ViewRequest(
                        room: room, view: view, layout: layout,
                        bounds: ListRect(width: 150, height: 300))))
        }
        #expect(world.run { Set(anna.viewUpdates.map(\.view)).count == 2 })
        var found = try metrics(world)
        #expect(found["collsync_views"] == 2)
        #expect(found["collsync_view_updates_total"] == Double(anna.viewUpdates.count))
        #expect(found["collsync_layout_steps_total"] ?? 0 > 0)
        #expect(found["collsync_layout_seconds_count"] ?? 0 >= 1)
        anna.close()
        world.run(forMilliseconds: 1000)
        found = try metrics(world)
        #expect(found["collsync_views"] == 0 && found["collsync_members"] == 0)
    }

    @Test("a room that is deleted has no members and no views")
    func deletion() throws {
        let world = try World { $0.threads = 2 }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        let layout = ViewLayout(.flow) { $0.itemSize = ListSize(width: 100, height: 50) }
        anna.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: layout,
                    bounds: ListRect(width: 150, height: 300))))
        #expect(world.run { !anna.viewUpdates.isEmpty })
        #expect(try metrics(world)["collsync_views"] == 1)
        let name = try #require(RoomName("room"))
        anna.send(.deleteRoom(RoomRequest(request: 90, room: name)))
        #expect(world.run { anna.done.contains(90) })
        world.run(forMilliseconds: 1000)
        let found = try metrics(world)
        #expect(found["collsync_members"] == 0 && found["collsync_views"] == 0)
        #expect(found["collsync_rooms_open"] == 0)
        #expect(found["collsync_errors_total", "roomDeleted"] == 1)
        #expect(found["collsync_connections", "tcp"] == 1)
    }

    @Test("turns, their steps, and what they leave in queues")
    func turns() throws {
        let world = try World {
            $0.turnSteps = 256
            $0.threads = 1
            $0.slowMilliseconds = 50
        }
        let (anna, room) = try world.join("anna")
        for counter in 1...500 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
        }
        var most = 0.0
        let isDone = world.run {
            most = max(most, (try? metrics(world)["collsync_transactions_queued"]) ?? 0)
            return anna.replicas[room]?.answers.count == 500
        }
        #expect(isDone && most > 0 && most <= 500)
        var found = try metrics(world)
        let turns = try #require(world.server?.turns)
        #expect(found["collsync_transactions_queued"] == 0)
        #expect(found["collsync_turns_full_total"] == Double(turns.fullTurns))
        #expect(turns.fullTurns > 0 && found["collsync_loop_holds_total"] == 0)
        #expect(found["collsync_turn_seconds_count"] == Double(turns.turns))
        for phase in ["read", "apply", "compose", "write"] {
            #expect(found["collsync_turn_steps_total", phase] ?? 0 > 0, "\(phase)")
        }
        world.simulation.conditions.clockReadMicroseconds = 60_000
        anna.submit(501, in: room, base: 0, [.insert("late")])
        #expect(world.run { anna.answer(501, in: room) != nil })
        world.simulation.conditions.clockReadMicroseconds = 0
        found = try metrics(world)
        let holds = try #require(world.server?.turns.holds)
        #expect(holds > 0 && found["collsync_loop_holds_total"] == Double(holds))
        #expect(found["collsync_loop_hold_longest_seconds"] ?? 0 >= 0.06)
        let short = found["collsync_turn_seconds_bucket", "0.05"] ?? 0
        #expect((found["collsync_turn_seconds_count"] ?? 0) - short >= Double(holds))
    }

    @Test("a room's state that is lent")
    func loans() throws {
        let world = try World {
            $0.turnSteps = 512
            $0.threads = 1
        }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, base: 0, (0..<300).map { .insert("i\($0)") })
        #expect(world.run { anna.answer(1, in: room) != nil })
        world.run(forMilliseconds: 1000)
        let found = try metrics(world)
        #expect(found["collsync_loans_total", "transaction"] == 1)
        let all = ["transaction", "output", "image"].reduce(0) {
            $0 + (found["collsync_loans_total", $1] ?? 0)
        }
        #expect(found["collsync_loan_seconds_count"] == all)
        #expect(found["collsync_jobs_waiting", "work"] == 0)
    }
}
