@testable import SyncRoom

/// Figures that only tests use.
extension Room {
    /// How many of its layouts somebody views.
    var layoutCount: Int { views.layouts.count }

    /// How many bytes its views take, including frames that are sent but not taken yet.
    var viewByteCount: Int { views.members.reduce(0) { $0 + $1.viewing.byteCount } }

    /// How many times an answer was examined or moved.
    var answerSteps: Int { answers.stepsTaken }
}
