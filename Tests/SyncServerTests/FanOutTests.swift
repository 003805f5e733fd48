import ModelSupport
import SeededRandom
import SyncIO
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("What members are sent")
struct FanOutTests {
    @Test("an acknowledgement comes before the batch that shows it", arguments: 1...10)
    func order(seed: UInt64) throws {
        let world = try World(seed: seed)
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        for counter in 1...200 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("a\(counter)")])
            bert.submit(UInt64(counter), in: room, base: 0, [.insert("b\(counter)")])
            if counter % 20 == 0 { world.run(forMilliseconds: 3) }
        }
        #expect(world.run { anna.revision(room) == 400 && bert.revision(room) == 400 })
        #expect(anna.replicas[room]?.lateAnswers == 0)
        #expect(bert.replicas[room]?.lateAnswers == 0)
        #expect(anna.replicas[room]?.snapshot == bert.replicas[room]?.snapshot)
        #expect(anna.replicas[room]?.batchCount ?? 0 < 200, "ticks share batches")
    }

    @Test("an acknowledgement comes before a view's update, also if answers take several turns")
    func orderOfManyAnswers() throws {
        let world = try World {
            $0.turnSteps = 128
            $0.threads = 1
        }
        let members = try (1...10).map { try world.join("m\($0)") }
        let viewer = try world.greet("viewer")
        let join = viewer.join("room", viewOnly: true)
        #expect(world.run { viewer.joined[join] != nil })
        let room = try #require(viewer.joined[join]?.handle)
        let bounds = ListRect(width: 300, height: 300)
        viewer.send(
            .view(ViewRequest(room: room, view: 1, layout: ViewLayout(.flow), bounds: bounds)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        // One append makes the answers of all ready at once. The viewer's come last, and only one
        // of them is for a change: so its update fits into any turn.
        world.simulation.conditions.jobMicroseconds = 200_000...200_000
        for (client, room) in members + [(viewer, room)] {
            for counter in 1...100 as ClosedRange<UInt64> {
                let isChange = client === viewer && counter == 1
                client.submit(counter, in: room, base: 0, isChange ? [.insert("i")] : [])
            }
        }
        #expect(world.run { viewer.replicas[room]?.answers.count == 100 })
        #expect(world.run { viewer.viewUpdates.last?.revision ?? 0 > 1000 })
        #expect(viewer.replicas[room]?.lateAnswers == 0)
    }

    @Test("a slow reader gets a few batches for all that it missed")
    func slowReader() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        world.run(forMilliseconds: 100)
        bert.stream?.isReadingPaused = true
        var random = SplitMix64(seed: 7)
        for counter in 1...3000 {
            let text = String(
                (0..<100).map { _ in
                    Character(
                        ["a", "b", "c", "d", "e", "f", "g", "h"].randomElement(using: &random)
                            ?? "-")
                })
            let item = Item(
                id: id("i\(counter)"),
                content: try ItemContent(fields: [Field(name: id("t"), value: .text(text))]))
            anna.submit(
                UInt64(counter), in: room, base: 0,
                [.insert(item, to: Placement(section: id("main")))])
        }
        #expect(world.run { anna.revision(room) == 3000 })
        let before = bert.replicas[room]?.batchCount ?? 0
        bert.stream?.isReadingPaused = false
        #expect(world.run { bert.revision(room) == 3000 })
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        let batches = (bert.replicas[room]?.batchCount ?? 0) - before
        // The batches in flight when it stopped reading, those queued behind them, and the rest in
        // pieces.
        #expect(batches <= 32, "\(batches)")
    }

    @Test("a member behind the horizon gets a snapshot")
    func pastHorizon() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 20
        }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 })
        let first = try #require(anna.replicas[room]?.snapshot)
        let (resumed, _) = try world.join("bert", holding: first)
        #expect(resumed.joined.values.first?.resumed == true)
        resumed.close()
        for counter in 2...100 {
            anna.submit(UInt64(counter), in: room, [.insert("i\(counter)")])
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
        let (late, _) = try world.join("carl", from: 1)
        #expect(late.joined.values.first?.resumed == false)
        #expect(world.run { late.revision(room) == 100 })
        #expect(late.replicas[room]?.snapshotCount == 1)
        #expect(late.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        anna.send(
            .readSnapshot(
                ReadSnapshot(request: 70, room: try #require(RoomName("room")), revision: 98)))
        #expect(world.run { anna.done.contains(70) })
        let (early, _) = try world.join("dora", holding: anna.snapshots[70])
        #expect(early.joined.values.first?.resumed == true)
        #expect(world.run { early.revision(room) == 100 })
        #expect(early.replicas[room]?.snapshotCount == 0)
        #expect(early.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        let (liar, _) = try world.join("emil", from: 5000)
        #expect(liar.joined.values.first?.resumed == false)
    }

    @Test("the horizon waits for members that need it, up to the maximum")
    func horizonWaits() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 50
        }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        world.run(forMilliseconds: 100)
        func horizon(_ request: RequestID) throws -> Revision {
            anna.send(
                .readStats(RoomRequest(request: request, room: try #require(RoomName("room")))))
            #expect(world.run { anna.stats[request] != nil })
            return try #require(anna.stats[request]?.horizon)
        }
        func edit(_ counters: ClosedRange<UInt64>) {
            for counter in counters {
                anna.submit(counter, in: room, [.insert("i\(counter)")])
                #expect(world.run { anna.revision(room) == counter })
            }
        }
        edit(1...30)
        #expect(try horizon(500) == 0, "bert has acknowledged nothing")
        let origin = world.identities["room"]?.origin(of: 28)
        let foreign = origin.map { Origin(room: $0.room, epoch: EpochID(value: 0)) }
        for (revision, origin) in [(30, nil), (30, foreign), (28, origin)] {
            let held = Heartbeat.Entry(room: room, revision: Revision(revision), origin: origin)
            bert.send(.heartbeat(Heartbeat(rooms: [held])))
        }
        world.run(forMilliseconds: 100)
        edit(31...32)
        #expect(try horizon(501) == 27)
        edit(33...90)
        #expect(try horizon(502) == 40)
    }

    @Test("a slow reader continues from what it was sent, however many revisions have come")
    func goingOn() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 20
        }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        world.run(forMilliseconds: 100)
        let snapshots = bert.replicas[room]?.snapshotCount
        bert.stream?.isReadingPaused = true
        let text = Field(name: id("t"), value: .text(String(repeating: "x", count: 20_000)))
        for counter in 1...100 as ClosedRange<UInt64> {
            let item = Item(id: id("i\(counter)"), content: try ItemContent(fields: [text]))
            anna.submit(counter, in: room, [.insert(item, to: Placement(section: id("main")))])
            #expect(world.run { anna.revision(room) == counter })
        }
        bert.stream?.isReadingPaused = false
        #expect(world.run { bert.revision(room) == 100 })
        #expect(bert.replicas[room]?.snapshotCount == snapshots)
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
    }

    @Test("the horizon waits for nobody once so many bytes of transactions are retained")
    func horizonWaitsForBytes() throws {
        let world = try World { $0.room.maximumHorizonBytes = 1000 }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        for counter in 1...200 {
            anna.submit(UInt64(counter), in: room, [.insert("i\(counter)")])
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
        anna.send(.readStats(RoomRequest(request: 500, room: try #require(RoomName("room")))))
        #expect(world.run { anna.stats[500] != nil })
        let horizon = try #require(anna.stats[500]?.horizon)
        #expect((150..<190).contains(horizon), "a transaction has some 30 bytes")
        #expect(world.run { bert.revision(room) == 200 })
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
    }

    @Test("the horizon waits for nobody once former contents take so many bytes")
    func horizonWaitsForRetainedBytes() throws {
        let world = try World { $0.room.maximumHorizonBytes = 200_000 }
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        let id = Identifier("big")
        let fields = [
            Field(name: Identifier("f"), value: .text(String(repeating: "v", count: 20_000))),
            Field(name: Identifier("n"), value: .number(0)),
        ]
        let item = Item(id: id, content: try ItemContent(fields: fields))
        anna.submit(1, in: room, [.insert(item, to: Placement(section: Identifier("main")))])
        for counter in 2...100 {
            // Each edit is small, and replaces a large content.
            let number = Field(name: Identifier("n"), value: .number(Double(counter)))
            anna.submit(
                UInt64(counter), in: room, [.update(id, ItemPatch(set: [number]))])
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
        anna.send(.readStats(RoomRequest(request: 500, room: try #require(RoomName("room")))))
        #expect(world.run { anna.stats[500] != nil })
        let horizon = try #require(anna.stats[500]?.horizon)
        #expect((85..<98).contains(horizon), "some nine contents are retained")
        #expect(world.run { bert.revision(room) == 100 })
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
    }

    @Test("a member that asks for every revision gets each by itself")
    func everyRevision() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert", everyRevision: true)
        #expect(world.run { bert.revision(room) == 0 })
        for counter in 1...1000 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { bert.revision(room) == 1000 && anna.revision(room) == 1000 })
        #expect(bert.replicas[room]?.revisions == Array(0...1000))
        #expect(world.run { anna.revision(room) == 1000 })
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        let (carl, _) = try world.join("carl", from: nil, everyRevision: true)
        #expect(world.run { carl.revision(room) == 1000 })
        #expect(carl.replicas[room]?.snapshotCount == 1)
    }

    @Test("a large room is sent in parts, and later changes follow it", arguments: 1...3)
    func largeRoom(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.wire.unansweredTransactions = 50 }
        let (anna, room) = try world.join("anna")
        let text = String(repeating: "y", count: 300)
        for batch in 0..<20 {
            anna.submit(
                UInt64(batch + 1), in: room, base: 0,
                try (0..<200).map { index in
                    let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))]
                    )
                    return .insert(
                        Item(id: id("i\(batch)-\(index)"), content: content),
                        to: Placement(section: id("main")))
                })
        }
        #expect(world.run { anna.revision(room) == 20 })
        let (bert, _) = try world.join("bert")
        let (carl, _) = try world.join("carl")
        for counter in 21...60 {
            anna.submit(UInt64(counter), in: room, [.insert("late\(counter)", after: nil)])
            world.run(forMilliseconds: 1)
        }
        #expect(world.run { bert.revision(room) == 60 && carl.revision(room) == 60 })
        #expect(world.run { anna.revision(room) == 60 })
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        #expect(carl.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
    }

    @Test("a client that sends without reading is not read, and continues later")
    func backPressure() throws {
        let world = try World { $0.wire.unansweredTransactions = 10 }
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        anna.stream?.isReadingPaused = true
        for counter in 1...30_000 {
            anna.submit(
                UInt64(counter), in: room, base: 0, [.increment(id("x"), field: id("n"), by: 1)])
        }
        world.run(forMilliseconds: 20_000)
        let appended = world.storage.appendCount
        world.run(forMilliseconds: 20_000)
        #expect(world.storage.appendCount == appended, "it waits")
        anna.stream?.isReadingPaused = false
        #expect(
            world.run(limitMilliseconds: 3_600_000) { anna.replicas[room]?.answers.count == 30_000 }
        )
        #expect(anna.replicas[room]?.answers.map(\.counter) == Array(1...30_000))
    }

    @Test("only members that ask for it get deflated frames, in any order", arguments: 0..<8)
    func encodings(order: Int) throws {
        let world = try World(seed: UInt64(order) + 1) { $0.threads = 2 }
        // Connections are assigned to the loops in turn, so both loops have members of the room, in
        // any order.
        let members = try (0..<6).map { number in
            let isDeflating = (order >> (number % 3)) & 1 == 1
            return try world.greet("m\(number)", features: isDeflating ? .all : [])
        }
        let rooms = try members.map { try world.join($0) }
        let text = Value.text(String(repeating: "milk and eggs ", count: 500))
        let content = try ItemContent(fields: [Field(name: "text", value: text)])
        members[0].submit(
            1, in: rooms[0],
            (0..<40).map {
                .insert(
                    Item(id: id("i\($0)"), content: content), to: Placement(section: id("main")))
            })
        for (number, (member, room)) in zip(members, rooms).enumerated() {
            #expect(world.run { member.revision(room) == 1 })
            #expect(member.items(room).count == 40)
            let isDeflating = (order >> (number % 3)) & 1 == 1
            #expect((member.deflatedFrames > 0) == isDeflating, "member \(number)")
        }
    }

    @Test("rooms and connections on several loops", arguments: [2, 3, 7])
    func threads(count: Int) throws {
        let world = try World(seed: UInt64(count)) { $0.threads = count }
        let anna = try world.greet("anna")
        let bert = try world.greet("bert")
        var rooms: [RoomHandle] = []
        for number in 1...10 {
            let room = try world.join(anna, "room \(number)")
            #expect(try world.join(bert, "room \(number)") == room)
            rooms.append(room)
        }
        #expect(Set(rooms).count == 10)
        for counter in 1...50 {
            for room in rooms {
                anna.submit(UInt64(counter), in: room, base: 0, [.insert("a\(counter)")])
                bert.submit(UInt64(counter), in: room, base: 0, [.insert("b\(counter)")])
            }
        }
        for room in rooms {
            #expect(world.run { anna.revision(room) == 100 && bert.revision(room) == 100 })
            #expect(anna.replicas[room]?.snapshot == bert.replicas[room]?.snapshot)
            #expect(anna.replicas[room]?.lateAnswers == 0)
        }
        anna.send(.listRooms(ListRooms(request: 999)))
        #expect(world.run { anna.roomLists.flatMap(\.rooms).count == 10 })
        world.drain()
        #expect(anna.connectionError?.code == .shuttingDown)
    }
}
