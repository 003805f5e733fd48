import Foundation
import Testing

extension ProcessTests {
    /// The documentation of the public modules: its examples compile, and its links have targets.
    @Suite struct DocumentationTests {
        /// Each example of the documentation is among the compiled ones.
        @Test func examplesCompile() throws {
            _ = try Apps.program("Core")
            let compiled = try Examples.compiled
            let examples = try Examples.documented
            #expect(examples.count > 25)
            for example in examples {
                #expect(compiled.contains(example.lines), "\(example.file): \(example.lines[0]) …")
            }
        }

        /// The catalogue builds without a warning.
        @Test func theCatalogueIsWhole() throws {
            let folder = try TemporaryFolder()
            for module in Examples.modules + ["SyncWire", "SyncIO", "SyncTLS", "SyncBytes"] {
                let extractor = try ChildProcess(
                    URL(filePath: "/usr/bin/env"),
                    [
                        "swift", "symbolgraph-extract", "-module-name", module,
                        "-minimum-access-level", "public", "-output-dir", folder.url.path,
                        "-target", try target(), "-I", try modules().path,
                    ] + mapOptions())
                #expect(try extractor.wait() == .exit(0), "\(extractor.transcript)")
            }
            let docc = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                [
                    "docc", "convert",
                    Examples.root.appending(path: "Sources/CollSync/CollSync.docc").path,
                    "--additional-symbol-graph-dir", folder.url.path, "--warnings-as-errors",
                    "--fallback-display-name", "CollSync", "--fallback-bundle-identifier",
                    "collsync",
                    "--output-path", folder.path("CollSync.doccarchive"),
                ])
            #expect(try docc.wait() == .exit(0), "\(docc.transcript)")
        }

        /// The folder of the package's built modules.
        private func modules() throws -> URL {
            try Program.server.deletingLastPathComponent().appending(path: "Modules")
        }

        private func target() throws -> String {
            try Program.server.deletingLastPathComponent().deletingLastPathComponent()
                .lastPathComponent
        }

        /// The options that name the module maps of the imported C modules.
        private func mapOptions() -> [String] {
            ["CUV", "CZlib", "CMemory", "COpenSSL", "CWslay"].flatMap { name in
                let map = Examples.root.appending(path: "Sources/\(name)/module.modulemap")
                return ["-Xcc", "-fmodule-map-file=\(map.path)"]
            }
        }
    }
}

/// The examples in the documentation of the public modules, and on the pages beside the code.
private struct Examples {
    let file: String
    let lines: [String]

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardized

    private static func lines(of path: String) throws -> [Substring] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func trimmed(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }

    /// The compiled lines, without their indentation.
    static var compiled: [String] {
        get throws {
            let files = ["Apps/Sources/Examples/Examples", "Apps/Sources/Examples/Model"]
            return try (files + ["SyncLayoutTests/SpiralLayout"]).flatMap { file in
                try lines(of: "Tests/\(file).swift").map(trimmed)
            }
        }
    }

    static let modules = [
        "CollSync", "CollSyncUV", "CollSyncUI", "CollSyncJSON", "SyncModel", "SyncLayout",
    ]

    static var documented: [Examples] {
        get throws {
            var found = try ["README.md", "Sources/SyncLayout/README.md"].flatMap(page)
            for module in modules {
                let folder = root.appending(path: "Sources/\(module)")
                for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                where file.hasSuffix(".swift") || file.hasSuffix(".md") && file != "README.md" {
                    let path = "Sources/\(module)/\(file)"
                    let lines = try lines(of: path)
                    let isArticle = file.hasSuffix(".md")
                    found += blocks(
                        isArticle ? lines.map { " " + $0 } : lines.map(comment), of: path)
                }
            }
            return found.filter { $0.lines.count > 1 }
        }
    }

    /// The text of a comment line, with its indentation; `nil` outside of comments.
    private static func comment(_ line: Substring) -> Substring? {
        let line = line.drop { $0 == " " }
        return line.hasPrefix("///") ? line.dropFirst(3).drop { $0 == " " && line.count < 4 } : nil
    }

    /// The Swift blocks of a page that contain an `await` or a function.
    private static func page(_ path: String) throws -> [Examples] {
        blocks(try lines(of: path).map { " " + $0 }, of: path)
            .filter { $0.lines.contains { $0.contains("try await") || $0.hasPrefix("func ") } }
    }

    /// The blocks that are indented by four spaces after an empty line.
    private static func blocks(_ lines: [Substring?], of file: String) -> [Examples] {
        var found: [Examples] = []
        var block: [String] = []
        var mayBegin = false
        for line in lines + [nil] {
            let isCode = line?.hasPrefix("     ") ?? false
            if let line, isCode, mayBegin || !block.isEmpty {
                block.append(trimmed(line))
            } else {
                if !block.isEmpty { found.append(Examples(file: file, lines: block)) }
                block = []
                mayBegin = line.map { trimmed($0).isEmpty } ?? false
            }
        }
        return found
    }
}
