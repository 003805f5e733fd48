import SyncBytes
import SyncJSON
import SyncLayout
import SyncModel
import SyncPicture

/// What a picture of a room shows, and how; by the names of the options of
/// `collsync-cli render`, whose `--layout` is the kind.
struct PictureOptions: Sendable {
    enum Format: Sendable {
        case svg, png

        var mediaType: String {
            switch self {
            case .svg: "image/svg+xml"
            case .png: "image/png"
            }
        }
    }

    var format: Format
    var layout: LayoutSpec
    var bounds: ListRect
    /// Whether the bounds go to the beginning of the content, wherever that is.
    var isAtBeginning: Bool
    /// Pixels a point of a PNG.
    var scale = 2.0
    var title: TitleField

    /// The most pixels of a PNG: four bytes each while it is drawn, and some 100 ns.
    static let mostPixels = 4_000_000
    /// The most pixels of all its elements, with their shadows and what others cover.
    static let mostPaintedPixels = 10 * mostPixels
    static let mostSide = 20_000.0
    /// The greatest distance that a picture is scrolled by.
    private static let mostDistance = 1e15

    init(_ request: RoutedRequest, as format: Format) throws(RequestRefusal) {
        self.format = format
        guard let kind: LayoutSpec.Kind = try request.text("kind")?.choice() else {
            let kinds = LayoutSpec.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .mistake("'kind' must be one of: \(kinds)")
        }
        let spec = try request.text("spec")?.shown ?? "{}"
        do throws(JSONError) {
            layout = try LayoutSpec(text: spec, kind: kind)
        } catch {
            throw .mistake("'spec': \(error)")
        }
        let most = PictureOptions.mostDistance
        let x = try request.decimal("x", in: -most...most)
        let y = try request.decimal("y", in: -most...most)
        isAtBeginning = x == nil && y == nil
        bounds = ListRect(
            x: x ?? 0, y: y ?? 0,
            width: try request.decimal("width", in: 1...PictureOptions.mostSide) ?? 375,
            height: try request.decimal("height", in: 1...PictureOptions.mostSide) ?? 667)
        title = try request.title()
        guard format == .png else { return }
        scale = try request.decimal("scale", in: 0.01...16) ?? scale
        guard pixels <= Double(PictureOptions.mostPixels) else {
            throw .mistake("a picture has at most \(PictureOptions.mostPixels) pixels here")
        }
    }

    /// How many pixels it has.
    var pixels: Double {
        format == .svg ? 0 : (bounds.width * scale + 1) * (bounds.height * scale + 1)
    }
}

extension RoutedRequest {
    fileprivate func title() throws(RequestRefusal) -> TitleField {
        guard let text = try text("title") else { return TitleField(name: "title") }
        guard let name = text.withBytes({ try? Identifier(bytes: $0) }) else {
            throw .mistake("'title' must be the name of a field")
        }
        return TitleField(name: name)
    }

    /// A number in a range; `nil` if it is missing.
    func decimal(
        _ name: String, in range: ClosedRange<Double>
    ) throws(RequestRefusal) -> Double? {
        guard let text = try text(name) else { return nil }
        // NaN is in no range.
        guard let number = Double(text.shown), range.contains(number) else {
            throw .mistake(
                "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
