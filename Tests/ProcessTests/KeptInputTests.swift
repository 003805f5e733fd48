import Foundation
import Testing

extension ProcessTests {
    /// The inputs that the fuzzers have kept find nothing. `deploy/fuzz` searches for others.
    @Suite struct KeptInputTests {
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzzers/Corpus")

        private static func names(in folder: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        }

        @Test func nothingIsFound() throws {
            let fuzzers = try Self.names(in: Self.folder)
            #expect(fuzzers.count > 15)
            for fuzzer in fuzzers {
                let folder = Self.folder.appending(path: fuzzer)
                let inputs = try Self.names(in: folder).map { folder.appending(path: $0).path }
                let run = try ChildProcess(Program.fuzzer, ["--fuzzer=\(fuzzer)"] + inputs)
                #expect(try run.wait(within: 300) == .exit(0), "\(run.errors.tail)")
                #expect(run.errors.tail.hasSuffix("\(inputs.count) inputs"))
            }
        }
    }
}
