import EngineTwin
import SyncEngine

/// Sends transactions of a few authors to the engine and to its naive twin, with any bases,
/// anchors, indices and trails, over a few ids.
///
/// - After every step both have the same state and gave the same answer.
/// - Batches between any two revisions are legal and minimal, and lead from one state to the other.
///   Walking through the revisions gives the same batches as composing each by itself.
enum PlacementFuzzer {
    private static let maximumSteps = 60

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = StepChoices(InputBytes(input))
        let player = HistoryPlayer(Engine())
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            play(choices.step(player.twin), player)
        }
        play(.compare(from: player.twin.horizon, to: player.twin.revision), player)
        checkSteps(player.tested)
    }

    private static func play(_ step: HistoryStep, _ player: HistoryPlayer<Engine>) {
        do throws(Difference) {
            try player.play(step)
        } catch {
            let steps = player.steps.map(\.description).joined(separator: "\n")
            finding("\(error)\n\(steps)")
        }
    }

    private static func checkSteps(_ engine: Engine) {
        var from = engine.horizon
        engine.forEachBatch(from: from, to: engine.revision) { batch in
            expect(
                batch == engine.batch(from: from, to: from + 1),
                "the batch from \(from) differs from the one of forEachBatch")
            from += 1
            return true
        }
        expect(
            from == engine.revision,
            "forEachBatch ends at revision \(from), and the room is at \(engine.revision)")
    }
}
