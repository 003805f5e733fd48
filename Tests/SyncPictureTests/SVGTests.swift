import Foundation
import FoundationXML
import SeededRandom
import SyncLayout
import SyncModel
import Testing

@testable import SyncPicture

/// The document: as in the golden file, well-formed, its numbers short.
@Suite struct SVGTests {
    @Test func looksAsBefore() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/picture.svg")
        let expected = try String(contentsOf: golden, encoding: .utf8)
        #expect(try SamplePicture.picture().svg() == expected)
    }

    @Test func hostileTextsAreText() throws {
        let hostile = [
            "<", ">", "&", "\"", "'", "]]>", "<!--", "-->", "&#0;", "</text></svg>", "\u{0}",
            "\u{8}", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{FFFE}", "\u{FFFF}", "\u{1FFFE}",
            "\u{FEFF}",
            "\u{202E}", "e\u{301}", "👩‍👩‍👧", "中", "\r\n", "a",
        ]
        for seed in 0..<300 {
            var random = SplitMix64(seed: UInt64(seed))
            let title = (0..<random.below(12)).compactMap { _ in random.pick(hostile) }.joined()
            let picture = try Picture(
                of: [.cell(0, 0, (0, 0, 2_000, 100))], in: ListRect(width: 2_000, height: 100)
            ) { _ in title }
            let document = try Document(try picture.svg())
            let lines = RecordingCanvas(picture).lines
            #expect(document.texts == lines.map(\.text), "seed \(seed)")
        }
    }

    @Test func numbersAreFiniteAndShort() throws {
        let hostile: [Double] = [
            0, -0.0, 1e-300, 1 / 3, 99.999, 100, 1e9, 1e300, .greatestFiniteMagnitude, .infinity,
            .nan, -1 / 3, -1e5, -1e300, -.infinity,
        ]
        for seed in 0..<500 {
            var random = SplitMix64(seed: UInt64(seed))
            func number() -> Double { random.pick(hostile) ?? 0 }
            let elements = (0..<8).map { index in
                LayoutElement.cell(index, index, (number(), number(), number(), number()))
                    .with {
                        $0.scale = random.chance(50) ? 1 : number()
                        $0.alpha = random.chance(50) ? 1 : number()
                        $0.zIndex = random.pick([0, 1, .min, .max]) ?? 0
                    }
            }
            let area = ListRect(x: number(), y: number(), width: 300, height: 200)
            let picture = try Picture(of: elements, in: area) { _ in "Milk" }
            let document = try Document(try picture.svg())
            for number in document.numbers {
                #expect(number.wholeMatch(of: /-?\d{1,5}(\.\d{1,2})?/) != nil, "seed \(seed)")
            }
            _ = try picture.png(scale: 1)
        }
    }

    @Test(arguments: [
        (0.0, "0"), (-0.001, "0"), (1, "1"), (-1.5, "-1.5"), (0.125, "0.13"), (2.05, "2.05"),
        (-0.01, "-0.01"), (1.999, "2"), (.nan, "0"), (.infinity, "0"), (1e300, "0"),
    ])
    func number(value: Double, text: String) {
        #expect(SVGCanvas.number(value) == text)
    }
}

/// What an XML parser finds in a document.
private struct Document {
    private(set) var texts: [String] = []
    private(set) var numbers: [String] = []

    struct NotWellFormed: Error {}

    init(_ text: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        guard parser.parse() else { throw NotWellFormed() }
        texts = reader.texts
        numbers = reader.numbers
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var numbers: [String] = []
        private let numberNames = [
            "x", "y", "width", "height", "rx", "font-size", "fill-opacity", "stroke-opacity",
        ]

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            numbers += numberNames.compactMap { attributes[$0] }.filter { $0 != "100%" }
            if name == "text" { texts.append("") }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if let last = texts.indices.last, text != "\n" { texts[last] += text }
        }
    }
}
