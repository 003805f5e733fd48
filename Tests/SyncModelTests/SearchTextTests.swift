import SyncModel
import Testing

/// Finding a text in the fields of items.
@Suite struct SearchTextTests {
    private func matches(_ text: String, _ item: Item) throws -> Bool {
        let matcher = TextMatcher(try #require(SearchText(text)))
        return item.content.bytes.withUnsafeBytes { matcher.matches($0) }
    }

    @Test func lettersOfASCIIMatchInBothCases() throws {
        let item = try Item("a", ["title": "Bio-Käse", "note": "it's GREAT"])
        for text in ["bio", "BIO-K", "käse", "KäSE", "great", "'s g", "e", "Bio-Käse"] {
            #expect(try matches(text, item), "\(text)")
        }
        for text in ["KÄSE", "bio käse", "Bio-Käsee", "@", "[", "biok"] {
            #expect(try !matches(text, item), "\(text)")
        }
    }

    @Test func onlyTextsOfFieldsAreSearched() throws {
        let item = try Item(
            "needle", ["needle": "hay", "list": ["needle"], "object": ["a": "needle"], "n": 5],
            kind: "needle")
        #expect(try !matches("needle", item))
        #expect(try !matches("5", item))
        #expect(try matches("hay", item))
        #expect(try !matches("hay", Item("hay", [:])))
    }

    /// A text does not reach over the end of a field.
    @Test func fieldsAreApart() throws {
        let item = try Item("a", ["a": "ab", "b": "cd", "c": ""])
        #expect(try matches("cd", item))
        #expect(try !matches("abcd", item))
        #expect(try !matches("bc", item))
    }

    /// Few letters make many partial matches.
    @Test func anyTextIsFoundAsNaively() throws {
        let letters: [Character] = ["a", "b"]
        func word(_ number: Int, _ count: Int) -> String {
            String((0..<count).map { letters[number >> $0 & 1] })
        }
        for count in 1...5 {
            for number in 0..<1 << count {
                let text = word(number, count)
                let matcher = TextMatcher(try #require(SearchText(text)))
                for hay in 0..<1 << 9 {
                    let all = word(hay, 9)
                    let content = try ItemContent(fields: [Field(name: "t", value: .text(all))])
                    let isFound = content.bytes.withUnsafeBytes { matcher.matches($0) }
                    let isThere = (0...9 - count).contains { start in
                        all.dropFirst(start).prefix(count) == text
                    }
                    #expect(isFound == isThere, "\(text) in \(all)")
                }
            }
        }
    }

    @Test func textsAreComparedByBytes() throws {
        #expect(SearchText("") == nil)
        #expect(SearchText(String(repeating: "a", count: 257)) == nil)
        let composed = try #require(SearchText("\u{E9}"))
        let decomposed = try #require(SearchText("e\u{301}"))
        #expect(composed != decomposed)
        let item = try Item("a", ["title": "caf\u{E9}"])
        #expect(try matches("\u{E9}", item))
        #expect(try !matches("e\u{301}", item))
    }
}
