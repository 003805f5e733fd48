import SyncModel

/// The heights of a waterfall's items in pixels, chunk by chunk, each with the spacing below it.
/// With them columns are summed up again without reading the sizes.
///
/// # Performance
/// 4 bytes an item. A chunk's heights are computed when they are first needed, and again after a
/// change of the chunk.
struct PixelHeights {
    private let pixelScale: Double
    private let columnWidth: Double
    private let spacing: Int
    /// `nil` for a chunk that is not computed; empty for one with a very high item.
    private var chunks: [ContiguousArray<Int32>?] = []

    /// Heights and spacings are less than this, so that their sum fits into 32 bits.
    private static let longItem = 0x1p30

    /// - Parameter spacing: in pixels.
    /// - Returns: `nil` if that is no whole number, or a large one.
    init?(columnWidth: Double, spacing: Double, pixelScale: Double) {
        guard spacing < PixelHeights.longItem, let pixels = Int(exactly: spacing) else {
            return nil
        }
        self.columnWidth = columnWidth
        self.pixelScale = pixelScale
        self.spacing = pixels
    }

    /// Invalidates all heights, for `count` chunks.
    mutating func invalidateAll(chunks count: Int) {
        chunks = Array(repeating: nil, count: count)
    }

    /// Invalidates the heights of changed chunks.
    mutating func follow(_ change: SizeList.Change) {
        switch change {
        case .count, .expanded: break
        case .changed(let chunk): chunks[chunk] = nil
        case .split(let chunk):
            chunks[chunk] = nil
            chunks.insert(nil, at: chunk + 1)
        case .removed(let chunk): chunks.remove(at: chunk)
        }
    }

    /// The heights of a chunk's items; empty if one of them is very high.
    mutating func heights(ofChunk chunk: Int, in sizes: SizeList) -> ContiguousArray<Int32> {
        if let known = chunks[chunk] { return known }
        let given = sizes.chunks[chunk].sizes
        let heights = ContiguousArray<Int32>(unsafeUninitializedCapacity: given.count) {
            heights, count in
            count = given.withUnsafeBufferPointer { fill(heights, $0) } ? given.count : 0
        }
        chunks[chunk] = heights
        return heights
    }

    /// - Returns: whether none is very high.
    private func fill(
        _ heights: UnsafeMutableBufferPointer<Int32>, _ sizes: UnsafeBufferPointer<ListSize>
    ) -> Bool {
        var isLong = false
        for index in 0..<sizes.count {
            let size = sizes[index]
            var pixels = 0.0
            if size.width > 0, size.height > 0 {
                pixels = size.height * columnWidth / size.width * pixelScale + Double.tolerance
            }
            // All factors are finite and none is negative, so this may be infinite, but it is never
            // NaN.
            isLong = isLong || pixels >= PixelHeights.longItem
            let height = Int(min(pixels, PixelHeights.longItem)) &+ spacing
            heights.initializeElement(at: index, to: Int32(truncatingIfNeeded: height))
        }
        return !isLong
    }
}
