import Foundation

/// The top folder contains what the project's shape names, hidden files, and what builds and runs
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

/// A table below a heading: the names in backticks of each cell.
struct NamedTable {
    let rows: [[Set<String>]]

    init(in page: String, under heading: String) {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        rows = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("|") }
            .map { row in
                row.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
                    .map { Set($0.matches(of: /`([^`]+)`/).map { String($0.1) }) }
            }
    }

    /// Checks that the first column names all that is needed, and nothing unknown.
    func findings(needed: [String], known: Set<String>) -> [String] {
        let named = rows.reduce(into: Set<String>()) { $0.formUnion($1[0]) }
        guard !named.isEmpty else { return ["there is no table"] }
        let absent = Set(needed).subtracting(named).sorted().map { "the table leaves out \($0)" }
        let strange = named.subtracting(known).sorted()
            .map { "the table names \($0), which is not there" }
        return absent + strange
    }

    /// Checks that the third column lists the allowed imports of each module.
    func findings(imports modules: [ModuleTable.Module]) -> [String] {
        rows.flatMap { row -> [String] in
            guard row.count > 2 else { return [] }
            return modules.filter { row[0].contains($0.name) && !$0.isProgram }
                .filter { row[2] != $0.imports }
                .map { "the table has \($0.name) import \(row[2].sorted())" }
        }
    }
}

/// The targets that a package description names.
enum PackageTargets {
    static func names(in package: String) -> Set<String> {
        Set(
            package.matches(of: /(?:module\(\s*|support\(\s*|tests\(\s*|name: )"([^"]+)"/)
                .map { String($0.1) })
    }
}

/// The first page can be read in five minutes, even without wrapped lines.
enum FirstPageRule {
    static let maximumLines = 150
    static let maximumColumns = 110

    static func findings(in page: String) -> [String] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let count = lines.last == "" ? lines.count - 1 : lines.count
        let tooMany = count > maximumLines ? ["it has \(count) lines"] : []
        return tooMany
            + lines.enumerated().filter { $0.element.count > maximumColumns }
            .map { "line \($0.offset + 1) has \($0.element.count) columns" }
    }
}

/// The toolchain's formatter in strict mode.
enum Formatter {
    /// The rules that must be on.
    static let rules = [
        "AllPublicDeclarationsHaveDocumentation", "NeverForceUnwrap", "NeverUseForceTry",
        "NeverUseImplicitlyUnwrappedOptionals", "OrderedImports",
    ]

    /// The formatter's messages about paths in the package.
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

    /// The ``rules`` that a formatter configuration does not turn on.
    static func missingRules(in configuration: String) throws -> [String] {
        struct Configuration: Decodable {
            let rules: [String: Bool]
        }
        let read = try JSONDecoder().decode(Configuration.self, from: Data(configuration.utf8))
        return rules.filter { read.rules[$0] != true }
    }
}

/// The first table of a folder's README names each file there, or a folder around it, and no
/// missing file.
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
