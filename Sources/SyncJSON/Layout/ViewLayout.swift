package import SyncLayout
import SyncModel

/// A view's layout as JSON: an object with the keys `layout`, `contentInset`, `safeArea`,
/// `layoutMargins` and `pixelScale` of an input line of `layout`. A missing key has its default.
extension ViewLayout {
    /// Reads the text.
    package init(json: String) throws(JSONError) {
        let bytes = Array(json.utf8)
        self = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            try JSONNode.parse(UnsafeRawBufferPointer(bytes)) { node throws(JSONError) in
                try node.viewLayout()
            }
        }
    }

    /// The JSON text, without defaults. NaN and infinite numbers are written as the numbers that
    /// they count as. An integer beyond ±2^53 is written as it is, so that its reader refuses it
    /// and names its place.
    package var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

// MARK: Reading

/// The members that say how something is laid out, as far as they have been read.
struct ViewLayoutReading {
    enum Key: JSONName, CaseIterable {
        case layout, contentInset, safeArea, layoutMargins, pixelScale
    }

    private var spec: LayoutSpec?
    private var environment = LayoutEnvironment.plain
    /// The first key that has no meaning without a layout.
    private var surroundings: JSONMember?

    /// Reads a member. Returns `false` if it is none of these.
    mutating func read(_ member: JSONMember) throws(JSONError) -> Bool {
        guard let key = member.known(Key.self) else { return false }
        let node = member.node
        switch key {
        case .layout:
            spec = try node.layoutSpec()
            return true
        case .contentInset: environment.contentInset = try node.insets()
        case .safeArea: environment.safeArea = try node.insets()
        case .layoutMargins: environment.layoutMargins = try node.insets()
        case .pixelScale: environment.pixelScale = try node.number()
        }
        surroundings = surroundings ?? member
        return true
    }

    /// What was read; `nil` if there is no layout.
    func finish() throws(JSONError) -> ViewLayout? {
        if let spec { return ViewLayout(spec, in: environment) }
        if let surroundings { throw surroundings.node.error("needs the layout beside it") }
        return nil
    }
}

extension JSONNode {
    fileprivate func viewLayout() throws(JSONError) -> ViewLayout {
        var reading = ViewLayoutReading()
        for member in try members() where try !reading.read(member) {
            throw member.unknownKey(among: ViewLayoutReading.Key.names)
        }
        return try required(reading.finish(), "layout")
    }
}

// MARK: Writing

extension JSONWriter {
    fileprivate mutating func write(_ layout: ViewLayout) {
        beginObject()
        key("layout")
        write(layout.spec)
        let environment = layout.environment
        writeSurrounding("contentInset", environment.contentInset)
        writeSurrounding("safeArea", environment.safeArea)
        // Margins of 0 differ from `nil`, the layout's default margins.
        if let margins = environment.layoutMargins {
            key("layoutMargins")
            write(margins)
        }
        if let scale = environment.pixelScale, scale.isFinite { member("pixelScale", scale) }
        endObject()
    }

    private mutating func writeSurrounding(_ name: StaticString, _ insets: Insets) {
        guard insets.distances != Insets() else { return }
        key(name)
        write(insets)
    }
}
