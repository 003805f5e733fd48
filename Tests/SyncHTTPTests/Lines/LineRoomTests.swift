import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

/// Clients that speak in lines have what those have that speak in frames.
@Suite("Rooms in lines")
struct LineRoomTests {
    @Test("all have the same room after random edits", arguments: [UInt64](1...24))
    func rooms(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try LineWorld(seed: seed) {
            // Small parts, so that rooms and batches have several.
            $0.wire.frameBytes = 64 << 10
        }
        let framed = try world.joinByFrames("framed")
        let first = try world.join(["authors=\(random.chance(50))"])
        let second = try world.join(["everyRevision=\(random.chance(50))"])
        var kept: (snapshot: Snapshot, origin: RoomOrigin)?
        for step in 0..<30 {
            // Large contents first: the room is larger than a part.
            let edit = random.edit(isLarge: step < 12)
            if random.chance(40) {
                try framed.submit(operations(of: edit))
            } else {
                (random.chance(50) ? first : second).send(edit)
            }
            if random.chance(60) { world.run(forMilliseconds: UInt64(random.below(40))) }
            if step == 6, let snapshot = first.snapshot,
                let origin = framed.identity?.origin(of: snapshot.revision)
            {
                kept = (snapshot, RoomOrigin(origin))
            }
        }
        func isAlike(_ client: LineClient) -> Bool { client.snapshot == framed.snapshot }
        #expect(
            world.run {
                framed.isAllAnswered && isAlike(first) && isAlike(second)
                    && first.isAllAnswered(of: second, framed)
            }, "seed \(seed)")
        let late = try world.join()
        #expect(isAlike(late), "seed \(seed)")
        if let kept {
            let resumed = try world.join(
                [
                    "from=\(kept.snapshot.revision)", "id=\(kept.origin.id)",
                    "epoch=\(kept.origin.epoch)",
                ], having: kept.snapshot)
            #expect(world.run { isAlike(resumed) }, "seed \(seed)")
        }
        for client in [first, second, late] { #expect(client.errors.isEmpty) }
    }

    @Test("views show the same", arguments: [UInt64](1...24))
    func views(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try LineWorld(seed: seed)
        let framed = try world.joinByFrames("framed")
        let viewer = try world.join(["viewOnly=\(random.chance(50))"])
        for _ in 0..<8 { viewer.send(random.edit(isLarge: false)) }
        var bounds = ListRect(width: 300, height: 400)
        framed.look(at: bounds, layout: ViewLayout(.flow))
        viewer.send(
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":300,"height":400}}}"#)
        for _ in 0..<20 {
            if random.chance(30) {
                bounds.y = Double(random.below(300))
                world.run(forMilliseconds: 500)
                framed.look(at: bounds, layout: nil)
                viewer.send(
                    #"{"view":{"id":"v","bounds":{"y":\#(bounds.y),"width":300,"height":400}}}"#)
            } else {
                let edit = random.edit(isLarge: false)
                if random.chance(50) {
                    try framed.submit(operations(of: edit))
                } else {
                    viewer.send(edit)
                }
            }
            world.run(forMilliseconds: UInt64(random.below(60)))
        }
        world.run(forMilliseconds: 3000)
        #expect(framed.isAllAnswered)
        #expect(viewer.views["v"]?.elements == framed.shown, "seed \(seed)")
        #expect(!framed.shown.isEmpty && viewer.errors.isEmpty)
    }

    private func operations(of line: String) throws -> [ListOperation] {
        let command = try Array(line.utf8).withUnsafeBytes { try JoinCommand(line: $0) }
        guard case .transaction(let operations, _, _, _, _) = command else { return [] }
        return operations
    }
}

extension LineClient {
    /// Whether this one, and another, have an answer to each of their transactions: an `ack` or a
    /// `reject` of each number.
    func isAllAnswered(of other: LineClient, _ framed: FrameClient) -> Bool {
        for client in [self, other] where client.answeredNumbers.count < client.sentTransactions {
            return false
        }
        return framed.isAllAnswered
    }

    var answeredNumbers: [UInt64] {
        lines.compactMap {
            switch $0 {
            case .ack(let number, _), .reject(let number, _): number
            default: nil
            }
        }
    }
}

extension SplitMix64 {
    /// A line with random operations.
    mutating func edit(isLarge: Bool) -> String {
        let text = String(repeating: "é\\n", count: isLarge ? 1500 : below(4))
        var operations: [String] = []
        for _ in 0...below(3) {
            let (item, other) = ("i\(below(40))", "i\(below(40))")
            let section = below(4) == 0 ? "s\(below(4))" : "main"
            switch below(10) {
            case 0...4:
                operations.append(
                    #"{"insert":{"item":{"id":"\#(item)","fields":{"t":"\#(text)"},"size":"#
                        + #"{"width":90,"height":\#(20 + below(60))}},"to":{"section":"main"}}}"#)
            case 5: operations.append(#"{"move":{"id":"\#(item)","to":{"after":"\#(other)"}}}"#)
            case 6: operations.append(#"{"update":{"id":"\#(item)","set":{"t":\#(below(99))}}}"#)
            case 7: operations.append(#"{"delete":{"id":"\#(item)"}}"#)
            case 8:
                operations.append(
                    #"{"insertSection":{"section":{"id":"s\#(below(4))"}}}"#)
            default:
                operations.append(
                    #"{"move":{"id":"\#(item)","to":{"section":"\#(section)","index":0}}}"#)
            }
        }
        return #"{"ops":[\#(operations.joined(separator: ","))]}"#
    }
}
