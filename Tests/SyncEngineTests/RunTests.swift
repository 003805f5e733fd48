import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// Two or three authors type runs of items from one base at the same time, in all possible ways.
/// Meanwhile the anchors are deleted and moved. No run is torn apart or put out of order.
@Suite struct RunTests {
    /// How an author types.
    private enum Style: CaseIterable {
        /// Each item after the one before.
        case afterLast
        /// Each item before the one before: the run grows backwards.
        case beforeLast
        /// Each item after one anchor: the run grows backwards.
        case afterAnchor
        /// Each item before one anchor.
        case beforeAnchor
        /// By indices, in one transaction.
        case indices
    }

    private struct Typist {
        let author: String
        let style: Style
        let anchor: Int
        let length: Int
        var typed: [String] = []

        var isBackwards: Bool { style == .beforeLast || style == .afterAnchor }
        /// The run as it should stand.
        var run: [String] { isBackwards ? typed.reversed() : typed }
    }

    private static let start = ["k0", "k1", "k2", "k3"]

    @Test(arguments: 0..<8)
    func runsNeverInterleave(lane: Int) throws {
        for seed in (lane * 60)..<(lane * 60 + 60) {
            try RunTests.play(seed: UInt64(seed))
        }
    }

    private static func play(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let room = try TestRoom("main[\(start.joined(separator: " "))]")
        var typists = ["ann", "bob", "cid"].prefix(2 + random.below(2)).map { author in
            Typist(
                author: author, style: random.pick(Style.allCases) ?? .afterLast,
                anchor: random.below(start.count), length: 2 + random.below(8))
        }
        while let index = random.pick(
            typists.indices.filter { typists[$0].typed.count < typists[$0].length })
        {
            try type(&typists[index], room)
            if random.chance(15) { try disturb(room, &random) }
        }
        let order = room.engine.snapshot().sections[0].items.map(\.id.text)
        for typist in typists {
            let first = order.firstIndex { typist.typed.contains($0) } ?? 0
            let found = Array(order.dropFirst(first).prefix(typist.length))
            #expect(found == typist.run, "seed \(seed): \(typist) in \(order)")
        }
    }

    /// Types the next item, or the whole run where it is typed by indices.
    private static func type(_ typist: inout Typist, _ room: TestRoom) throws {
        let anchor = start[typist.anchor]
        if typist.style == .indices {
            let ids = (0..<typist.length).map { "\(typist.author)\($0)" }
            let operations = ids.enumerated().map { offset, id in
                ListOperation.insert(id, .at(UInt64(typist.anchor + offset), in: "main"))
            }
            try room.submit(typist.author, at: 1, operations)
            typist.typed = ids
            return
        }
        let id = "\(typist.author)\(typist.typed.count)"
        let place: Placement =
            switch (typist.style, typist.typed.last) {
            case (.afterLast, let last?): .after(last)
            case (.beforeLast, let last?): .before(last)
            case (.beforeAnchor, _), (.beforeLast, nil): .before(anchor)
            default: .after(anchor)
            }
        try room.submit(typist.author, at: 1, [.insert(id, place)])
        typist.typed.append(id)
    }

    /// Deletes or moves one of the things the authors type beside.
    private static func disturb(_ room: TestRoom, _ random: inout SplitMix64) throws {
        let id = start[random.below(start.count)]
        if random.chance(30) {
            try room.submit("host", at: 1, .delete(id))
        } else {
            // Never to the very end: that means behind all that stands there, half a run too.
            let index = UInt64(random.below(start.count - 1))
            try room.submit("host", at: 1, .move(id, .at(index, in: "main")))
        }
    }
}
