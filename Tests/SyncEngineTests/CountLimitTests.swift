import EngineTwin
import ModelSupport
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// The most items and sections that a room may have, however they come.
@Suite struct CountLimitTests {
    private static func submit(
        _ operations: [ListOperation], at base: Revision, to engine: Engine, _ limits: SubmitLimits
    ) throws -> Rejection? {
        let transaction = ListTransaction(base: base, operations: operations)
        let author = engine.author(name("ann"))
        return try PackedTransaction(transaction).withView { view in
            do throws(SubmitStop) {
                _ = try engine.submit(view, by: author, stepLimit: .max, within: limits)
                return nil
            } catch .rejected(let rejection) {
                return rejection
            } catch {
                return Rejection(code: .limitExceeded, message: "too many steps")
            }
        }
    }

    /// Past the horizon an operation makes the section that it names (S4).
    @Test func sectionsThatAreMadeByTheirNamesCount() throws {
        let engine = Engine()
        _ = try Self.submit([.insert("x", .end(of: "main"))], at: 0, to: engine, SubmitLimits())
        engine.advanceHorizon(to: 1)
        var limits = SubmitLimits()
        limits.sections = 3
        let made = (1...3).flatMap { number -> [ListOperation] in
            [.insert("i\(number)", .end(of: "s\(number)")), .delete("i\(number)")]
        }
        let rejection = try Self.submit(made, at: 0, to: engine, limits)
        #expect(rejection?.code == .limitExceeded && rejection?.operation == 4)
        #expect(engine.reachedLimit == .sections && engine.sectionCount == 1)
        #expect(try Self.submit(Array(made.prefix(4)), at: 0, to: engine, limits) == nil)
        #expect(engine.reachedLimit == nil && engine.sectionCount == 3)
    }

    /// In random histories, nothing but what goes beyond a limit is refused for it, and a room
    /// that has more than it may gets no more.
    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func noRoomGrowsBeyondItsLimits(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        let (twin, engine) = (Twin(), Engine())
        var limits = SubmitLimits()
        (limits.items, limits.sections) = (4 + Int(seed % 9), 2 + Int(seed % 3))
        var refused = 0
        for _ in 0..<400 {
            switch generator.next(twin) {
            case .advanceHorizon(let revision):
                twin.advanceHorizon(to: revision)
                engine.advanceHorizon(to: revision)
            case .submit(let transaction, let author):
                let (items, sections) = (engine.itemCount, engine.sectionCount)
                let number = engine.author(author)
                let result = try? PackedTransaction(transaction).withView { view in
                    try engine.submit(view, by: number, stepLimit: .max, within: limits)
                }
                #expect(engine.itemCount <= max(items, limits.items))
                #expect(engine.sectionCount <= max(sections, limits.sections))
                if result != nil {
                    _ = try twin.submit(transaction, by: author)
                } else if engine.reachedLimit != nil {
                    refused += 1
                    #expect(engine.itemCount == items && engine.sectionCount == sections)
                }
            default: break
            }
        }
        #expect(refused > 0)
    }
}
