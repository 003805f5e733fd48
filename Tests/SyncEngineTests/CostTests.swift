import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// What a stranger's transactions may cost, in steps and bytes. Without its bound, each costs hours
/// or gigabytes.
@Suite struct CostTests {
    /// How many things others put, move or delete since the stranger's base.
    private static let others = 3_000
    /// How many operations the stranger sends.
    private static let own = 500

    /// A room that counts steps, without checks that cost more than what is counted.
    private final class Room {
        let engine = Engine()

        init(_ operations: [ListOperation] = []) throws {
            try submit("host", at: 0, operations)
        }

        @discardableResult
        func submit(
            _ author: String, at base: Revision? = nil, _ operations: [ListOperation]
        ) throws -> Commit {
            try engine.submit(
                ListTransaction(base: base ?? engine.revision, operations: operations),
                by: name(author))
        }

        /// The steps of some work.
        func steps(_ work: () throws -> Void) rethrows -> Int {
            let before = engine.stepsTaken
            try work()
            return engine.stepsTaken - before
        }

        /// Submits operations within limits, and returns why they were not applied; `nil` if they
        /// were.
        func stop(
            _ author: String, at base: Revision, _ operations: [ListOperation],
            stepLimit: Int = .max, within limits: SubmitLimits = SubmitLimits()
        ) -> SubmitStop? {
            do throws(SubmitStop) {
                let author = engine.author(name(author))
                let transaction = ListTransaction(base: base, operations: operations)
                guard let packed = try? PackedTransaction(transaction) else { return nil }
                _ = try packed.withView { (view) throws(SubmitStop) in
                    try engine.submit(view, by: author, stepLimit: stepLimit, within: limits)
                }
                return nil
            } catch {
                return error
            }
        }
    }

    /// A room `main[a b]` in which the host has put many things between the two since revision 1.
    private static func crowdedRoom() throws -> Room {
        let room = try Room([.insert("a", .end(of: "main")), .insert("b", .end(of: "main"))])
        try room.submit("host", (0..<others).map { .insert("h\($0)", .before("b")) })
        return room
    }

    private static func inserts(
        _ prefix: String, _ place: (Int) -> Placement
    ) -> [ListOperation] {
        (0..<own).map { .insert("\(prefix)\($0)", place($0)) }
    }

    @Test("inserts at one anchor walk over what others put there once", arguments: [true, false])
    func insertsAtOneAnchor(isAfter: Bool) throws {
        let room = try CostTests.crowdedRoom()
        let place: Placement = isAfter ? .after("a") : .before("b")
        let operations = CostTests.inserts("x") { _ in place }
        let together = try room.steps { try room.submit("x", at: 1, operations) }
        #expect(together < 3 * CostTests.others + 20 * CostTests.own)
        let oneByOne = try room.steps {
            for operation in CostTests.inserts("y", { _ in place }) {
                try room.submit("y", at: 1, [operation])
            }
        }
        #expect(oneByOne < 10 * CostTests.others + 20 * CostTests.own)
        room.engine.checkInvariants()
    }

