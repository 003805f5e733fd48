import Foundation
import Testing

extension ProcessTests {
    /// `deploy/mutants` plants small mistakes, which takes hours. Every run checks that each
    /// mistake can still be planted.
    @Suite struct MutantTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized

        @Test func allCanBePlanted() throws {
            let script = try ChildProcess(
                URL(filePath: "/bin/bash"),
                [Self.root.appending(path: "deploy/mutants").path, "--check"])
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
        }
    }
}
