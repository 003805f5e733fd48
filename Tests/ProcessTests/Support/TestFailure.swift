/// Why a test can't continue.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The time after which any wait has failed. Nothing takes that long without a failure.
enum Deadline {
    static let usual = 60.0
}
