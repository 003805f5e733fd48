import SyncLayout
import SyncModel
import Testing

@testable import SyncPicture

/// Which elements are drawn, where, and in which order.
@Suite struct PictureTests {
    private func picture(
        _ elements: [LayoutElement], in area: ListRect = ListRect(width: 100, height: 100)
    ) throws -> Picture {
        try Picture(of: elements, in: area) { _ in "" }
    }

    private func items(_ picture: Picture) -> [Int] {
        picture.figures.map { figure in
            if case .cell(let path) = figure.identity { path.item } else { -1 }
        }
    }

    @Test func drawsByZIndexThenInContentOrder() throws {
        let picture = try picture([
            .cell(0, 0, (0, 0, 10, 10), zIndex: 1), .cell(0, 1, (0, 0, 10, 10)),
            .cell(0, 2, (0, 0, 10, 10), zIndex: -1), .cell(0, 3, (0, 0, 10, 10)),
            .cell(0, 4, (0, 0, 10, 10), zIndex: 1), .cell(0, 5, (0, 0, 10, 10), zIndex: -1),
        ])
        #expect(items(picture) == [2, 5, 1, 3, 0, 4])
    }

    @Test func showsOnlyWhatIsToBeSeen() throws {
        let picture = try picture(
            [
                .cell(0, 0, (0, 0, 50, 50)), .cell(0, 1, (49, 199, 50, 50)),
                .cell(0, 2, (60, 210, 50, 50)).with { $0.isHidden = true },
                .cell(0, 3, (60, 210, 50, 50)).with { $0.alpha = 0 },
                .cell(0, 4, (60, 210, 50, 50)).with { $0.alpha = .nan },
                .cell(0, 5, (60, 210, 50, 50)).with { $0.scale = 0 },
                .cell(0, 6, (60, 210, 0, 50)), .cell(0, 7, (150, 250, 1, 1)),
                .cell(0, 8, (60, 210, .nan, 50)), .cell(0, 9, (60, 210, 20, 20)),
            ], in: ListRect(x: 50, y: 200, width: 100, height: 100))
        #expect(items(picture) == [1, 9])
        #expect(
            picture.figures.map(\.frame) == [
                ListRect((-1, -1, 50, 50)), ListRect((10, 10, 20, 20)),
            ])
    }

    @Test func scalesAboutTheCenter() throws {
        let picture = try picture([.cell(0, 0, (20, 40, 40, 20)).with { $0.scale = 1.5 }])
        #expect(picture.figures.map(\.frame) == [ListRect((10, 35, 60, 30))])
    }

    @Test func textIsAskedForWhatIsSeen() throws {
        var asked: [LayoutElement.Identity] = []
        let elements = [
            LayoutElement.cell(0, 0, (0, 0, 10, 10)), .cell(0, 1, (200, 0, 10, 10)),
            LayoutElement(
                .supplementary(kind: "header", section: 3), frame: ListRect((0, 0, 9, 9))),
        ]
        let picture = try Picture(of: elements, in: ListRect(width: 100, height: 100)) { identity in
            asked.append(identity)
            return "text \(asked.count)"
        }
        #expect(asked == [elements[0].identity, elements[2].identity])
        #expect(picture.figures.map(\.text) == ["text 1", "text 2"])
    }

    @Test func aPictureHasASize() throws {
        let hostile = [0, -5, Double.nan, .infinity, -.infinity]
        for side in hostile {
            let picture = try picture([], in: ListRect(x: side, y: side, width: side, height: side))
            #expect(picture.size == ListSize(width: 1, height: 1), "\(side)")
            #expect(try Pixels(png: try picture.png(scale: 1)).width == 1)
        }
    }

    // MARK: Limits

    @Test func tooManyElements() throws {
        let cell = LayoutElement.cell(0, 0, (0, 0, 10, 10))
        let most = Array(repeating: cell, count: Picture.maximumElements)
        #expect(try picture(most).figures.count == Picture.maximumElements)
        let outside = LayoutElement.cell(0, 0, (100, 0, 10, 10))
        #expect(try picture(most + [outside]).figures.count == Picture.maximumElements)
        #expect(throws: PictureError.tooManyElements(100_001)) { try picture(most + [cell]) }
    }

    @Test(arguments: [(20_001, 1), (1, 20_001), (10_001, 10_000), (.greatestFiniteMagnitude, 1)])
    func tooLarge(width: Double, height: Double) throws {
        let picture = try picture([], in: ListRect(width: width, height: height))
        let error = PictureError.tooLarge(width: width, height: height)
        #expect(throws: error) { try picture.svg() }
        #expect(throws: error) { try picture.png(scale: 1) }
        #expect(error.explanation.contains("20000 a side and 100000000 in all"))
    }

    /// Whatever is drawn counts, also if something else covers it.
    @Test func whatIsPaintedCounts() throws {
        let cell = LayoutElement.cell(0, 0, (0, 0, 100, 100))
        func png(_ elements: [LayoutElement], scale: Double = 1) throws {
            var missing: Set<Unicode.Scalar> = []
            _ = try picture(elements).png(scale: scale, atMost: 10_000, missing: &missing)
        }
        try png([cell])
        try png([cell, cell], scale: 0.5)
        #expect(throws: PictureError.tooMuchPaint(pixels: 20_000, of: 10_000)) {
            try png([cell, cell])
        }
        #expect(throws: PictureError.tooMuchPaint(pixels: 40_000, of: 10_000)) {
            try png([cell], scale: 2)
        }
        #expect(throws: PictureError.self) { try png([cell.with { $0.zIndex = 1 }]) }
    }

    @Test func allBoxesAreCounted() throws {
        let path = ItemPath(section: 0, item: 0)
        let identities: [LayoutElement.Identity] = [
            .cell(path), .supplementary(kind: LayoutElement.header, section: 0),
            .supplementary(kind: LayoutElement.footer, section: 0),
            .supplementary(kind: "note", section: 0), .itemSupplementary(kind: "new", path),
            .decoration(kind: "ground", section: 0),
        ]
        for (identity, zIndex) in identities.flatMap({ [($0, -1), ($0, 0), ($0, 1)] }) {
            for frame in [(20.0, 30.0, 50.0, 40.0), (-10, 80, 300, 40), (97, 40, 90, 9)] {
                let picture = try picture([
                    LayoutElement(identity, frame: ListRect(frame), zIndex: zIndex)
                ])
                let drawn = RecordingCanvas(picture).boxes.reduce(0) {
                    $0 + picture.visibleArea(of: $1.frame)
                }
                #expect(picture.paintedArea == drawn, "\(identity), \(zIndex)")
            }
        }
    }

    @Test func theScaleCounts() throws {
        let picture = try picture([], in: ListRect(width: 10_001, height: 4))
        #expect(throws: PictureError.tooLarge(width: 20_002, height: 8)) {
            try picture.png(scale: 2)
        }
        #expect(try Pixels(png: try picture.png(scale: 0.5)).width == 5_001)
        for scale in [0, -1, Double.nan, .infinity] {
            #expect(throws: PictureError.badScale) { try picture.png(scale: scale) }
        }
    }
}
