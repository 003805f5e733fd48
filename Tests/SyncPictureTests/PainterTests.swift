import Glibc
import SyncLayout
import SyncModel
import Testing

@testable import SyncPicture

/// What elements look like, whatever they are drawn on.
@Suite struct PainterTests {
    private func canvas(
        _ elements: [LayoutElement], text: String = "", side: Double = 200
    ) throws -> RecordingCanvas {
        RecordingCanvas(
            try Picture(of: elements, in: ListRect(width: side, height: side)) { _ in text })
    }

    @Test func sectionsHaveTheirColors() throws {
        let cells = (0..<9).map { LayoutElement.cell($0, 0, (0, 0, 10, 10)) }
        let fills = try canvas(cells).boxes.map(\.fill)
        #expect(Set(fills).count == 7)
        #expect(fills[7] == fills[0])
        #expect(fills[8] == fills[1])
    }

    /// Text is legible on what it stands on: a contrast of 4.5 to 1 is what guidelines ask for.
    @Test func textIsLegible() {
        func light(_ color: Color) -> Double {
            func linear(_ value: UInt8) -> Double {
                let share = Double(value) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(color.red) + 0.7152 * linear(color.green)
                + 0.0722 * linear(color.blue)
        }
        for index in 0..<21 {
            let colors = SectionColors(section: index, item: index)
            for ground in [colors.cell, colors.band, colors.footerBand] {
                let contrast = (light(ground) + 0.05) / (light(colors.text) + 0.05)
                #expect(contrast >= 4.5, "\(index)")
            }
        }
    }

    @Test func whatLiesAboveThrowsAShadow() throws {
        let header = LayoutElement(
            .supplementary(kind: "header", section: 0), frame: ListRect((0, 0, 200, 30)))
        let plain = try canvas([header]).boxes
        let pinned = try canvas([header.with { $0.zIndex = 1 }]).boxes
        #expect(plain.count == 1)
        #expect(pinned.count == 5)
        #expect(pinned.last?.frame == plain.last?.frame)
        let shadow = pinned.dropLast()
        #expect(shadow.allSatisfy { $0.fill.opacity < 0.1 })
        #expect(shadow.allSatisfy { $0.frame.width > 200 && $0.frame.maxY > 30 })
    }

    @Test func alphaFadesAll() throws {
        let canvas = try canvas(
            [.cell(0, 0, (0, 0, 100, 50)).with { $0.alpha = 0.25 }], text: "Milk")
        let box = try #require(canvas.boxes.last)
        #expect(box.fill.opacity == 0.25)
        #expect(box.edge?.opacity == 0.25)
        #expect(canvas.lines.map(\.color.opacity) == [0.25])
    }

    @Test func textStaysInItsElement() throws {
        let sides = [1.0, 3, 5, 8, 13, 20, 33, 60, 150]
        let identities: [LayoutElement.Identity] = [
            .cell(ItemPath(section: 0, item: 0)), .supplementary(kind: "header", section: 0),
            .supplementary(kind: "footer", section: 0), .supplementary(kind: "x", section: 0),
            .itemSupplementary(kind: "x", ItemPath(section: 0, item: 0)),
        ]
        for identity in identities {
            for width in sides {
                for height in sides {
                    let frame = ListRect(x: 10, y: 20, width: width, height: height)
                    let canvas = try canvas(
                        [LayoutElement(identity, frame: frame)], text: "Oat milk and rye bread")
                    for line in canvas.lines {
                        let box = line.box
                        #expect(box.x >= frame.x && box.maxX <= frame.maxX + 1e-9)
                        #expect(box.y >= frame.y - 1e-9 && box.maxY <= frame.maxY + 1e-9)
                        #expect(line.style.width(of: line.text) <= box.width + 1e-9)
                        #expect(line.style.size >= 5)
                    }
                    if min(width, height) <= 8 { #expect(canvas.lines.isEmpty) }
                    if min(width, height) >= 60 { #expect(!canvas.lines.isEmpty) }
                }
            }
        }
    }

    @Test func hiddenSidesDoNotMoveText() throws {
        let canvas = try canvas([.cell(0, 0, (-50, 0, 100, 50))], text: "Milk")
        #expect(canvas.lines.map(\.x) == [0])
    }
}
