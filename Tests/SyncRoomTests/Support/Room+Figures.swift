@testable import SyncRoom

/// Figures that only tests look at.
extension Room {
    /// How many layouts of it somebody views.
    var layoutCount: Int { views.layouts.count }

    /// How many bytes its views take, including what was sent of them and not taken yet.
    var viewByteCount: Int { views.members.reduce(0) { $0 + $1.viewing.byteCount } }

    /// How many answers were looked at or moved in all.
    var answerSteps: Int { answers.stepsTaken }
}
