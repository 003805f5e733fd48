import Foundation

/// The top folder holds what the project's shape names, hidden files, and what building and running
/// leave there.
enum TopLevelRule {
    static let named: Set<String> = [
        "Package.swift", "Sources", "Tests", "Protocol", "deploy", "README.md",
    ]
    static let made: Set<String> = ["Package.resolved", "collsync-data"]

    static func findings(in entries: [String]) -> [String] {
        entries.filter { !$0.hasPrefix(".") && !named.contains($0) && !made.contains($0) }
    }
}

/// The module table in the README names every module, and none that is not there.
enum ReadmeRule {
    static let heading = "## Modules"

    static func findings(
        inReadme readme: String, package: String, folders: [String]
    ) -> [String] {
        let named = modules(inTableOf: readme)
        guard !named.isEmpty else { return ["there is no table under '\(heading)'"] }
        let targets = Set(
            package.matches(of: /(?:module\(\s*|tests\(\s*|name: )"([^"]+)"/).map { String($0.1) })
        let absent = Set(folders).subtracting(named).sorted().map { "the table leaves out \($0)" }
        let unknown = named.subtracting(targets).sorted()
            .map { "the table names \($0), which Package.swift does not" }
        return absent + unknown
    }

    /// What stands in backticks in the first column of the table under the heading.
    private static func modules(inTableOf readme: String) -> Set<String> {
        let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix(heading) }.dropFirst()
            .prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("|") }
        return Set(
            table.flatMap { row in
                let cell = row.split(separator: "|").first ?? ""
                return cell.matches(of: /`([^`]+)`/).map { String($0.1) }
            })
    }
}

/// The formatter of the toolchain, strict.
enum Formatter {
    /// The rules that have to be on.
    static let rules = [
        "AllPublicDeclarationsHaveDocumentation", "NeverForceUnwrap", "NeverUseForceTry",
        "NeverUseImplicitlyUnwrappedOptionals", "OrderedImports",
    ]

    /// What the formatter says about paths in the package.
    static func findings(in paths: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swift", "format", "lint", "--strict", "--parallel", "--recursive"] + paths
        process.currentDirectoryURL = Repository.root
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        if process.terminationStatus != 0, text.isEmpty {
            return "swift format ended with \(process.terminationStatus)"
        }
        return text
    }

    /// Which of ``rules`` a configuration of the formatter does not turn on.
    static func missingRules(in configuration: String) throws -> [String] {
        struct Configuration: Decodable {
            let rules: [String: Bool]
        }
        let read = try JSONDecoder().decode(Configuration.self, from: Data(configuration.utf8))
        return rules.filter { read.rules[$0] != true }
    }
}

/// The first table of a folder's README names each file there, or a folder around it, and none that is not there.
enum FileTableRule {
    static func findings(inReadme readme: String, files: [String]) -> [String] {
        let rows = readme.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| file |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        let named = rows.flatMap { row in
            row.dropFirst().prefix { $0 != "|" }.split(separator: ",")
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
        let missing = files.filter { file in
            file != "README.md" && !named.contains { isNamed(file, by: $0) }
        }
        let gone = named.filter { name in !files.contains { isNamed($0, by: name) } }
        return missing.map { "the table leaves out \($0)" }
            + gone.map { "the table names \($0), which is not there" }
    }

    private static func isNamed(_ file: String, by name: String) -> Bool {
        file == name || name.hasSuffix("/") && file.hasPrefix(name)
    }
}
