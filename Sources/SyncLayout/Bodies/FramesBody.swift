/// Items with frames that a layout computed, in any order; they may overlap. It serves a custom
/// layout that has no faster body.
///
/// # Performance
/// 48 bytes an item. A question is O(log n), plus the items between the first and the last one that
/// may be in the area.
package struct FramesBody: SectionBody {
    private let places: [AxisRect]
    /// For each index, how far the items up to it reach, and where the first of the items from it
    /// on begins.
    private let ends: [Double]
    private let starts: [Double]
    package let start: Double

    package init(_ places: [AxisRect]) {
        self.places = places
        var ends: [Double] = []
        var end = -Double.infinity
        for place in places {
            end = max(end, place.mainEnd)
            ends.append(end)
        }
        var starts: [Double] = []
        var start = Double.infinity
        for place in places.reversed() {
            start = min(start, place.main)
            starts.append(start)
        }
        self.start = min(0, start)
        self.ends = ends
        self.starts = starts.reversed()
    }

    package var byteCount: Int { 128 + 48 * places.count }

    package var length: Double { max(0, ends.last ?? 0) }

    package func place(of item: Int) -> AxisRect { places[item] }

    package func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] >= area.main { high = middle } else { low = middle + 1 }
        }
        for item in low..<places.count {
            if starts[item] > area.mainEnd { return }
            if !visit(item, places[item]) { return }
        }
    }
}
