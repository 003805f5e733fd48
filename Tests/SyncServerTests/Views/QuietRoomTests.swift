import ModelSupport
import SyncIO
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

@testable import SyncRoom
@testable import SyncServer

/// Viewers and an editor with a steady rate, who have the server to themselves. Nothing is short,
/// so nobody waits for anything but the network, the disk, and the pause between two updates.
@Suite struct QuietRoomTests {
    /// What takes time in this world, and always the same.
    private enum Delay {
        static let network: UInt64 = 1000
        static let mail: UInt64 = 100
        static let turn: UInt64 = 200
        /// For the store's jobs and the workers'.
        static let job: UInt64 = 2000
    }

    private static let viewers = 6
    /// How many transactions fill the room.
    private static let fillings: UInt64 = 10
    /// How long turns are, and what the editor does.
    struct Load {
        var turnSteps: Int
        var itemsPerEdit: Int
        var millisecondsPerEdit: UInt64
        var needsWorkers: Bool

        /// Nothing takes more than a turn.
        static let light = Load(
            turnSteps: 32_768, itemsPerEdit: 1, millisecondsPerEdit: 5, needsWorkers: false)
        /// A worker applies each edit, and another one makes the layout for it.
        static let heavy = Load(
            turnSteps: 512, itemsPerEdit: 60, millisecondsPerEdit: 20, needsWorkers: true)
    }

    /// The longest time from sending an edit until a viewer has it, in microseconds:
    ///
    /// - the way to the server and back;
    /// - the records on their way to the disk, and then the edit's own;
    /// - the pause since the viewer's last update. It ends on a millisecond;
    /// - for each viewer a turn, and some for what comes from outside. Each begins with a letter;
    /// - if workers have to make layouts, a second pause: a viewer is not kept waiting for a
    ///   layout, and may be shown the one before. Also a loan of the room that has just begun, as
    ///   long a rest of the room behind it, and a loan for the edit's own layout.
    private static func bound(_ load: Load) -> UInt64 {
        let pause = (ViewTimetable.pauseMilliseconds + 1) * 1000
        let records = UInt64(RoomHost.maximumAppendsUnderWay + 1) * Delay.job
        let turns = UInt64(viewers + 4) * (Delay.turn + Delay.mail)
        let light = 2 * Delay.network + records + pause + turns
        return load.needsWorkers ? light + pause + 3 * (Delay.job + 1000) : light
    }

    /// - Parameter turnSteps: how long turns are. In short ones a worker makes the layouts.
    private func world(turnSteps: Int, seed: UInt64) throws -> World {
        let world = try World(seed: seed) {
            $0.turnSteps = turnSteps
            $0.threads = 1
            // Limits are looked after, and nobody comes near them.
            var limits = WriteLimits()
            limits.transactions = Rate(perSecond: 10_000)
            limits.bytes = Rate(perSecond: 10_000_000)
            $0.room.writes = limits
            $0.storage.writes = limits
        }
        world.simulation.conditions.networkDelayMicroseconds = Delay.network...Delay.network
        world.simulation.conditions.pieceGapMicroseconds = 0...0
        world.simulation.conditions.pieceBytes = 1 << 20...1 << 20
        world.simulation.conditions.socketBufferBytes = 1 << 20
        world.simulation.conditions.mailDelayMicroseconds = Delay.mail...Delay.mail
        world.simulation.conditions.turnMicroseconds = Delay.turn...Delay.turn
        world.simulation.conditions.jobMicroseconds = Delay.job...Delay.job
        return world
    }

    private func viewer(_ world: World, _ name: String) throws -> RawClient {
        let viewer = try world.greet(name)
        let request = viewer.join("room", viewOnly: true)
        #expect(world.run { viewer.joined[request] != nil })
        let room = try #require(viewer.joined[request]).handle
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: ViewLayout(.waterfall),
                    bounds: ListRect(width: 300, height: 200))))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        return viewer
    }

    @Test(
        "each edit is seen in time, also after a pause",
        arguments: [Load.light, Load.heavy], [1, 2] as [UInt64])
    func eachEdit(load: Load, seed: UInt64) throws {
        let world = try world(turnSteps: load.turnSteps, seed: seed)
        let (editor, room) = try world.join("editor")
        let first = QuietRoomTests.fillings
        for counter in 1...first {
            editor.submit(
                counter, in: room, base: 0, (0..<300).map { .insert("i\(counter)-\($0)") })
        }
        #expect(world.run { editor.revision(room) == first })
        let viewers = try (0..<QuietRoomTests.viewers).map { try viewer(world, "v\($0)") }
        // What the room was filled with, and its image, may take a while.
        world.run(forMilliseconds: 3000)

        var counter = first
        var sent = [UInt64](repeating: 0, count: Int(first) + 1)
        var longest: UInt64 = 0
        var seen = viewers.map { _ in first }
        /// Records the waits of the edits that have come until now.
        func look() {
            for (index, viewer) in viewers.enumerated() {
                let revision = viewer.viewUpdates.last?.revision ?? 0
                guard revision > seen[index] else { continue }
                let first = sent[Int(seen[index]) + 1]
                longest = max(longest, world.simulation.nowMicroseconds - first)
                seen[index] = revision
            }
        }
        func run(forMilliseconds duration: UInt64) {
            let end = world.simulation.nowMicroseconds + duration * 1000
            world.simulation.run(limitMilliseconds: duration) {
                look()
                return false
            }
            world.run(
                forMilliseconds: (end - min(end, world.simulation.nowMicroseconds)) / 1000)
        }
        // Pauses that end on another beat each, shorter and longer than any wait in the server.
        for pause in [0, 33, 101, 250, 614, 1777, 6002, 17] as [UInt64] {
            run(forMilliseconds: pause)
            for _ in 0..<40 {
                counter += 1
                sent.append(world.simulation.nowMicroseconds)
                let size = ListSize(width: 100, height: 20 + Double(counter % 7))
                editor.submit(
                    counter, in: room,
                    (0..<load.itemsPerEdit).map {
                        .update(id("i1-\($0)"), ItemPatch(size: .set(size)))
                    })
                run(forMilliseconds: load.millisecondsPerEdit)
            }
        }
        let bound = QuietRoomTests.bound(load)
        run(forMilliseconds: bound / 1000 + 1)
        #expect(seen.allSatisfy { $0 == counter }, "everybody has everything: \(seen)")
        #expect(longest <= bound, "an edit was seen after \(longest) µs; \(bound) are enough")
    }
}
