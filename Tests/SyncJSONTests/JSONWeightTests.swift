import SyncJSON
import Testing

/// Texts weigh what they take in memory, not what they have in bytes.
@Suite struct JSONWeightTests {
    private func weight(_ text: String) -> Int {
        Array(text.utf8).withUnsafeBytes { JSONWeight.of($0) }
    }

    @Test func manySmallValuesWeighMore() {
        let objects = "[" + String(repeating: "{},", count: 1000) + "{}]"
        #expect(weight(objects) > 1000 * 100)
        let text = "[\"" + String(repeating: "{},", count: 1000) + "\"]"
        #expect(weight(text) < 2 * text.utf8.count)
        #expect(weight(#"["a\"{{{{"]"#) < weight(#"["a",{}]"#))
    }

    @Test func howATextIsCutDoesNotMatter() {
        let text = Array(#"{"ops":[{"a":"x\\"},{"b":"\"","c":[1,2.5,null]}]}"#.utf8)
        let whole = text.withUnsafeBytes { JSONWeight.of($0) }
        for size in 1...text.count {
            var parts = JSONWeight()
            for start in stride(from: 0, to: text.count, by: size) {
                Array(text[start..<min(start + size, text.count)]).withUnsafeBytes { parts.add($0) }
            }
            #expect(parts.bytes == whole)
        }
    }
}
