/// Why there is no picture.
package enum PictureError: Error, Equatable, Sendable {
    /// It would have too many pixels.
    case tooLarge(width: Double, height: Double)
    /// It would have too many elements.
    case tooManyElements(Int)
    /// Its elements lie on top of each other so often that to draw them would take too long.
    case tooMuchPaint(pixels: Double, of: Int)
    /// The number of pixels a point is not a positive finite number.
    case badScale
    /// cairo's error.
    case drawingFailed(String)

    /// The code in JSON.
    package var code: String {
        switch self {
        case .tooLarge, .tooManyElements, .tooMuchPaint: "limitExceeded"
        case .badScale: "malformed"
        case .drawingFailed: "unavailable"
        }
    }

    /// What is wrong and what to do, for people.
    package var explanation: String {
        switch self {
        case .tooLarge(let width, let height):
            "the picture would be \(PictureError.text(width)) by \(PictureError.text(height)) "
                + "pixels, and at most \(Picture.maximumSide) a side and \(Picture.maximumPixels) "
                + "in all are drawn: ask for a smaller part or fewer pixels a point"
        case .tooManyElements(let count):
            "the picture would show \(count) elements, and at most "
                + "\(Picture.maximumElements) are drawn: ask for a smaller part"
        case .tooMuchPaint(let pixels, let most):
            "the elements of the picture have \(PictureError.text(pixels.rounded())) pixels in all,"
                + " with their shadows and what others cover, and at most \(most) are"
                + " drawn: ask for a smaller part or fewer pixels a point"
        case .badScale: "the pixels a point must be a number above 0"
        case .drawingFailed(let reason): "the picture can't be drawn: \(reason)"
        }
    }

    private static func text(_ side: Double) -> String {
        Int(exactly: side).map { String($0) } ?? "\(side)"
    }
}
