/// Items with frames that someone computed, in any order and overlapping as they like: what a
/// layout of one's own needs, if it has nothing faster.
///
/// # Performance
/// 48 bytes an item. A question is O(log n) and what lies between the first and the last item that
/// may answer it.
package struct FramesBody: SectionBody {
    private let places: [AxisRect]
    /// How far some item up to each reaches, and where the first item from each on begins.
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
