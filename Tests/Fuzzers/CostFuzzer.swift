import EngineTwin
import RoomTrials

/// Transactions of strangers that make the engine work much for little, counted in steps.
///
/// - No transaction takes more steps than ``CostTrial/Cost/bound``.
///
/// libFuzzer keeps inputs that reach more code. Here a more expensive input does reach more code:
/// each sixteenth of the bound has a counter of its own.
enum CostFuzzer {
    static func run(_ input: UnsafeRawBufferPointer) {
        var trial = CostTrial([UInt8](input))
        do throws(Difference) {
            guard let cost = try trial.run() else { return }
            note(sixteenths: Int(cost.share * 16))
        } catch {
            finding("\(error)")
        }
    }

    /// The same for whole conversations with a room: no turn takes more steps than
    /// ``RoomCostTrial/Cost/bound``.
    static func runRoom(_ input: UnsafeRawBufferPointer) {
        var trial = RoomCostTrial([UInt8](input))
        do throws(Difference) {
            guard let cost = try trial.run() else { return }
            note(sixteenths: Int(cost.share * 16))
        } catch {
            finding("\(error)")
        }
    }

    /// Runs code so often that libFuzzer distinguishes each number: it counts in powers of two, up
    /// to 128.
    private static func note(sixteenths: Int) {
        for _ in 0..<(1 << min(sixteenths, 7)) { passFirstHalf() }
        guard sixteenths > 7 else { return }
        for _ in 0..<(1 << min(sixteenths - 8, 7)) { passSecondHalf() }
    }

    nonisolated(unsafe) private static var first = 0
    nonisolated(unsafe) private static var second = 0

    @inline(never) private static func passFirstHalf() { first &+= 1 }
    @inline(never) private static func passSecondHalf() { second &+= 1 }
}
