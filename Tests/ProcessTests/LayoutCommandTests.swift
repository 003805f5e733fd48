import Testing

extension ProcessTests {
    /// `collsync-cli layout`, which needs no server.
    @Suite struct LayoutCommandTests {
        private func layOut(_ lines: [String]) throws -> CommandResult {
            try CommandResult.client(["layout"], input: lines.joined(separator: "\n"))
        }

        private func line(_ sections: String, more: String = "") -> String {
            #"{"layout":{"kind":"flow"},"bounds":{"width":320},"sections":\#(sections)\#(more)}"#
        }

        private let single =
            #"{"contentSize":{"width":320,"height":50},"elements":["#
            + #"{"category":"cell","section":0,"item":0,"#
            + #""frame":{"x":0,"y":0,"width":50,"height":50},"zIndex":0,"scale":1}]}"#

        @Test func everyLineIsAnswered() throws {
            let result = try layOut([
                line(#"[{"count":1}]"#), "", " \r", line("[]"), line(#"[{"items":[{}]}]"#),
            ])
            let empty = #"{"contentSize":{"width":0,"height":0},"elements":[]}"#
            #expect(result.output == [single, empty, single])
            #expect(result.errors.isEmpty)
            #expect(result.ending == .exit(0))
            #expect(try layOut([]).ending == .exit(0))
        }

        @Test func wrongLinesAreAnsweredWithTheirNumbers() throws {
            let result = try layOut([
                "{", line(#"[{"count":1}]"#), "",
                line(#"[{},{"sectionInset":{"tp":1}}]"#), line(#"[{"count":1}]"#),
            ])
            #expect(result.ending == .exit(65))
            #expect(result.output.count == 4)
            #expect(result.output[1] == single && result.output[3] == single)
            let errors = try result.json.compactMap { $0["error"] }
            #expect(errors.map { $0["line"] } == [1, 4])
            #expect(errors.map { $0["code"] } == ["malformed", "malformed"])
            #expect(
                errors.last?["message"]
                    == .text(
                        "line 4: sections[1].sectionInset.tp: unknown key; it can be top, left, bottom"
                            + " or right"))
        }

        @Test func optionsWithoutAnEffectAreNamed() throws {
            let result = try layOut([
                line(#"[{"count":1}]"#), line(#"[{"count":1,"columnCount":7}]"#),
            ])
            #expect(result.output == [single, single] && result.ending == .exit(0))
            #expect(result.errors.contains("warning: line 2: flow does not use columnCount"))
        }

        @Test func whatCannotBeLaidOutIsSaid() throws {
            let huge = #""itemSize":{"width":9,"height":1e308},"columnCount":1,"fit":"plain""#
            let result = try layOut([
                line(#"[{"count":9007199254740991}]"#), line(#"[{"count":1000000000}]"#),
                line("[{\"count\":99,\(huge)}]"), line(#"[{"count":1}]"#),
                #"{"layout":{"kind":"waterfall","columnCount":1025},"bounds":{},"sections":[{}]}"#,
            ])
            #expect(result.ending == .exit(65))
            let errors = try result.json.compactMap { $0["error"] }
            #expect(errors.map { $0["line"] } == [1, 2, 3, 5])
            #expect(errors.allSatisfy { $0["code"] == "limitExceeded" })
            #expect(result.output[3] == single)
        }

        /// A part of a thousand million items can be requested.
        @Test func partsOfHugeSectionsAreLaidOut() throws {
            let rect = #","rect":{"x":300,"y":1e9,"width":1,"height":1},"point":{"x":1,"y":1e9}"#
            let result = try layOut([line(#"[{"count":1000000000}]"#, more: rect)])
            #expect(result.ending == .exit(0))
            #expect(
                result.output == [
                    #"{"contentSize":{"width":320,"height":11999999990},"elements":["#
                        + #"{"category":"cell","section":0,"item":83333334,"frame":"#
                        + #"{"x":270,"y":999999960,"width":50,"height":50},"zIndex":0,"scale":1}],"#
                        + #""target":{"section":0,"item":83333330}}"#
                ])
        }

        @Test func linesThatAreTooLongArePassedOver() throws {
            let long = line("[]", more: String(repeating: " ", count: 16 << 20))
            let result = try layOut([long, line(#"[{"count":1}]"#)])
            #expect(result.ending == .exit(65))
            #expect(try result.json.first?["error"]?["line"] == 1)
            #expect(result.output.last == single)
        }

        @Test(arguments: [["layout", "file"], ["layout", "--nonsense"]])
        func wrongUseIsRefused(arguments: [String]) throws {
            #expect(try CommandResult.client(arguments).ending == .exit(64))
        }
    }
}
