package import SyncLayout
package import SyncModel

/// A picture of laid out elements: a part of the content, as an SVG document or as a PNG.
///
/// It has the visible elements in drawing order, each with its text. ``Painter`` turns each into
/// boxes and lines of text, and a ``Canvas`` draws these into a document or into pixels.
///
/// 1. Both pictures have the same boxes and the same text, cut at the same letter, on every
///    machine.
/// 2. Elements are drawn by ascending `zIndex`, then in content order. Hidden ones are not drawn.
/// 3. For any elements and texts, the document is well-formed, and all its numbers are finite and
///    short: a frame that reaches far beyond the picture is cut a little outside it.
/// 4. The size is bounded: ``maximumSide``, ``maximumPixels``, ``maximumElements``. So is the time:
///    ``maximumPaintedPixels``, before anything is drawn.
///
/// The layout decides which elements there are, and the caller which text they have.
///
/// # Performance
/// O(n log n) for n elements; four bytes for each pixel of a PNG while it is drawn.
package struct Picture: Sendable {
    /// The greatest length of a side, in pixels; in a document, in points.
    package static let maximumSide = 20_000
    /// The greatest number of pixels.
    package static let maximumPixels = 100_000_000
    /// The greatest number of pixels of all boxes that elements are drawn by, each with what others
    /// cover of it. A raised element has some boxes more for its shadow.
    package static let maximumPaintedPixels = 400_000_000
    /// The greatest number of visible elements.
    package static let maximumElements = 100_000

    /// In points; each side is at least 1.
    package let size: ListSize
    /// The visible elements, in drawing order.
    let figures: [Figure]

    /// A visible element.
    struct Figure: Sendable {
        let identity: LayoutElement.Identity
        /// In the picture's coordinates, scaled, and not far beyond the picture.
        let frame: ListRect
        let alpha: Double
        /// Whether it is above the elements around it.
        let isRaised: Bool
        let text: String
    }

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - elements: in content order.
    ///   - area: the part of the content that is shown.
    ///   - text: the text of an element; called for visible elements only.
    /// - Throws: ``PictureError/tooManyElements(_:)``
    package init(
        of elements: [LayoutElement], in area: ListRect, text: (LayoutElement.Identity) -> String
    ) throws(PictureError) {
        let size = ListSize(width: max(1, area.width.length), height: max(1, area.height.length))
        let origin = ListPoint(x: area.x.distance, y: area.y.distance)
        self.size = size
        var seen: [(element: LayoutElement, frame: ListRect)] = []
        for element in elements {
            guard let frame = Picture.frame(of: element, from: origin, in: size) else { continue }
            seen.append((element, frame))
        }
        guard seen.count <= Picture.maximumElements else { throw .tooManyElements(seen.count) }
        let order = seen.indices.sorted {
            (seen[$0].element.zIndex, $0) < (seen[$1].element.zIndex, $1)
        }
        figures = order.map { index in
            let (element, frame) = seen[index]
            return Figure(
                identity: element.identity, frame: frame, alpha: min(1, element.alpha),
                isRaised: element.zIndex > 0, text: text(element.identity))
        }
    }

    /// How far beyond the picture a frame may reach. This is more than shadows and edges need, and
    /// small enough for cairo's numbers at any scale.
    private static let margin = 256.0

    /// Where an element is drawn; `nil` if it is not visible.
    private static func frame(
        of element: LayoutElement, from origin: ListPoint, in size: ListSize
    ) -> ListRect? {
        guard !element.isHidden, element.alpha > 0 else { return nil }
        let (center, scale) = (element.frame.center, element.scale.length)
        let width = element.frame.width * scale
        let height = element.frame.height * scale
        let frame = ListRect(
            x: center.x - origin.x - width / 2, y: center.y - origin.y - height / 2, width: width,
            height: height)
        // NaN fails all of these conditions.
        guard width > 0, height > 0,
            frame.intersects(ListRect(width: size.width, height: size.height))
        else { return nil }
        let x = max(frame.x, -margin)
        let y = max(frame.y, -margin)
        return ListRect(
            x: x, y: y, width: min(frame.maxX, size.width + margin) - x,
            height: min(frame.maxY, size.height + margin) - y)
    }

    // MARK: Drawing

    /// The picture as an SVG document.
    ///
    /// - Throws: ``PictureError/tooLarge(width:height:)``
    package func svg() throws(PictureError) -> String {
        try check(size)
        var canvas = SVGCanvas(size: size)
        Painter(picture: self).paint(on: &canvas)
        return canvas.document
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// - Parameters:
    ///   - scale: pixels a point.
    ///   - painted: the most pixels of all boxes, see ``maximumPaintedPixels``.
    ///   - fontSearches: how often to search for a font that has a character, for each weight. A
    ///     search takes milliseconds.
    ///   - missing: receives the characters that are drawn as boxes, because no font of the system
    ///     has them.
    package func png(
        scale: Double, atMost painted: Int = maximumPaintedPixels, fontSearches: Int = 256,
        missing: inout Set<Unicode.Scalar>
    ) throws(PictureError) -> [UInt8] {
        guard scale > 0, scale < .infinity else { throw .badScale }
        // Ignore rounding errors of less than a millionth of a pixel.
        func pixels(_ points: Double) -> Double { max(1, (points * scale - 1e-6).rounded(.up)) }
        let pixels = ListSize(width: pixels(size.width), height: pixels(size.height))
        try check(pixels)
        let area = paintedArea * scale * scale
        guard area <= Double(painted) else { throw .tooMuchPaint(pixels: area, of: painted) }
        var canvas = try CairoCanvas(
            width: Int32(pixels.width), height: Int32(pixels.height), scale: scale,
            fontSearches: fontSearches)
        Painter(picture: self).paint(on: &canvas)
        missing = canvas.missing
        return try canvas.png()
    }

    /// The area of all boxes within the picture, each with what others cover of it.
    var paintedArea: Double {
        figures.reduce(0) { sum, figure in
            figure.boxFrames.reduce(sum) { $0 + visibleArea(of: $1) }
        }
    }

    func visibleArea(of frame: ListRect) -> Double {
        let width = min(frame.maxX, size.width) - max(frame.x, 0)
        let height = min(frame.maxY, size.height) - max(frame.y, 0)
        return max(0, width) * max(0, height)
    }

    private func check(_ pixels: ListSize) throws(PictureError) {
        let side = Double(Picture.maximumSide)
        guard pixels.width <= side, pixels.height <= side,
            pixels.width * pixels.height <= Double(Picture.maximumPixels)
        else { throw .tooLarge(width: pixels.width, height: pixels.height) }
    }
}
