import Foundation

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

    /// Waits until a condition is true that nobody tells of; `false` if it never is.
    static func isReached(by condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date(timeIntervalSinceNow: usual)
        while try !condition() {
            guard Date() < deadline else { return false }
            usleep(10_000)
        }
        return true
    }
}
