import Foundation
import Testing

/// Every rule of ``StyleTests`` finds its violations, and nothing in correct text.
@Suite struct StyleRuleTests {
    private let bottom = ModuleTable.Module(
        name: "Bottom", folder: "", imports: ["CZlib"], isProgram: false)

    private func imports(_ text: String) -> [String] {
        ImportRule.findings(in: text, of: bottom, named: "a")
    }

    @Test func importsAreFound() {
        #expect(imports("import CZlib\nimport Glibc\n") == [])
        #expect(imports("import Foundation\n") == ["a:1: Bottom imports Foundation"])
        #expect(imports("\npackage import SyncTree // why\n") == ["a:2: Bottom imports SyncTree"])
        #expect(imports("@testable import struct CUV.uv_loop_t\n") == ["a:1: Bottom imports CUV"])
        #expect(imports("// import CUV\nlet text = \"\"\"\n    import CUV\n    \"\"\"\n") == [])
    }

    @Test func rulesWithoutATestAndTestsWithoutARuleAreFound() {
        let paper = "# Rules\n\nP1. One.\n\nP2. **Two.** As P7.\nO1. Three\n"
        let rules = CitationRule.rules(in: paper)
        #expect(rules == ["P1", "P2", "O1"])
        func found(_ text: String) -> [String] {
            CitationRule.findings(
                rules: rules, tests: [Repository.File(path: "a", text: text)])
        }
        let all = "@Test(\"P1, P2: x\") // P2, A4\n@Test(\n  \"O1: y\", arguments: 1...2)\n"
        #expect(found(all) == [])
        #expect(found("@Test(\"P1, P2: x\")\n// O1\n") == ["no test cites O1"])
        #expect(found(all + "@Test(\"P3: z\")") == ["a: cites P3, which is no rule"])
        #expect(found(all + "/// As O2 says.") == ["a: cites O2, which is no rule"])
    }

