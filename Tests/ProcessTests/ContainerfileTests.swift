import Foundation
import Testing

extension ProcessTests {
    /// Where a program is among those of the machine; `nil` if it is not there.
    static func path(of program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// The description of the image. No image is built here.
    @Suite struct ContainerfileTests {
        /// The instructions of the last stage, which is the image.
        private static func image() throws -> [String] {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../deploy/Containerfile")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let start = try #require(lines.lastIndex { $0.hasPrefix("FROM ") })
            return lines[start...].filter { !$0.hasPrefix("#") }.map { String($0) }
        }

        /// The words of the only instruction of a kind, which is a list: so no shell starts it.
        private static func words(_ kind: String) throws -> [String] {
            let found = try image().filter { $0.hasPrefix("\(kind) ") }
            try #require(found.count == 1, "\(found)")
            return try JSONDecoder().decode(
                [String].self, from: Data(found[0].dropFirst(kind.count + 1).utf8))
        }

        private static let linter = "hadolint"

        /// Where its linter is not installed, this is not checked; `Tests/README.md` says how.
        @Test(.enabled(if: ProcessTests.path(of: linter) != nil))
        func theLinterFindsNothing() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../deploy/Containerfile").standardizedFileURL
            let process = try ChildProcess(
                URL(filePath: "/usr/bin/env"), [Self.linter, file.path])
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
        }

        @Test func theImageNeedsNoShellAndNoRoot() throws {
            let image = try Self.image()
            #expect(!image.contains { $0.hasPrefix("RUN ") || $0.hasPrefix("ADD ") })
            let user = try #require(image.first { $0.hasPrefix("USER ") })
            #expect(user.contains(/^USER [1-9][0-9]*:[1-9][0-9]*$/))
            let owner = user.dropFirst("USER ".count)
            #expect(image.contains { $0.hasPrefix("COPY ") && $0.contains("--chown=\(owner) ") })
        }

        @Test func theImageStartsTheProgramThatItHas() throws {
            let image = try Self.image()
            let program = try #require(try Self.words("ENTRYPOINT").first)
            #expect(image.contains { $0.hasPrefix("COPY ") && $0.hasSuffix(" \(program)") })
            let words = try Self.words("CMD")
            let data = try #require(words.firstIndex(of: "--data")) + 1
            #expect(image.contains("VOLUME \(words[data])"), "the data are kept outside")
            for flag in ["--listen", "--http"] {
                let address = try #require(words.firstIndex(of: flag)) + 1
                let port = try #require(words[address].split(separator: ":").last)
                #expect(image.contains("EXPOSE \(port)"))
            }
        }
    }
}
