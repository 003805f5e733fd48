import ModelSupport
import SyncBytes
import SyncIO
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import SyncWire
import Testing

/// Work that takes more than a turn and is no transaction. A worker does it, or the reader of the
/// log, or the loop does it in pieces.
@Suite("What takes more than a turn")
struct LendingTests {
    private static let turnSteps = 512
    /// A turn may end with a piece of work that takes a quarter of it.
    private static let bound = turnSteps * 5 / 4

    private func makeWorld(
        seed: UInt64, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(seed: seed) {
            $0.turnSteps = LendingTests.turnSteps
            $0.threads = 1
            $0.storage.snapshotBytes = 2000
            $0.room.horizon = 30
            $0.room.maximumHorizon = 100
            $0.storage.idleUnloadMilliseconds = 3000
            configure(&$0)
        }
    }

    /// Inserts many items, some hundred at a time.
    private func fill(
        _ world: World, _ client: RawClient, _ room: RoomHandle, _ counters: ClosedRange<UInt64>,
        from base: Revision = 0
    ) {
        for counter in counters {
            client.submit(
                counter, in: room, base: base, (0..<300).map { .insert("i\(counter)-\($0)") })
        }
        #expect(world.run { client.answer(counters.upperBound, in: room) != nil })
    }

    /// Checks that each saved image equals what the log replays up to its record.
    private func checkImages(of room: String, in world: World) throws {
        let records = try world.storage.readLog(
            room: roomName(room), after: 0, limitBytes: .max
        ).records
        for image in world.storage.savedSnapshots {
            let verifier = RoomVerifier()
            #expect(verifier.begin(room: roomName(room), at: nil) == nil)
            for record in records where record.sequence <= image.sequence {
                #expect(verifier.apply(record) == nil)
            }
            #expect(verifier.compare(with: image) == nil, "record \(image.sequence)")
        }
    }

