import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The output of `layout`.
@Suite struct LayoutAnswerTests {
    private func text(of answer: LayoutAnswer) -> String {
        var writer = JSONWriter()
        writer.write(answer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func answer(_ elements: [LayoutElement] = []) -> LayoutAnswer {
        LayoutAnswer(contentSize: ListSize(width: 320, height: 110), elements: elements)
    }

    @Test func `an answer without elements`() {
        #expect(text(of: answer()) == #"{"contentSize":{"width":320,"height":110},"elements":[]}"#)
    }

    @Test func `every category`() throws {
        let frame = ListRect(x: 67.5, y: -1, width: 50, height: 0)
        let path = ItemPath(section: 2, item: 1)
        let named = ItemPath(section: 2, item: 3)
        var answer = answer([
            LayoutElement(.supplementary(kind: "header", section: 2), frame: frame, zIndex: 1),
            LayoutElement(.cell(path), frame: frame),
            LayoutElement(.cell(named), frame: frame),
            LayoutElement(.itemSupplementary(kind: "b\"", path), frame: frame, zIndex: -4),
            LayoutElement(.decoration(kind: "card", section: 2), frame: frame, zIndex: -1),
        ])
        answer.names = [named: Identifier("milk")]
        let end = #","frame":{"x":67.5,"y":-1,"width":50,"height":0},"zIndex":"#
        let elements = [
            #"{"category":"supplementary","kind":"header","section":2\#(end)1,"scale":1}"#,
            #"{"category":"cell","section":2,"item":1\#(end)0,"scale":1}"#,
            #"{"category":"cell","section":2,"item":3,"id":"milk"\#(end)0,"scale":1}"#,
            #"{"category":"supplementary","kind":"b\"","section":2,"item":1\#(end)-4,"scale":1}"#,
            #"{"category":"decoration","kind":"card","section":2\#(end)-1,"scale":1}"#,
        ]
        #expect(
            text(of: answer)
                == #"{"contentSize":{"width":320,"height":110},"elements":["#
                + elements.joined(separator: ",") + "]}")
    }

    @Test func `what is not usual of an element`() {
        var element = LayoutElement(.cell(ItemPath(section: 0, item: 0)), frame: ListRect())
        element.scale = 1.225
        element.alpha = 0.25
        element.isHidden = true
        #expect(
            text(of: answer([element])).hasSuffix(
                #""zIndex":0,"scale":1.225,"alpha":0.25,"hidden":true}]}"#))
    }

    @Test func `target and offset`() {
        var answer = answer()
        answer.target = ItemPath(section: 1, item: 2)
        answer.targetOffset = ListPoint(x: 50.5, y: -0.0)
        #expect(
            text(of: answer).hasSuffix(
                #""elements":[],"target":{"section":1,"item":2},"targetOffset":{"x":50.5,"y":0}}"#))
    }

    /// Every number in the output reads back as the same number.
    @Test func `frames are exact`() throws {
        var random = RandomModel(seed: 4)
        for _ in 0..<1000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let element = LayoutElement(
                .cell(ItemPath(section: 0, item: 0)), frame: ListRect(x: number, width: 1 / 3))
            let text = text(of: answer([element]))
            let frame = try #require(text.firstRange(of: "\"frame\":"))
            let end = try #require(text[frame.upperBound...].firstIndex(of: "}"))
            let line =
                #"{"layout":{"kind":"flow"},"bounds":\#(text[frame.upperBound...end])}"#
            #expect(try readLayout(line).bounds == element.frame)
        }
    }
}
