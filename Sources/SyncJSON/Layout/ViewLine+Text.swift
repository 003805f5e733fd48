package import SyncBytes
import SyncModel

extension ViewLine {
    /// About how long its text is: the bytes of all contents, each as often as an element shows it,
    /// and some for each element. A text of control characters has six times the bytes.
    ///
    /// # Performance
    /// O(n) for n elements, whatever they show.
    package var weight: Int {
        let contents = (appeared + changed).reduce(0) { $0 + ($1.content?.byteCount ?? 0) }
        let count = appeared.count + changed.count + disappeared.count
        return contents + count * ViewLine.bytesOfEntry
    }

    private static let bytesOfEntry = 256

    /// The whole line as JSON, with its end. Content stands in each element that shows it, so a few
    /// elements can make a line of any length.
    ///
    /// - Returns: `nil` if it would have more than so many bytes.
    package func text(atMost limit: Int) -> SharedBytes? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("viewUpdate")
        writer.write(self, atMost: limit)
        writer.endObject()
        writer.endLine()
        return writer.count > limit ? nil : SharedBytes(copying: writer.bytes)
    }
}

extension ViewLine.Content {
    fileprivate var byteCount: Int {
        switch self {
        case .item(let item): item.content.bytes.count
        case .section(let section): section.content.bytes.count
        }
    }
}
