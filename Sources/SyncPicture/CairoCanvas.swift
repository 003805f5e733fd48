import CCairo
import SyncLayout

/// A canvas of pixels, drawn by cairo.
///
/// After an error, cairo's context ignores all further calls and keeps the error. So ``png()`` is
/// the only place that checks for one.
final class CairoCanvas: Canvas {
    private let surface: OpaquePointer
    private let context: OpaquePointer
    private let plainFonts: FontFallback
    private let boldFonts: FontFallback

    /// The characters that no font has; they are drawn as boxes.
    var missing: Set<Unicode.Scalar> { plainFonts.missing.union(boldFonts.missing) }

    /// - Parameters:
    ///   - scale: pixels a point.
    ///   - fontSearches: how often to search for a font that has a character, for each weight.
    init(
        width: Int32, height: Int32, scale: Double, fontSearches: Int
    ) throws(PictureError) {
        // cairo returns no null here: without memory, it returns objects that refuse every call.
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height) else {
            throw .drawingFailed("no surface")
        }
        guard let context = cairo_create(surface) else {
            cairo_surface_destroy(surface)
            throw .drawingFailed("no context")
        }
        plainFonts = FontFallback(isBold: false, searches: fontSearches)
        boldFonts = FontFallback(isBold: true, searches: fontSearches)
        self.surface = surface
        self.context = context
        try CairoCanvas.check(cairo_status(context))
        cairo_scale(context, scale, scale)
        // Without hinting, letters keep their shapes and distances at every scale.
        let options = cairo_font_options_create()
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_set_font_options(context, options)
        cairo_font_options_destroy(options)
    }

    deinit {
        FontAccess.exclusively { cairo_destroy(context) }
        cairo_surface_destroy(surface)
    }

    func fill(_ color: Color) {
        setColor(color)
        cairo_paint(context)
    }

    func draw(_ box: Box) {
        addPath(of: box.frame, radius: box.cornerRadius)
        setColor(box.fill)
        cairo_fill(context)
        guard let edge = box.edge else { return }
        let half = Box.edgeWidth / 2
        let middle = box.frame.inset(by: Insets(top: half, left: half, bottom: half, right: half))
        addPath(of: middle, radius: max(0, box.cornerRadius - half))
        setColor(edge)
        cairo_set_line_width(context, Box.edgeWidth)
        cairo_stroke(context)
    }

    func draw(_ line: TextLine) {
        FontAccess.exclusively { write(line) }
    }

    private func write(_ line: TextLine) {
        cairo_save(context)
        let box = line.box
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_clip(context)
        cairo_set_font_size(context, line.style.size)
        setColor(line.color)
        let runs = (line.style.isBold ? boldFonts : plainFonts).runs(of: line.text)
        var x = line.x
        if line.alignment == .center {
            x -= runs.reduce(0) { $0 + advance(of: $1, line.style) } / 2
        }
        cairo_move_to(context, x, line.baseline)
        for run in runs {
            select(run.face, line.style)
            cairo_show_text(context, run.text)
        }
        cairo_restore(context)
    }

    private func advance(of run: FontFallback.Run, _ style: TextStyle) -> Double {
        select(run.face, style)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, run.text, &extents)
        return extents.x_advance
    }

    private func select(_ face: OpaquePointer?, _ style: TextStyle) {
        if let face { return cairo_set_font_face(context, face) }
        let weight = style.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL
        cairo_select_font_face(context, TextStyle.families[0], CAIRO_FONT_SLANT_NORMAL, weight)
    }

    /// The picture so far, as the bytes of a PNG file.
    func png() throws(PictureError) -> [UInt8] {
        try CairoCanvas.check(cairo_status(context))
        cairo_surface_flush(surface)
        let file = PNGFile()
        let status = withExtendedLifetime(file) {
            cairo_surface_write_to_png_stream(
                surface, appendToPNGFile, Unmanaged.passUnretained(file).toOpaque())
        }
        try CairoCanvas.check(status)
        return file.bytes
    }

    private func setColor(_ color: Color) {
        cairo_set_source_rgba(
            context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            color.opacity)
    }

    private func addPath(of frame: ListRect, radius: Double) {
        guard radius > 0 else {
            cairo_rectangle(context, frame.x, frame.y, frame.width, frame.height)
            return
        }
        let quarter = Double.pi / 2
        let (left, right) = (frame.x + radius, frame.maxX - radius)
        let (top, bottom) = (frame.y + radius, frame.maxY - radius)
        cairo_new_sub_path(context)
        cairo_arc(context, right, top, radius, -quarter, 0)
        cairo_arc(context, right, bottom, radius, 0, quarter)
        cairo_arc(context, left, bottom, radius, quarter, 2 * quarter)
        cairo_arc(context, left, top, radius, 2 * quarter, 3 * quarter)
        cairo_close_path(context)
    }

    private static func check(_ status: cairo_status_t) throws(PictureError) {
        guard status != CAIRO_STATUS_SUCCESS else { return }
        throw .drawingFailed(String(cString: cairo_status_to_string(status)))
    }
}

/// Collects the PNG that cairo writes.
private final class PNGFile {
    var bytes: [UInt8] = []
}

private func appendToPNGFile(
    _ file: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ count: UInt32
) -> cairo_status_t {
    guard let file else { return CAIRO_STATUS_WRITE_ERROR }
    Unmanaged<PNGFile>.fromOpaque(file).takeUnretainedValue()
        .bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
    return CAIRO_STATUS_SUCCESS
}
