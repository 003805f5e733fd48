import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel

/// Lays out one random input with the engine and with the twin, and compares all answers.
struct LayoutTrial {
    let kind: LayoutSpec.Kind
    let isHostile: Bool

    enum Outcome {
        case same
        /// There is no single right answer: a decision depends on rounding, or numbers are too
        /// large.
        case undecided
        case different(String)
    }

    func run(seed: UInt64) throws(LayoutError) -> Outcome {
        var numbers = RandomNumbers(seed: seed, hostile: isHostile)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: input.sections)
        var isUndecided = false
        // The same layout from two viewports.
        for _ in 0..<2 {
            let bounds = ListRect(
                x: numbers.number(-100...900), y: numbers.number(-100...1500),
                width: input.bounds.width, height: input.bounds.height)
            let twin = LayoutTwin(
                input.spec, in: input.environment, sections: input.sections, bounds: bounds)
            var questions = LayoutQuestions(layout: layout, twin: twin, bounds: bounds)
            if let difference = try questions.difference(using: &numbers) {
                if twin.isDecided {
                    return .different("\(difference)\nbounds \(bounds), \(input.text)")
                }
                isUndecided = true
            }
        }
        return isUndecided ? .undecided : .same
    }
}

extension RandomLayoutInput {
    /// The options that are set, for people.
    fileprivate var text: String {
        String(describing: self)
            .replacing(#/(SyncLayout|SyncModel|LayoutTwin)\.([A-Z][A-Za-z]*\.)*/#, with: "")
            .replacing(#/[A-Za-z]+: nil(, )?/#, with: "")
    }
}

extension LayoutTwin {
    /// Whether its result is the only right one.
    fileprivate var isDecided: Bool {
        !isKnifeEdge && largest < 1e200
    }
}
