import ModelSupport
import SeededRandom
import SyncModel
import SyncServer
import SyncWire
import Testing

/// Snapshots that are made while they are read.
@Suite("Reads of a large room")
struct StreamedReadTests {
    private let world: World
    private let anna: RawClient
    private let room: RoomHandle
    private let name: RoomName

    /// A room of 4 MB, which remembers few revisions.
    init() throws {
        world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 10
        }
        (anna, room) = try world.join("anna")
        name = try #require(RoomName("room"))
        try edit(1...100)
    }

    /// Adds items of 40 kB of random text, each in a revision of its own.
    private func edit(_ counters: ClosedRange<UInt64>) throws {
        for counter in counters {
            var random = SplitMix64(seed: counter)
            let letters = (0..<40_000).map { _ in
                UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "z"), using: &random)
            }
            let text = Field(
                name: id("text"), value: .text(String(decoding: letters, as: UTF8.self)))
            anna.submit(
                counter, in: room,
                [.insert("i\(counter)"), .update(id("i\(counter)"), ItemPatch(set: [text]))])
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
    }

    /// A client that has asked for the room, and takes nothing of it.
    private func stalledReader(_ name: String) throws -> RawClient {
        let reader = try world.greet(name, features: [])
        reader.stream?.isReadingPaused = true
        reader.send(.readSnapshot(ReadSnapshot(request: 1, room: self.name, revision: 100)))
        world.run(forMilliseconds: 1000)
        return reader
    }

    private var heldBytes: Int {
        get throws { try #require(world.server).unreadAnswerBytes }
    }

    private func finish(_ readers: [RawClient], _ expected: Snapshot?) throws {
        for reader in readers { reader.stream?.isReadingPaused = false }
        #expect(world.run(limitMilliseconds: 20_000) { readers.allSatisfy { $0.done.contains(1) } })
        for reader in readers {
            #expect(reader.snapshots[1] == expected)
            #expect(reader.snapshotBeginnings[1] == 1)
        }
        world.run(forMilliseconds: 1000)
        #expect(try heldBytes == 0)
        world.simulation.end()
    }

    @Test("the server holds little of what somebody reads alone")
    func alone() throws {
        let expected = anna.replicas[room]?.snapshot
        let reader = try stalledReader("carl")
        reader.stream?.isReadingPaused = false
        var most = try heldBytes
        #expect(
            world.run(limitMilliseconds: 20_000) {
                most = max(most, (try? heldBytes) ?? .max)
                return reader.done.contains(1)
            })
        #expect((256_000..<2 << 20).contains(most), "\(most) bytes")
        try finish([reader], expected)
    }

    /// The rest comes from the log then, behind the parts that were sent.
    @Test("the room forgets the revision in the middle")
    func forgotten() throws {
        let expected = anna.replicas[room]?.snapshot
        let reader = try stalledReader("carl")
        try edit(101...130)
        try finish([reader], expected)
    }

    @Test("those that come while one reads share a second copy")
    func late() throws {
        let expected = anna.replicas[room]?.snapshot
        let first = try stalledReader("first")
        first.stream?.isReadingPaused = false
        #expect(world.run { first.receivedBytes > 1_500_000 })
        first.stream?.isReadingPaused = true
        let others = try (0..<5).map { try stalledReader("other \($0)") }
        others[0].stream?.isReadingPaused = false
        #expect(world.run(limitMilliseconds: 20_000) { others[0].done.contains(1) })
        let held = try heldBytes
        #expect((4_000_000...6_500_000).contains(held), "\(held) bytes")
        try finish([first] + others, expected)
    }
}
