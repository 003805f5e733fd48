import Foundation
import LayoutTwin
import SeededRandom
import SyncLayout
import Testing

@testable import SyncJSON

/// Options that a layout does not use are named.
@Suite("Options without an effect")
struct LayoutWarningTests {
    @Test("they are named, and others are not")
    func named() throws {
        func warning(_ text: String, _ kind: LayoutSpec.Kind) throws -> String? {
            try LayoutSpec(text: text, kind: kind).warning()
        }
        #expect(try warning("{}", .circle) == nil)
        #expect(try warning(#"{"columnCount":3,"rtl":true}"#, .waterfall) == nil)
        #expect(
            try warning(
                #"{"zoomFactor":1,"itemSize":{"width":1,"height":1},"fit":"gutter"}"#, .mosaic)
                == "mosaic does not use itemSize, fit, zoomFactor")
    }

    @Test("those of sections are named once")
    func sections() throws {
        let line =
            #"{"layout":{"kind":"flow","fit":"plain"},"bounds":{},"sections":["#
            + #"{"columnCount":1,"alignment":"center"},{"columnCount":2}]}"#
        let input = try Array(line.utf8).withUnsafeBytes { try LayoutInput(line: $0) }
        #expect(input.warning == "flow does not use fit, columnCount")
    }

    /// Where the paper lists the options, and what uses them.
    private func table() throws -> [(names: [String], users: String)] {
        let paper = try String(
            contentsOf: URL(filePath: #filePath)
                .appending(path: "../../../Protocol/layouts.md").standardized, encoding: .utf8)
        let lines = paper.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| option | default") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            // A choice is behind its option, after a colon.
            let names = cells[1].split(separator: ":")[0].matches(of: /`(\w+)`/)
            return (names.map { String($0.1) }, String(cells[4]))
        }
    }

    @Test("they are those of the paper's table")
    func paper() throws {
        var listed: Set<String> = []
        for (names, users) in try table() {
            let isAll = users.contains(/^ all/)
            let kinds = LayoutSpec.Kind.allCases.filter { kind in
                users.contains(kind.rawValue) != isAll
            }
            for name in names where kinds != LayoutSpec.Kind.allCases {
                listed.insert(name)
                let option = try #require(LayoutOptionUse.all.first { $0.name == name })
                #expect(Set(option.users) == Set(kinds), "\(name)")
            }
        }
        #expect(listed == Set(LayoutOptionUse.all.map(\.name)))
    }

    /// The same input without the options that its layout does not use.
    private func used(_ input: RandomLayoutInput) throws -> (LayoutSpec, [SectionInput]) {
        let unused = Set(
            LayoutOptionUse.all.filter { !$0.users.contains(input.spec.kind) }.map(\.name))
        func stripped(_ spec: LayoutSpec) throws -> LayoutSpec {
            let text = ViewLayout(spec).json
            let tree = try #require(
                JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
            let members = try #require(tree["layout"]).filter { !unused.contains($0.key) }
            let bytes = try JSONSerialization.data(withJSONObject: ["layout": members])
            return try ViewLayout(json: String(decoding: bytes, as: UTF8.self)).spec
        }
        let sections = try input.sections.map { section in
            var spec = LayoutSpec(kind: input.spec.kind)
            spec.options = section.options
            var section = section
            section.options = try stripped(spec).options
            return section
        }
        return (try stripped(input.spec), sections)
    }

    @Test("without them a layout is the same", arguments: LayoutSpec.Kind.allCases)
    func noEffect(kind: LayoutSpec.Kind) throws {
        for seed in UInt64(0)..<100 {
            var numbers = RandomNumbers(seed: seed, hostile: false)
            let input = RandomLayoutInput(using: &numbers, kind: kind)
            let (spec, sections) = try used(input)
            let whole = try CollectionLayout(
                input.spec, in: input.environment, sections: input.sections)
            let plain = try CollectionLayout(spec, in: input.environment, sections: sections)
            #expect(spec.warning(with: sections) == nil)
            #expect(
                try whole.elements(bounds: input.bounds) == plain.elements(bounds: input.bounds),
                "seed \(seed)")
            #expect(whole.contentSize(in: input.bounds) == plain.contentSize(in: input.bounds))
        }
    }
}
