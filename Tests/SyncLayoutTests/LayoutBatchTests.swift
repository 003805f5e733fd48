import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Random histories: a layout that has followed their batches equals the plain twin of the
/// collection.
///
/// One half of the histories is compared after every batch, the other half after about half of the
/// batches. After the others, the layout only follows, or answers for the screen alone: so some of
/// its lazy values stay uncomputed over several batches.
///
/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter LayoutBatchTests`.
@Suite("Layouts that follow batches")
struct LayoutBatchTests {
    static let histories: UInt64 = 600
    static let batches = 14

    @Test("a layout that follows equals a new one", arguments: LayoutSpec.Kind.allCases)
    func follows(kind: LayoutSpec.Kind) throws {
        try LayoutTests.forEachSeed(kind, LayoutBatchTests.histories) { try difference(kind, $0) }
    }

    private func difference(_ kind: LayoutSpec.Kind, _ seed: UInt64) throws -> String? {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        let isAskedAlways = seed % 2 == 0
        var history = LayoutHistory(input.sections)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: history.inputs)
        for number in 0..<LayoutBatchTests.batches {
            let batch = try history.change(using: &numbers)
            try layout.apply(batch)
            if !isAskedAlways, numbers.chance(30) { continue }
            if !isAskedAlways, numbers.chance(30) {
                _ = try layout.elements(in: input.bounds, bounds: input.bounds)
                continue
            }
            let twin = LayoutTwin(
                input.spec, in: input.environment, sections: history.inputs,
                bounds: input.bounds)
            var questions = LayoutQuestions(layout: layout, twin: twin, bounds: input.bounds)
            if let difference = try questions.difference(using: &numbers), !twin.isKnifeEdge {
                return "after batch \(number): \(difference)\n\(input.spec)\n\(batch.stages)"
            }
        }
        return nil
    }

    /// One viewer may have followed a room's whole history, another may join at its end.
    @Test("it equals a new one to the last bit", arguments: LayoutSpec.Kind.allCases)
    func followsExactly(kind: LayoutSpec.Kind) throws {
        try LayoutTests.forEachSeed(kind, LayoutBatchTests.histories) { seed in
            var numbers = RandomNumbers(seed: seed, hostile: false)
            let input = RandomLayoutInput(using: &numbers, kind: kind)
            var history = LayoutHistory(input.sections)
            let layout = try CollectionLayout(
                input.spec, in: input.environment, sections: history.inputs)
            for number in 0..<LayoutBatchTests.batches {
                try layout.apply(try history.change(using: &numbers))
                if numbers.chance(30) { continue }
                let anew = try CollectionLayout(
                    input.spec, in: input.environment, sections: history.inputs)
                let bounds = input.bounds
                guard layout.contentSize(in: bounds) == anew.contentSize(in: bounds),
                    try layout.elements(in: bounds, bounds: bounds)
                        == anew.elements(in: bounds, bounds: bounds),
                    try layout.elements(bounds: bounds) == anew.elements(bounds: bounds)
                else { return "batch \(number) leaves another layout\n\(input.spec)" }
            }
            return nil
        }
    }

    @Test("a batch that does not fit is an error")
    func mismatch() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 100, height: 100)),
            sections: [SectionInput(items: .count(3))])
        var stages = Array(repeating: Stage(), count: 7)
        stages[0].deletes = [ItemPath(section: 0, item: 3)]
        stages[1].deletes = [ItemPath(section: 1, item: 0)]
        stages[2].moves = [
            .init(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 3))
        ]
        stages[3].deleteSections = [1]
        stages[4].moveSections = [.init(from: 0, to: 1)]
        stages[5].moveSections = [.init(from: -1, to: 0)]
        stages[6].deletes = [ItemPath(section: 0, item: -1)]
        for stage in stages {
            #expect(throws: LayoutError.batchMismatch) {
                try layout.apply(Batch(from: 0, to: 1, stages: [stage], sections: 1))
            }
        }
    }
}
