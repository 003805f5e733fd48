/// Why a test can't go on.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// How long anything may take before it has failed. Nothing waits this long when all is well.
enum Deadline {
    static let usual = 60.0
}
