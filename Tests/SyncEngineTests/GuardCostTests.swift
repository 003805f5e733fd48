import SyncEngine
import SyncModel
import Testing

/// What the guards of a stranger's transaction may cost, in steps. The stranger chooses how many
/// guards there are, what they cover, and how often their thing has changed.
@Suite struct GuardCostTests {
    /// How often the item has been moved and has changed since revision 1.
    private static let changes = 200
    /// The bytes of a large content, without its other fields.
    private static let largeContent = 1 << 16
    /// Steps for what an operation does besides its guard.
    private static let slack = 8

    /// A room with one item.
    private final class Room {
        let engine = Engine()

        init(contentBytes: Int = 0) throws {
            let text = Value.text(String(repeating: "v", count: contentBytes))
            try submit(.insert("a", .end(of: "main"), fields: [field("f", text)]))
        }

        func submit(_ operation: ListOperation) throws {
            let transaction = ListTransaction(base: engine.revision, operations: [operation])
            _ = try engine.submit(transaction, by: name("host"))
        }

        /// Gives the item other contents.
        func change(_ count: Int) throws {
            for number in 0..<count {
                try submit(.set(field("n", .number(Double(number))), of: "a"))
            }
        }

        /// Submits operations that leave the item where it is, each with this guard.
        func submit(
            _ count: Int, with condition: Guard, atMost limit: Int = .max
        ) throws -> (steps: Int, stop: SubmitStop?) {
            let operation = ListOperation.guarded(.move("a", .after("a")), by: condition)
            let packed = try PackedTransaction(
                ListTransaction(
                    base: engine.revision, operations: Array(repeating: operation, count: count)))
            var limits = SubmitLimits()
            limits.transactionSteps = limit
            let before = engine.stepsTaken
            var stop: SubmitStop?
            do throws(SubmitStop) {
                let author = engine.author(name("x"))
                _ = try packed.withView { (view) throws(SubmitStop) in
                    try engine.submit(view, by: author, stepLimit: .max, within: limits)
                }
            } catch {
                stop = error
            }
            return (engine.stepsTaken - before, stop)
        }
    }

    /// A guard of the fields that no content has, which takes the most steps and never fails.
    private static let widest: Guard = {
        var condition = Guard(since: 1)
        condition.fields = (0..<Guard.maximumFields).map { name("g\($0)") }
        return condition
    }()

    @Test("a guard takes a step for each node, and for each content once for each field")
    func stepsOfAGuard() throws {
        let room = try Room()
        for _ in 0..<GuardCostTests.changes { try room.submit(.move("a", .end(of: "main"))) }
        try room.change(GuardCostTests.changes)
        let comparisons = 1 + Guard.maximumFields
        let steps = 2 + GuardCostTests.changes * (1 + comparisons)
        for count in [1, 3, 50] {
            let taken = try room.submit(count, with: GuardCostTests.widest).steps
            let expected = count * steps...count * (steps + GuardCostTests.slack)
            #expect(expected.contains(taken))
        }
        var life = Guard(since: 1)
        life.place = true
        let taken = try room.submit(1, with: life).steps
        #expect(taken < GuardCostTests.changes + GuardCostTests.slack)
        let latest = Guard(since: room.engine.revision)
        #expect(try room.submit(1, with: latest).steps < GuardCostTests.slack)
    }

    @Test("bytes of content count once for each field")
    func stepsOfBytes() throws {
        let room = try Room(contentBytes: GuardCostTests.largeContent)
        try room.change(1)
        let comparisons = 1 + Guard.maximumFields
        let steps = comparisons * 2 * GuardCostTests.largeContent / 64
        let taken = try room.submit(1, with: GuardCostTests.widest).steps
        #expect((steps...steps + 5 * comparisons).contains(taken))
    }

    @Test("what is known to have changed is not compared again")
    func knownChanges() throws {
        let room = try Room()
        try room.change(GuardCostTests.changes)
        var condition = Guard(since: 1)
        condition.content = true
        condition.fields = [name("n")]
        #expect(try room.submit(1, with: condition).steps < GuardCostTests.slack)
    }

    @Test(
        "guards that take too many steps end at two contents, and leave no trace",
        arguments: [1, 1_000, 100_000])
    func guardsOverTheirSteps(limit: Int) throws {
        let room = try Room(contentBytes: GuardCostTests.largeContent)
        try room.change(GuardCostTests.changes)
        _ = room.engine.author(name("x"))
        let image = room.engine.encodeImage()
        let (steps, stop) = try room.submit(
            10_000, with: GuardCostTests.widest, atMost: limit)
        guard case .rejected(let rejection) = stop else {
            Issue.record("the guards take \(steps) steps")
            return
        }
        #expect(rejection.code == .limitExceeded)
        #expect(rejection.message.contains("transaction_steps"))
        let comparison = 2 * GuardCostTests.largeContent / 64
        #expect(steps <= limit + comparison + GuardCostTests.slack)
        #expect(room.engine.encodeImage() == image)
        room.engine.checkInvariants()
    }
}
