import Foundation
import Testing

extension ProcessTests {
    /// `deploy/mutants` plants small mistakes and takes hours. That each can still be planted is
    /// checked with every run.
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
