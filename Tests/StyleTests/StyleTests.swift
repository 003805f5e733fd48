import Foundation
import Testing

/// The rules for the project's own text. Each rule is a function that returns its findings in a
/// text. Here the rules run over the repository, and in ``StyleRuleTests`` over planted violations.
@Suite struct StyleTests {
    @Test func modulesImportOnlyWhatStandsBelowThem() throws {
        var findings: [String] = []
        for module in ModuleTable.modules {
            for file in try Repository.swiftFiles(under: module.folder) {
                findings += ImportRule.findings(in: file.text, of: module, named: file.path)
            }
        }
        #expect(findings == [])
    }

    @Test func theTableOfModulesIsOrderedAndWhole() throws {
        #expect(ModuleTable.misplaced(in: ModuleTable.modules) == [])
        let folders = try Repository.folders(under: "Sources").map { "Sources/\($0)" }
        let systemLibraries = ModuleTable.systemLibraries.map { "Sources/\($0)" }
        let known = ModuleTable.modules.map(\.folder).filter { $0.hasPrefix("Sources/") }
        #expect(Set(folders) == Set(known).union(systemLibraries))
    }

    @Test func filesAndFunctionsAreShort() throws {
        var findings: [String] = []
        for file in try Repository.swiftFiles() {
            findings += LengthRule.findings(in: file.text, named: file.path)
        }
        #expect(findings == [])
    }

    @Test func roomsAndServersKeepLittleStateInEachType() throws {
        var findings: [String] = []
        for module in ["SyncRoom", "SyncServer"] {
            let files = try Repository.swiftFiles(under: "Sources/\(module)")
            findings += PropertyRule.findings(in: files.map(\.text))
        }
        #expect(findings == [])
    }

    @Test func noTrapsAndNothingLeftUndone() throws {
        var findings: [String] = []
        for file in try Repository.swiftFiles() {
            findings += ForbiddenText.findings(inSwift: file.text, named: file.path)
        }
        for file in try Repository.textFiles() {
            findings += ForbiddenText.findings(inText: file.text, named: file.path)
        }
        #expect(findings == [])
    }

    @Test func programsPrintThroughOneFilter() throws {
        var findings: [String] = []
        for folder in OutputRule.folders {
            for file in try Repository.swiftFiles(under: folder) {
                findings += OutputRule.findings(in: file.text, named: file.path)
            }
        }
        #expect(findings == [])
    }

    @Test func namesAreComparedByTheirBytes() throws {
        var findings: [String] = []
        for module in TextKeyRule.modules {
            for file in try Repository.swiftFiles(under: "Sources/\(module)") {
                findings += TextKeyRule.findings(in: file.text, named: file.path, of: module)
            }
        }
        for file in try Repository.swiftFiles(under: "Sources")
        where !file.path.hasPrefix("Sources/collsync-bench/") {
            findings += TextKeyRule.comparisons(in: file.text, named: file.path)
        }
        #expect(findings == [])
    }

    @Test func bytesOfStrangersAreNotDecodedByCodable() throws {
        var findings: [String] = []
        for file in try Repository.swiftFiles(under: "Sources") {
            findings += DecodingRule.findings(in: file.text, named: file.path)
        }
        #expect(findings == [])
    }

    @Test func formatIsClean() throws {
        let findings = try Formatter.findings(in: ["Sources", "Tests", "Package.swift"])
        #expect(findings == "")
    }

    @Test func publicDeclarationsMustBeDocumented() throws {
        let configuration = try Repository.text(of: ".swift-format")
        #expect(try Formatter.missingRules(in: configuration) == [])
    }

    @Test func topLevelHoldsOnlyWhatItMay() throws {
        #expect(TopLevelRule.findings(in: try Repository.entries(under: "")) == [])
    }

    @Test func theProtocolNamesItsFiles() throws {
        let findings = FileTableRule.findings(
            inReadme: try Repository.text(of: "Protocol/README.md"),
            files: try Repository.files(under: "Protocol").map { String($0.dropFirst(9)) })
        #expect(findings == [])
    }

    @Test func eachMergeRuleIsCitedByATest() throws {
        let rules = CitationRule.rules(in: try Repository.text(of: "Protocol/merge-rules.md"))
        #expect(rules.count > 25)
        let tests = try Repository.swiftFiles(under: "Tests")
            .filter { !$0.path.hasPrefix("Tests/StyleTests/") }
        #expect(CitationRule.findings(rules: rules, tests: tests) == [])
    }

    @Test func linksLeadSomewhere() throws {
        let pages = try Repository.textFiles().filter { $0.path.hasSuffix(".md") }
        let texts = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0.text) })
        var findings: [String] = []
        for page in pages {
            findings += LinkRule.findings(in: page.text, named: page.path, pages: texts) {
                FileManager.default.fileExists(atPath: Repository.root.appending(path: $0).path)
            }
            findings += LinkRule.misnamed(in: page.text, named: page.path) {
                try? Repository.text(of: $0)
            }
        }
        #expect(findings == [])
    }

    @Test func theFirstPageIsShort() throws {
        #expect(FirstPageRule.findings(in: try Repository.text(of: "README.md")) == [])
    }

    @Test func figuresAgreeWithTheirPages() throws {
        let text = try Repository.text(of: "README.md")
        #expect(try FigureRule.findings(in: text, page: Repository.text) == [])
    }

    @Test func theTourNamesTheModules() throws {
        let table = NamedTable(
            in: try Repository.text(of: "Sources/README.md"), under: "## Modules")
        let findings = table.findings(
            needed: try Repository.folders(under: "Sources"),
            known: PackageTargets.names(in: try Repository.text(of: "Package.swift")))
        #expect(findings == [])
        #expect(table.findings(imports: ModuleTable.modules) == [])
    }

    @Test func thePageOfTheTestsNamesThem() throws {
        let table = NamedTable(
            in: try Repository.text(of: "Tests/README.md"), under: "## What is where")
        let folders = try Repository.folders(under: "Tests")
        #expect(table.findings(needed: folders, known: Set(folders)) == [])
    }
}
