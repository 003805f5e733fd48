import SeededRandom
import SyncJSON
import SyncModel
import Testing

/// A room that a client of HTTP fills and reads.
struct HTTPRoom {
    let client: HTTPClient
    let name: String

    var path: String { "/v1/rooms/\(name)" }

    /// Posts operations, each as JSON, as one transaction.
    func post(_ operations: [String]) throws {
        let answer = try client.ask(
            "POST", path + "/transactions",
            body: #"{"ops":[\#(operations.joined(separator: ","))]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Fills it with sections that have headers, and items of many sizes and titles.
    ///
    /// - Parameter most: the most sections.
    func fill(using random: inout SplitMix64, ofAtMost most: Int = 4) throws {
        var operations: [String] = []
        let known = try? sections().sections.count
        for section in (known ?? 0)..<((known ?? 0) + 1 + random.below(most)) {
            let heights = (0..<2).map { _ in random.below(40) }
            operations.append(
                #"{"insertSection":{"section":{"id":"s\#(section)","fields":{"title":"Part "#
                    + #"\#(section)"},"supplementaries":{"header":{"size":{"width":0,"height":"#
                    + #"\#(heights[0])}},"footer":{"fields":{"title":"End"},"size":{"width":0,"#
                    + #""height":\#(heights[1])}}}}}}"#)
            for item in 0..<random.below(40) {
                operations.append(Self.insertion(item, in: section, using: &random))
            }
        }
        for first in stride(from: 0, to: operations.count, by: 10) {
            try post(Array(operations[first..<min(first + 10, operations.count)]))
        }
    }

    private static func insertion(
        _ item: Int, in section: Int, using random: inout SplitMix64
    ) -> String {
        let title = random.pick(titles) ?? ""
        let size =
            random.chance(80)
            ? #","size":{"width":\#(random.below(200)),"height":\#(random.below(150))}"# : ""
        return #"{"insert":{"item":{"id":"i\#(section)-\#(item)","fields":{"title":"\#(title)"}"#
            + #"\#(size)},"to":{"section":"s\#(section)"}}}"#
    }

    /// As they stand in JSON: some would harm whoever took them for a part of a document.
    static let titles = [
        "Milk", "", "</text><script>alert(1)</script>", "a&b<c>\\\"d'", "]]>", "é語🦜", "\\u0000",
        "two\\nlines and some more words than a cell is wide", "\\u202Eevil", "\\uFFFF",
    ]

    /// Its sections, and the revision that they are of.
    func sections() throws -> Snapshot {
        let text = try client.ask(path).body
        let line = try text.withUnsafeBytes { try ServerLine(line: $0) }
        guard case .snapshot(_, let snapshot) = line else {
            throw WrongLine(text: String(decoding: text, as: UTF8.self))
        }
        return snapshot
    }

    struct WrongLine: Error {
        var text: String
    }
}
