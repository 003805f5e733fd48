import CCairo
import SyncLayout
import SyncModel
import Testing

@testable import SyncPicture

extension LayoutElement {
    static func cell(
        _ section: Int, _ item: Int, _ frame: (Double, Double, Double, Double), zIndex: Int = 0
    ) -> LayoutElement {
        LayoutElement(
            .cell(ItemPath(section: section, item: item)), frame: ListRect(frame), zIndex: zIndex)
    }

    func with(_ change: (inout LayoutElement) -> Void) -> LayoutElement {
        var element = self
        change(&element)
        return element
    }
}

extension ListRect {
    init(_ frame: (Double, Double, Double, Double)) {
        self.init(x: frame.0, y: frame.1, width: frame.2, height: frame.3)
    }
}

/// A canvas that remembers what is drawn on it.
struct RecordingCanvas: Canvas {
    var boxes: [Box] = []
    var lines: [TextLine] = []

    init(_ picture: Picture) {
        Painter(picture: picture).paint(on: &self)
    }

    mutating func fill(_ color: Color) {}
    mutating func draw(_ box: Box) { boxes.append(box) }
    mutating func draw(_ line: TextLine) { lines.append(line) }
}

/// The pixels of a PNG file, as cairo reads them.
struct Pixels {
    let width: Int
    let height: Int
    private let rows: [[UInt32]]

    init(png: [UInt8]) throws {
        let source = Source(png)
        let read: cairo_read_func_t = { source, target, count in
            guard let source, let target else { return CAIRO_STATUS_READ_ERROR }
            return Unmanaged<Source>.fromOpaque(source).takeUnretainedValue()
                .read(into: target, Int(count))
        }
        let surface = try #require(
            withExtendedLifetime(source) {
                cairo_image_surface_create_from_png_stream(
                    read, Unmanaged.passUnretained(source).toOpaque())
            })
        defer { cairo_surface_destroy(surface) }
        try #require(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
        let (width, height) = (
            Int(cairo_image_surface_get_width(surface)),
            Int(cairo_image_surface_get_height(surface))
        )
        let stride = Int(cairo_image_surface_get_stride(surface))
        let data = UnsafeRawPointer(try #require(cairo_image_surface_get_data(surface)))
        rows = (0..<height).map { y in
            (0..<width).map { x in
                data.load(fromByteOffset: y * stride + x * 4, as: UInt32.self) & 0xFFFFFF
            }
        }
        (self.width, self.height) = (width, height)
    }

    func color(x: Int, y: Int) -> Color { Color(rows[y][x]) }

    /// How many pixels in a part have another colour than the others mostly have.
    func count(x: Range<Int>, y: Range<Int>, where matches: (Color) -> Bool) -> Int {
        y.reduce(0) { $0 + rows[$1][x].count { matches(Color($0)) } }
    }

    private final class Source {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        func read(into target: UnsafeMutablePointer<UInt8>, _ count: Int) -> cairo_status_t {
            guard rest.count >= count else { return CAIRO_STATUS_READ_ERROR }
            for (index, byte) in rest.prefix(count).enumerated() { target[index] = byte }
            rest = rest.dropFirst(count)
            return CAIRO_STATUS_SUCCESS
        }
    }
}

extension Picture {
    /// The file of pixels, whatever no font has.
    func png(scale: Double) throws(PictureError) -> [UInt8] {
        var missing: Set<Unicode.Scalar> = []
        return try png(scale: scale, missing: &missing)
    }
}