    @Test(
        "no turn is long while members are far behind, views open and images are due",
        arguments: 1...4)
    func shortTurns(seed: UInt64) throws {
        let world = try makeWorld(seed: seed)
        let (editor, room) = try world.join("editor", "large")
        let (innocent, quiet) = try world.join("innocent", "quiet")
        fill(world, editor, room, 1...5)
        #expect(world.run { editor.revision(room) == 5 })
        let held = try #require(editor.replicas[room]?.snapshot)
        fill(world, editor, room, 6...20)
        var members: [(client: RawClient, room: RoomHandle)] = []
        for number in 0..<2 {
            members.append(try world.join("new\(number)", "large"))
            members.append(try world.join("late\(number)", "large", holding: held))
            members.append(
                try world.join("each\(number)", "large", holding: held, everyRevision: true))
        }
        for (member, room) in members.prefix(4) {
            member.send(
                .view(
                    ViewRequest(
                        room: room, view: 1, layout: ViewLayout(.waterfall),
                        bounds: ListRect(width: 300, height: 400))))
        }
        // From counter 21 on there are single edits, and deletes of large sections.
        for counter in 21...120 as ClosedRange<UInt64> {
            let number = Int(counter) - 20
            if number % 10 == 0 {
                let deletes = (0..<250).map { ListOperation.delete(id("i\(number / 10)-\($0)")) }
                editor.submit(counter, in: room, base: 20, deletes)
            } else {
                editor.submit(counter, in: room, base: 20, [.insert("s\(counter)")])
            }
            world.run(forMilliseconds: 20)
        }
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run(limitMilliseconds: 50) { innocent.answer(1, in: quiet) != nil })
        #expect(world.run { members.allSatisfy { $0.client.revision($0.room) == 120 } })
        #expect(
            world.run {
                members.prefix(4).allSatisfy { $0.client.viewUpdates.last?.revision == 120 }
            })
        for (member, room) in members { #expect(member.items(room) == editor.items(room)) }
        #expect(editor.items(room).count == 20 * 300 - 10 * 250 + 90)
        let turns = try #require(world.server?.turns)
        let bound = LendingTests.bound
        #expect(turns.largestTurn <= bound, "a turn took \(turns.largestTurn) steps of \(bound)")
        // Images of the small room come from its state, then from the log, and last from its state.
        #expect(world.storage.savedSnapshots.contains { $0.revision < 8 })
        #expect(world.run { world.storage.savedSnapshots.contains { $0.revision >= 10 } })
        // Enough revisions for an image when the room is closed.
        fill(world, editor, room, 121...124, from: 120)
        #expect(world.run { editor.revision(room) == 124 })
        for (member, room) in members + [(editor, room)] {
            member.send(.leave(Leave(request: 900, room: room)))
        }
        #expect(world.run { world.storage.savedSnapshots.last?.revision ?? 0 > 120 })
        try checkImages(of: "large", in: world)
        #expect((world.server?.turns.largestTurn ?? .max) <= bound)
        let (again, handle) = try world.join("again", "large")
        #expect(world.run { again.items(handle) == editor.items(room) })
    }

    @Test("forgotten nodes are swept even if no more edits come", arguments: 1...3)
    func sweeping(seed: UInt64) throws {
        let world = try makeWorld(seed: seed)
        let (editor, room) = try world.join("editor", "large")
        fill(world, editor, room, 1...10)
        for counter in 11...19 as ClosedRange<UInt64> {
            let deletes = (0..<300).map { ListOperation.delete(id("i\(counter - 10)-\($0)")) }
            editor.submit(counter, in: room, base: 10, deletes)
        }
        #expect(world.run { editor.revision(room) == 19 })
        // The horizon passes the deletes.
        for counter in 20...60 as ClosedRange<UInt64> {
            editor.submit(counter, in: room, [.insert("s\(counter)")])
            #expect(world.run { editor.revision(room) == counter })
        }
        world.run(forMilliseconds: 500)
        editor.send(.readStats(RoomRequest(request: 1, room: try #require(RoomName("large")))))
        #expect(world.run { editor.stats[1] != nil })
        let stats = try #require(editor.stats[1])
        #expect(stats.horizon > 19)
        #expect(stats.figures[.deadNodes] == 0)
        let turns = try #require(world.server?.turns)
        #expect(turns.largestTurn <= LendingTests.bound)
    }

    @Test("an unfinished frame is read in pieces, however many connections send one")
    func unfinishedFrames() throws {
        let world = try makeWorld(seed: 1) { $0.turnSteps = 32 }
        let strangers = try (0..<8).map { try world.join("s\($0)", "any").client }
        let (innocent, quiet) = try world.join("innocent", "quiet")
        let before = try #require(world.server?.turns)
        // The first 256 KiB of a frame with 4 MiB and 1,000 bytes.
        let piece = SharedBytes(count: 256 << 10) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.copyBytes(from: [0xE8, 0x87, 0x80, 0x02])
        }
        for stranger in strangers { stranger.send(piece) }
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run { innocent.answer(1, in: quiet) != nil })
        world.run(forMilliseconds: 2000)
        let turns = try #require(world.server?.turns)
        // A step is 256 bytes; a received piece may be larger than a turn.
        #expect(turns.fullTurns - before.fullTurns >= 20)
    }

    @Test("clients that do not take their answers delay no other reads", arguments: 1...4)
    func untaken(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.room.horizon = 10
            $0.room.maximumHorizon = 10
        }
        let (editor, room) = try world.join("editor")
        let text = String(repeating: "x", count: 20_000)
        for counter in 1...60 as ClosedRange<UInt64> {
            let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
            let item = Item(id: id("i\(counter)"), content: content)
            editor.submit(counter, in: room, [.insert(item, to: Placement(section: id("main")))])
            #expect(world.run { editor.revision(room) == counter })
        }
        let name = try #require(RoomName("room"))
        for number in 0..<4 {
            let stranger = try world.greet("stranger\(number)")
            stranger.stream?.isReadingPaused = true
            for request in 1...16 as ClosedRange<RequestID> {
                stranger.send(
                    .readHistory(
                        ReadHistory(request: request, room: name, from: 0, everyRevision: true)))
            }
        }
        world.run(forMilliseconds: 1500)
        let honest = try world.greet("honest")
        honest.send(
            .readHistory(
                ReadHistory(request: 1, room: name, from: 0, until: 40, everyRevision: true)))
        #expect(world.run(limitMilliseconds: 1500) { honest.done.contains(1) })
    }
}
