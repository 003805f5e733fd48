import Dispatch
import SyncLayout
import SyncModel
import Synchronization
import Testing

@testable import SyncPicture

/// The file of pixels, read back.
@Suite struct PNGTests {
    private func pixels(
        _ elements: [LayoutElement], size: (Double, Double) = (100, 60), scale: Double = 1,
        text: String = ""
    ) throws -> Pixels {
        let area = ListRect(width: size.0, height: size.1)
        return try Pixels(png: try Picture(of: elements, in: area) { _ in text }.png(scale: scale))
    }

    @Test(arguments: [(1.0, 100, 60), (2, 200, 120), (0.5, 50, 30), (1.01, 101, 61)])
    func hasItsSize(scale: Double, width: Int, height: Int) throws {
        let pixels = try pixels([], scale: scale)
        #expect(pixels.width == width)
        #expect(pixels.height == height)
        #expect(pixels.color(x: width - 1, y: height - 1) == .white)
    }

    @Test func cellsAreWhereTheyAre() throws {
        let pixels = try pixels(
            [.cell(0, 0, (10, 10, 30, 20)), .cell(1, 0, (60, 10, 30, 40))], scale: 2)
        let (first, second) = (SectionColors(section: 0), SectionColors(section: 1))
        #expect(pixels.color(x: 50, y: 40) == first.cell)
        #expect(pixels.color(x: 150, y: 90) == second.cell)
        #expect(pixels.color(x: 50, y: 90) == .white)
        // The edge lies within the frame; the corners are round.
        #expect(pixels.color(x: 50, y: 20) == first.cellEdge)
        #expect(pixels.color(x: 50, y: 19) == .white)
        #expect(pixels.color(x: 50, y: 59) == first.cellEdge)
        #expect(pixels.color(x: 50, y: 60) == .white)
        #expect(pixels.color(x: 20, y: 20) == .white)
    }

    /// The tables of fonts are common to all threads.
    @Test func threadsDrawAtOnce() throws {
        let texts = ["Milk", "牛乳", "молоко", "ミルク"]
        let area = ListRect(width: 100, height: 60)
        let draw: @Sendable (String) throws -> [UInt8] = { text in
            let cell = LayoutElement.cell(0, 0, (0, 0, 100, 60))
            return try Picture(of: [cell], in: area) { _ in text }.png(scale: 1)
        }
        let expected = try texts.map(draw)
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            let png = try? draw(texts[number % 4])
            if png != expected[number % 4] { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func whatHasTheHigherZIndexCoversTheRest() throws {
        let cells = [
            LayoutElement.cell(0, 0, (0, 0, 60, 60)), .cell(1, 0, (40, 0, 60, 60)),
        ]
        let (first, second) = (SectionColors(section: 0).cell, SectionColors(section: 1).cell)
        #expect(try pixels(cells).color(x: 50, y: 30) == second)
        let raised = [cells[0].with { $0.zIndex = 1 }, cells[1]]
        #expect(try pixels(raised).color(x: 50, y: 30) == first)
        let lowered = [cells[0], cells[1].with { $0.zIndex = -1 }]
        #expect(try pixels(lowered).color(x: 50, y: 30) == first)
    }

    @Test func whatIsTransparentShowsWhatIsBehind() throws {
        let cell = LayoutElement.cell(0, 0, (0, 0, 100, 60)).with { $0.alpha = 0.5 }
        let half = try pixels([cell]).color(x: 50, y: 30)
        let expected = SectionColors(section: 0).cell.mixed(with: .white, share: 0.5)
        for (left, right) in [
            (half.red, expected.red), (half.green, expected.green), (half.blue, expected.blue),
        ] {
            #expect(abs(Int(left) - Int(right)) <= 1)
        }
    }

    @Test func textIsWrittenAndStaysInItsBox() throws {
        let cell = LayoutElement.cell(0, 0, (10, 10, 80, 40))
        let fill = SectionColors(section: 0).cell
        func inked(_ text: String) throws -> Int {
            try pixels([cell], text: text).count(x: 15..<85, y: 15..<45) { $0 != fill }
        }
        #expect(try inked("") == 0)
        #expect(try inked("Milk") > 40)
        // Some letters are wider than they are taken to be: these are ligatures and shaped ones.
        for text in ["ﷺﷺﷺﷺﷺﷺﷺﷺ", "𒐫𒐫𒐫𒐫𒐫𒐫𒐫𒐫", "WWWWWWWWWWWWWWWWWWWW"] {
            let pixels = try pixels([cell], text: text)
            #expect(pixels.count(x: 0..<10, y: 0..<60) { $0 != .white } == 0)
            #expect(pixels.count(x: 90..<100, y: 0..<60) { $0 != .white } == 0)
        }
    }

    /// What the usual font lacks is drawn with another one, or it is told that there is none.
    @Test func charactersOfOtherFontsAreDrawn() throws {
        func draw(_ text: String) throws -> (bytes: [UInt8], missing: Set<Unicode.Scalar>) {
            let cell = LayoutElement.cell(0, 0, (10, 10, 80, 40))
            let picture = try Picture(of: [cell], in: ListRect(width: 100, height: 60)) { _ in text
            }
            var missing: Set<Unicode.Scalar> = []
            return (try picture.png(scale: 2, missing: &missing), missing)
        }
        #expect(try draw("Milk é Ω ж").missing == [])
        for (one, other) in [("牛", "乳"), ("かき", "きか"), ("우유", "유우")] {
            let (first, second) = (try draw("a \(one)"), try draw("a \(other)"))
            let drawn = (first.missing.union(second.missing)).isEmpty
            #expect((first.bytes != second.bytes) == drawn)
        }
        // No font has what is not assigned.
        #expect(try draw("a\u{378}b").missing == ["\u{378}"])
    }

    @Test func aLargePictureIsDrawn() throws {
        let pixels = try pixels(
            [.cell(0, 0, (-1e300, -1e300, .greatestFiniteMagnitude, .greatestFiniteMagnitude))],
            size: (1, 1), scale: 2_000)
        #expect(pixels.width == 2_000)
        #expect(pixels.color(x: 1_999, y: 0) == SectionColors(section: 0).cell)
    }
}
