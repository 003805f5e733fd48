import Foundation
import SyncJSON
import SyncLayout
import SyncModel

/// The golden layouts of `Protocol/vectors/layouts.jsonl`. Each line has a `name`, an `input` of
/// `collsync-cli layout`, and the answer to `expect`.
struct LayoutVector {
    let name: String
    let input: LayoutInput
    private let expected: Expectation

    static func all() throws -> [LayoutVector] {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Protocol/vectors/layouts.jsonl")
        let text = try String(contentsOf: file, encoding: .utf8)
        return try text.split(separator: "\n").map { try LayoutVector(line: Data($0.utf8)) }
    }

    private struct Unreadable: Error {}

    private init(line: Data) throws {
        let vector = try JSONDecoder().decode(Line.self, from: line)
        guard let members = try JSONSerialization.jsonObject(with: line) as? [String: Any],
            let input = members["input"]
        else { throw Unreadable() }
        name = vector.name
        expected = vector.expect
        self.input = try JSONSerialization.data(withJSONObject: input).withUnsafeBytes {
            try LayoutInput(line: $0)
        }
    }

    // MARK: What is expected

    var contentSize: ListSize { expected.contentSize.size }

    var targetOffset: ListPoint? { expected.targetOffset.map { ListPoint(x: $0.x, y: $0.y) } }

    /// The elements; what a line leaves out is as in the `given` ones.
    func elements(besides given: [LayoutElement]) throws -> [LayoutElement] {
        try expected.elements.enumerated().map { index, said in
            var element = LayoutElement(try said.identity, frame: said.frame.rect)
            let like = index < given.count ? given[index] : element
            element.zIndex = said.zIndex ?? like.zIndex
            element.scale = said.scale ?? like.scale
            return element
        }
    }

    private struct Line: Decodable {
        var name: String
        var expect: Expectation
    }

    private struct Expectation: Decodable {
        var contentSize: Extent
        var elements: [Element]
        var targetOffset: Offset?
    }

    private struct Element: Decodable {
        var category: String
        var section: Int
        var item: Int?
        var kind: String?
        var frame: Frame
        var zIndex: Int?
        var scale: Double?

        var identity: LayoutElement.Identity {
            get throws {
                switch (category, item, kind) {
                case ("cell", let item?, nil): .cell(ItemPath(section: section, item: item))
                case ("supplementary", nil, let kind?):
                    .supplementary(kind: try Identifier(kind), section: section)
                case ("decoration", nil, let kind?):
                    .decoration(kind: try Identifier(kind), section: section)
                default: throw Unreadable()
                }
            }
        }
    }

    private struct Offset: Decodable {
        var x: Double
        var y: Double
    }

    private struct Extent: Decodable {
        var width: Double
        var height: Double

        var size: ListSize { ListSize(width: width, height: height) }
    }

    private struct Frame: Decodable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        var rect: ListRect { ListRect(x: x, y: y, width: width, height: height) }
    }
}