    @Test(
        "inserts at several anchors in turn, which the author had not seen, walk once from each",
        arguments: [2, 20, 50], [1, 7, others - 1])
    func insertsAtManyAnchors(anchorCount: Int, step: Int) throws {
        let room = try CostTests.crowdedRoom()
        let operations = CostTests.inserts("x") {
            .after("h\($0 % anchorCount * step % CostTests.others)")
        }
        let steps = try room.steps { try room.submit("x", at: 1, operations) }
        // One walk for each anchor, and for each insert what the others have put in since.
        #expect(
            steps < (anchorCount + 3) * CostTests.others + (anchorCount + 30) * CostTests.own)
        room.engine.checkInvariants()
    }

    @Test("indices of an old base are found without a walk over all that was touched since")
    func indicesOfAnOldBase() throws {
        let room = try CostTests.crowdedRoom()
        let inserts = CostTests.inserts("x") { .at(UInt64($0 % 3), in: "main") }
        let moves = (0..<CostTests.own).map {
            ListOperation.move("x\($0)", .at(UInt64($0 % 7), in: "main"))
        }
        let together = try room.steps { try room.submit("x", at: 1, inserts + moves) }
        #expect(together < 10 * CostTests.others + 60 * CostTests.own)
        let oneByOne = try room.steps {
            for operation in CostTests.inserts("y", { .at(UInt64($0 % 3), in: "main") }) {
                try room.submit("y", at: 1, [operation])
            }
        }
        #expect(oneByOne < 10 * CostTests.others + 60 * CostTests.own)
        room.engine.checkInvariants()
    }

    @Test("indices in a section that the transaction deleted count its own things only")
    func indicesInADeletedSection() throws {
        let room = try CostTests.crowdedRoom()
        let inserts = CostTests.inserts("x") { .at(UInt64($0 / 2), in: "main") }
        let steps = try room.steps {
            try room.submit("x", at: 1, [.deleteSection("main")] + inserts)
        }
        #expect(steps < 10 * CostTests.others + 60 * CostTests.own)
        room.engine.checkInvariants()
    }

    @Test("deleting a section that stays, again and again, walks over it once")
    func deletingInVain() throws {
        let room = try CostTests.crowdedRoom()
        let deletion = ListOperation.deleteSection("main")
        let operations = Array(repeating: deletion, count: CostTests.own)
        let together = try room.steps { try room.submit("x", at: 1, operations) }
        #expect(together < 3 * CostTests.others + 20 * CostTests.own)
        let oneByOne = try room.steps {
            for _ in 0..<CostTests.own { try room.submit("y", at: 1, [deletion]) }
        }
        #expect(oneByOne < 3 * CostTests.others + 20 * CostTests.own)
    }

    @Test("the places of an anchor that others moved often are walked over once")
    func anchorMovedOften() throws {
        let room = try CostTests.crowdedRoom()
        for _ in 0..<CostTests.others { try room.submit("host", [.move("a", .end(of: "main"))]) }
        let operations = CostTests.inserts("x") { _ in .after("a") }
        let steps = try room.steps { try room.submit("x", at: 1, operations) }
        #expect(steps < 6 * CostTests.others + 20 * CostTests.own)
    }

    @Test("a section of many items is deleted whole, in steps for each")
    func deletingMany() throws {
        let room = try CostTests.crowdedRoom()
        let steps = try room.steps { try room.submit("x", at: 2, [.deleteSection("main")]) }
        #expect((CostTests.others..<4 * CostTests.others).contains(steps))
        #expect(room.engine.itemCount == 0)
    }

    // MARK: Limits

    @Test("a transaction over its steps leaves no trace")
    func overSteps() throws {
        let room = try CostTests.crowdedRoom()
        let image = room.engine.encodeImage()
        let operations = CostTests.inserts("x") { _ in .after("a") } + [.deleteSection("main")]
        var limits = SubmitLimits()
        limits.transactionSteps = 1_000
        let retained = room.engine.retainedBytes
        for limit in [1, 100, 500, 900] {
            let stop = room.stop("x", at: 1, operations, stepLimit: limit, within: limits)
            #expect(stop == .overSteps)
        }
        guard case .rejected(let rejection) = room.stop("x", at: 1, operations, within: limits)
        else {
            Issue.record("the policy's limit refuses")
            return
        }
        #expect(rejection.code == .limitExceeded)
        #expect(rejection.message.contains("transaction_steps"))
        #expect(room.engine.retainedBytes == retained)
        room.engine.checkInvariants()
        let authors = try image.withUnsafeBytes { try Engine(image: $0) }
        _ = authors.author(name("x"))
        #expect(room.engine.encodeImage() == authors.encodeImage())
        limits.transactionSteps = 100_000
        #expect(room.stop("x", at: 1, operations, within: limits) == nil)
    }

    @Test("what is cached saves work, and counts in full against the limit")
    func rememberedSteps() throws {
        var limits = SubmitLimits()
        limits.transactionSteps = CostTests.others
        for place in [Placement.after("a"), .at(1, in: "main")] {
            let room = try CostTests.crowdedRoom()
            #expect(room.stop("x", at: 1, [.insert("x", place)]) == nil)
            let stop = room.stop("x", at: 1, [.insert("y", place)], within: limits)
            guard case .rejected(let rejection) = stop else {
                Issue.record("the limit counts what was remembered")
                continue
            }
            #expect(rejection.code == .limitExceeded)
        }
    }

    @Test("a content is limited after merging, and may shrink")
    func contentAfterMerging() throws {
        let room = try Room([.insert("a", .end(of: "main"))])
        func set(_ field: String, _ count: Int, _ limits: SubmitLimits) -> SubmitStop? {
            let value = Value.text(String(repeating: "v", count: count))
            return room.stop(
                "x", at: room.engine.revision,
                [.set(Field(name: name(field), value: value), of: "a")], within: limits)
        }
        var limits = SubmitLimits()
        limits.contentBytes = 1_000
        #expect(set("f", 600, limits) == nil)
        guard case .rejected(let rejection)? = set("g", 600, limits) else {
            Issue.record("the content has grown over the limit")
            return
        }
        #expect(rejection.code == .limitExceeded)
        #expect(set("g", 3_000, SubmitLimits()) == nil, "a replay does not judge")
        #expect(set("g", 2_000, limits) == nil, "it shrinks")
        #expect(set("h", 10, limits) != nil)
    }

    // MARK: Bytes

    @Test("contents that a transaction replaces again are freed, earlier ones are counted")
    func replacedContents() throws {
        let text = Value.text(String(repeating: "v", count: 50_000))
        let room = try Room([.insert("a", .end(of: "main"), fields: [field("f", text)])])
        let before = room.engine.byteCount
        let updates = (0..<200).map {
            ListOperation.set(field("n", .number(Double($0))), of: "a")
        }
        try room.submit("x", updates)
        #expect(room.engine.byteCount - before < 300_000)
        #expect((50_000..<70_000).contains(room.engine.retainedBytes))
        for _ in 0..<9 { try room.submit("x", [.increment("a", "n", by: 1)]) }
        #expect((500_000..<700_000).contains(room.engine.retainedBytes))
        room.engine.checkInvariants()
        room.engine.moveHorizon(to: room.engine.revision - 1)
        room.engine.sweep(atMost: .max)
        #expect((50_000..<70_000).contains(room.engine.retainedBytes))
        room.engine.advanceHorizon(to: room.engine.revision)
        #expect(room.engine.retainedBytes == 0)
    }

    @Test("one revision of many deletions is swept in steps, and no result depends on it")
    func sweepInSteps() throws {
        let room = try CostTests.crowdedRoom()
        try room.submit("x", [.deleteSection("main")])
        let dead = room.engine.deadNodeCount
        #expect(dead > CostTests.others)
        let moving = room.steps { room.engine.moveHorizon(to: room.engine.revision) }
        #expect(moving == 0)
        // The ids are free at once.
        try room.submit("x", [.insertSection("main", .end), .insert("h1", .end(of: "main"))])
        #expect(room.engine.itemCount == 1)
        while room.engine.unsweptCount > 0 {
            let left = room.engine.unsweptCount
            let steps = room.steps { room.engine.sweep(atMost: 100) }
            #expect(steps <= 200 && room.engine.unsweptCount == max(left - 100, 0))
            room.engine.checkInvariants()
        }
        #expect(room.engine.deadNodeCount == 0)
        #expect(room.engine.retainedBytes == 0)
    }

    @Test("the same history takes the same steps")
    func deterministic() throws {
        func play() throws -> Int {
            let room = try CostTests.crowdedRoom()
            var random = SplitMix64(seed: 3)
            for number in 0..<300 {
                let place: Placement =
                    switch random.below(3) {
                    case 0: .after("h\(random.below(50))")
                    case 1: .before("b")
                    default: .at(UInt64(random.below(9)), in: "main")
                    }
                _ = try? room.submit(
                    "x\(random.below(3))", at: 1 + Revision(random.below(2)),
                    [.insert("i\(number)", place), .move("h\(random.below(50))", place)])
            }
            return room.engine.stepsTaken
        }
        #expect(try play() == play())
    }
}