    @Test func figuresThatDifferAreFound() {
        func found(_ row: String, links: String = "[a]: p.md#one-two\n") -> [String] {
            let text = "| what | measured |\n|---|---|\n\(row)\n\n\(links)"
            return FigureRule.findings(in: text) { _ in
                "# P 7\n\n## One two\n\n| 1,062 k/s | 0.25: x 12 |\n\n## Three\n\n9 k\n"
            }
        }
        #expect(found("| [x 3][a] y 4 | 1,062 k/s | 0.25 |") == [])
        #expect(
            found("| [x][a] | 9 k/s | 7 |") == [
                "9 is not in p.md#one-two", "7 is not in p.md#one-two",
            ])
        #expect(found("| [x][a] | 1 | 062 |").count == 2)
        #expect(found("| [x][b] | 12 | |") == ["there is no link 'b'"])
        #expect(found("| [x][a] | 12 | |", links: "[a]: p.md#none\n").count == 1)
    }

    @Test func fileTablesAreCompared() {
        let readme =
            "# A\n\n| file | holds |\n|---|---|\n| `a.md`, `b/` | x |\n| `c` | y |\n\n| `z` | other |\n"
        #expect(
            FileTableRule.findings(inReadme: readme, files: ["README.md", "a.md", "b/1", "c"]) == []
        )
        #expect(
            FileTableRule.findings(inReadme: readme, files: ["a.md", "b/1", "d"]) == [
                "the table leaves out d", "the table names c, which is not there",
            ])
    }

    @Test func linksThatLeadNowhereAreFound() {
        func found(in text: String) -> Int {
            LinkRule.findings(
                in: text, named: "A/a.md",
                pages: ["A/a.md": "# A", "b.md": "# B\n\n## After `changed`, or not\n"],
                exists: { ["A/a.md", "b.md"].contains($0) }
            ).count
        }
        func found(_ link: String) -> Int { found(in: "see [a](\(link)) and (b)") }
        for link in ["a.md", "../b.md", "#a", "../b.md#after-changed-or-not", "https://c/#d"] {
            #expect(found(link) == 0, "\(link)")
        }
        for link in ["b.md", "#b", "../b.md#after", "../c.md#a"] {
            #expect(found(link) == 1, "\(link)")
        }
        for text in ["[a][1], <img src=\"a.md\">\n\n[1]: ../b.md", "[1]: b.md"] {
            #expect(found(in: text) == 0, "\(text)")
        }
        #expect(found(in: "[a][1]\n\n[1]: b.md\n[2]: #a") == 1)
        #expect(found(in: "<img width=\"1\" src=\"b.md\">") == 1)
    }

    @Test func theLibraryOfOneSystemIsFound() throws {
        let core = try #require(ModuleTable.modules.first { $0.name == "SyncBytes" })
        #expect(
            ImportRule.findings(in: "import Glibc\n", of: core, named: "a") == [
                "a:1: SyncBytes imports Glibc"
            ])
        let all =
            "#if canImport(Darwin)\nimport Darwin\n#elseif a\nimport Musl\n#else\nimport Glibc\n#endif\n"
        #expect(ImportRule.findings(in: all, of: core, named: "a") == [])
        #expect(imports(all) == ["a:2: Bottom imports Darwin", "a:4: Bottom imports Musl"])
    }

    @Test func programsMayNotNameSystemLibraries() throws {
        let program = try #require(ModuleTable.modules.first { $0.isProgram })
        let text = "import Foundation\nimport SyncLoop\nimport CUV\nimport collsync\n"
        #expect(
            ImportRule.findings(in: text, of: program, named: "a") == [
                "a:3: \(program.name) imports CUV", "a:4: \(program.name) imports collsync",
            ])
    }

    @Test func modulesOutOfOrderAreFound() {
        let upper = ModuleTable.Module(
            name: "Upper", folder: "", imports: ["Bottom"], isProgram: false)
        #expect(ModuleTable.misplaced(in: [bottom, upper]) == [])
        #expect(ModuleTable.misplaced(in: [upper, bottom]).count == 1)
    }

    @Test func longFilesAreFound() {
        let line = "let a = 1\n"
        #expect(LengthRule.findings(in: String(repeating: line, count: 400), named: "a") == [])
        #expect(
            LengthRule.findings(in: String(repeating: line, count: 401), named: "a") == [
                "a: 401 lines"
            ])
    }

    @Test func wideCommentsAreFound() {
        let width = LengthRule.maximumCommentWidth
        for (start, count) in [("// ", 0), ("    /// ", 0), ("let a = 1 // ", 0)] {
            let wide = start + String(repeating: "é", count: width - start.count)
            #expect(LengthRule.wideComments(in: wide).count == count)
        }
        let wider = "a\n    /// " + String(repeating: "é", count: width - 7)
        #expect(LengthRule.findings(in: wider + "\n", named: "a") == ["a:2: a wide comment"])
    }

    @Test func longFunctionsAreFound() {
        func function(_ head: String, lines: Int) -> String {
            head + " {\n" + String(repeating: "    a({ $0 })\n", count: lines - 2) + "}\n"
        }
        func found(_ text: String) -> [String] { LengthRule.findings(in: text, named: "a") }
        #expect(found(function("func short()", lines: 60)) == [])
        #expect(found(function("func long()", lines: 61)) == ["a:1: long has 61 lines"])
        #expect(
            found("\n" + function("init?(a: [Int] = [])", lines: 70)) == ["a:2: init has 70 lines"])
        #expect(found(function("subscript(index: Int) -> Int", lines: 61)).count == 1)
        #expect(found(function("let value = make.init(a)", lines: 70)) == [])
        let withBraces =
            "func braces() {\n    let text = \"}}} \\(a[\"{\"]) {\" // {\n    /* { */\n}\n"
        #expect(LengthRule.functions(in: withBraces).map(\.lines) == [4])
        let requirement = "protocol P {\n    func a(_ b: () -> Int)\n    var c: Int { get }\n}\n"
        #expect(LengthRule.functions(in: requirement).isEmpty)
    }

    @Test func typesWithManyStoredPropertiesAreFound() {
        func type(_ count: Int, more: String = "") -> String {
            let properties = (0..<count).map { "    private(set) var a\($0): Int = 0\n" }
            return "package final class A {\n" + properties.joined() + more + "}\n"
        }
        func found(_ texts: String...) -> [String] { PropertyRule.findings(in: texts) }
        #expect(found(type(20)) == [])
        #expect(found(type(21)) == ["A has 21 stored properties"])
        // Properties of nested types count, wherever the types are.
        let nested = "struct B {\n    let c: () -> Void\n    let d: [Int: B]\n}\n"
        #expect(found(type(19, more: nested)) == ["A has 21 stored properties"])
        #expect(found(type(19), "extension A {\n" + nested + "}\n").count == 1)
        #expect(found(type(19), nested) == [])
        // An observed property is stored.
        #expect(found(type(20, more: "var b: Int { didSet { b = 1 } }\n")).count == 1)
        #expect(
            found(type(20, more: "let b: () -> Int\nsubscript(c: Int) -> Int { c }\n")).count == 1)
        #expect(found(type(20, more: "let b: Int\ninit() { let c = 1 }\n")).count == 1)
        // Computed, static and local properties and the values of cases do not count.
        let others = [
            "var b: Int { 1 }\n", "var b: Set<Int> {\n    get { [] }\n}\n", "static let b = 1\n",
            "enum B { case c(d: Int) }\n", "func b() { let c = 1 }\n",
            "subscript(b: Int) -> Int {\n    var c = 1\n    return c\n}\n",
        ]
        for other in others { #expect(found(type(20, more: other)) == [], "\(other)") }
    }

    @Test func trapsAreFound() {
        func found(_ text: String) -> Int {
            ForbiddenText.findings(inSwift: text, named: "a").count
        }
        #expect(found("let a = try read() as? Int\n") == 0)
        #expect(found("// never try! this\nlet text = \"as! fatalError(\"\n") == 0)
        #expect(found("let a = try! read()\n") == 1)
        #expect(found("let a = b as! Int\n") == 1)
        #expect(found("func a() { fatalError(\"\") }\n") == 1)
        #expect(found("let a = \"\\(b as! Int)\"\n") == 1)
    }

    @Test func namesThatAreTextsAreFound() {
        func found(_ text: String, in module: String = "SyncStore") -> Int {
            TextKeyRule.findings(in: text, named: "a", of: module).count
        }
        #expect(found("var rooms: [String: Room] = [:]\nvar names: Set<String> = []") == 2)
        #expect(found("func open(room: String) {}\nfunc open(_ room: String?) {}") == 2)
        #expect(found("func open(room: String) {}", in: "SyncModel") == 0)
        #expect(found("var kind: String\nvar kinds: [String: Int]", in: "SyncLayout") == 2)
        #expect(found("var rooms: [RoomName: Room] = [:] // [String: Room]") == 0)
        #expect(found("func open(room: RoomName, path: String)") == 0)
        func compared(_ text: String) -> Int {
            TextKeyRule.comparisons(in: text, named: "a").count
        }
        let comparing = [
            "if name.shown == a {}", "if a != item.id.text {}", "switch name.shown {}",
        ]
        for text in comparing { #expect(compared(text) == 1, "\(text)") }
        #expect(compared("if a == .text, b.shown != nil { show(name.shown) }") == 0)
    }

    @Test func decodingByCodableIsFound() {
        func found(_ text: String) -> Int { DecodingRule.findings(in: text, named: "a").count }
        #expect(found("let a = try JSONDecoder().decode(A.self, from: data)\n") == 1)
        #expect(found("// JSONDecoder\nlet a = JSONEncoder()\n") == 0)
    }

    @Test func workUndoneAndWorkplacesAreFound() {
        func found(_ text: String) -> Int { ForbiddenText.findings(inText: text, named: "a").count }
        #expect(found("All is done.\n") == 0)
        #expect(found("// TO" + "DO: more\n") == 1)
        #expect(found("# FIX" + "ME\n") == 1)
        #expect(found("see /" + "work/main\n") == 1)
        for number in [1, 20] { #expect(found("as Issue \(number) asks\n") == 1) }
        #expect(found("a task of 3 seconds\n") == 0)
    }

    @Test func strangersAtTheTopAreFound() {
        #expect(TopLevelRule.findings(in: ["Sources", ".ci", "Package.swift", "README.md"]) == [])
        #expect(TopLevelRule.findings(in: ["Sources", "notes.txt"]) == ["notes.txt"])
    }

    @Test func namedTablesAreCompared() {
        let package =
            "module(\"A\", []),\nmodule(\"B\", [\"A\"]),\n.executableTarget(\n name: \"c\")"
        #expect(PackageTargets.names(in: package) == ["A", "B", "c"])
        func table(_ rows: String) -> NamedTable {
            let page = "# x\n| `Z` |\n## T\n\n|a|b|\n|-|-|\n\(rows)\n## More\n| `Y` |\n"
            return NamedTable(in: page, under: "## T")
        }
        func found(_ rows: String) -> [String] {
            table(rows).findings(needed: ["A", "B", "c"], known: ["A", "B", "c"])
        }
        #expect(found("| [`A`](A), `B` | of `D` |\n| `c` | |") == [])
        #expect(found("| `A` | `B` |\n| `c` | |") == ["the table leaves out B"])
        #expect(found("| `A`, `B`, `c`, `D` | |").count == 1)
        #expect(found("").count == 1)

        func imported(_ rows: String) -> [String] { table(rows).findings(imports: [bottom]) }
        #expect(imported("| `Bottom` | x `y` | `CZlib` |\n| `Top` | | `CUV` |") == [])
        #expect(imported("| `Bottom` | `CZlib` | |").count == 1)
        #expect(imported("| `Bottom` | x | `CZlib`, `CUV` |").count == 1)
    }

    @Test func longFirstPagesAreFound() {
        #expect(FirstPageRule.findings(in: String(repeating: "é\n", count: 150)) == [])
        #expect(FirstPageRule.findings(in: String(repeating: "\n", count: 151)).count == 1)
        #expect(FirstPageRule.findings(in: String(repeating: "é", count: 110)) == [])
        #expect(FirstPageRule.findings(in: "a\n" + String(repeating: "é", count: 111)).count == 1)
    }

    @Test func linksToFilesThatDoNotSayTheNameAreFound() {
        func found(_ link: String) -> Int {
            LinkRule.misnamed(in: "see \(link)", named: "A/a.md") { path in
                ["A/B.swift": "struct C { func d() {} }"][path]
            }.count
        }
        for link in [
            "[`C`](B.swift)", "[`C.d`](B.swift)", "[`B`](B.swift)", "[`E`](.)", "[E](B.swift)",
        ] {
            #expect(found(link) == 0, "\(link)")
        }
        #expect(found("[`E`](B.swift)") == 1)
        #expect(found("[`C.e`](B.swift)") == 1)
    }

    @Test func formatterIsStrict() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Planted.swift")
        let configuration = try Repository.text(of: ".swift-format")
        try configuration.write(
            to: folder.appending(path: ".swift-format"), atomically: true, encoding: .utf8)
        try "/// Twice.\npublic let a = 2\n".write(to: file, atomically: true, encoding: .utf8)
        #expect(try Formatter.findings(in: [file.path]) == "")
        try "public let a = b!\n".write(to: file, atomically: true, encoding: .utf8)
        let findings = try Formatter.findings(in: [file.path])
        #expect(findings.contains("AllPublicDeclarationsHaveDocumentation"))
        #expect(findings.contains("NeverForceUnwrap"))
    }

    @Test func rulesTurnedOffAreFound() throws {
        let configuration = "{\"rules\": {\"NeverForceUnwrap\": false, \"OrderedImports\": true}}"
        let missing = try Formatter.missingRules(in: configuration)
        #expect(missing.contains("NeverForceUnwrap"))
        #expect(!missing.contains("OrderedImports"))
        #expect(missing.count == Formatter.rules.count - 1)
    }
}
