/// A list in chunks, so that one element comes or goes without moving all that follow, and many do
/// in one pass.
///
/// Invariants:
/// 1. No chunk is empty or holds more than ``maximumChunk`` elements.
/// 2. `counts` says how many each chunk holds, side by side, so that an index is found by reading a
///    few cache lines.
///
/// # Performance
/// For n elements in chunks of c: one element by index O(n/c), one that comes or goes O(n/c + c), k
/// at once in ascending order O(n/c + kc) at most, and O(n) however many.
struct ChunkedList<Element> {
    private var chunks: [[Element]] = []
    private var counts: [Int] = []
    private(set) var count = 0
    private let maximumChunk: Int

    /// Makes an empty list.
    ///
    /// - Parameter maximumChunk: tests make it small, so that every path runs.
    init(maximumChunk: Int = 1024) {
        precondition(maximumChunk >= 2, "a chunk must be able to be halved")
        self.maximumChunk = maximumChunk
    }

    init(_ elements: [Element], maximumChunk: Int = 1024) {
        self.init(maximumChunk: maximumChunk)
        count = elements.count
        appendPieces(of: elements, to: &chunks)
        counts = chunks.map(\.count)
    }

    /// The element at an index, which must be in range.
    subscript(index: Int) -> Element {
        get {
            let (chunk, offset) = place(of: index)
            return chunks[chunk][offset]
        }
        _modify {
            let (chunk, offset) = place(of: index)
            yield &chunks[chunk][offset]
        }
    }

    private func place(of index: Int) -> (chunk: Int, offset: Int) {
        precondition(index >= 0 && index < count, "an index is within the list")
        var offset = index
        var chunk = 0
        while offset >= counts[chunk] {
            offset -= counts[chunk]
            chunk += 1
        }
        return (chunk, offset)
    }

    func forEach(_ body: (Element) -> Void) {
        for chunk in chunks { for element in chunk { body(element) } }
    }

    /// The elements as an array.
    var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for chunk in chunks { elements += chunk }
        return elements
    }

    // MARK: Removing

    /// Takes out the elements at strictly ascending indices, all in range.
    ///
    /// - Returns: what was taken out, in order.
    mutating func remove<Indices: Collection>(at indices: Indices) -> [Element]
    where Indices.Element == Int {
        var removed: [Element] = []
        removed.reserveCapacity(indices.count)
        var rest = indices[...]
        var start = 0
        var hasEmptied = false
        for chunk in chunks.indices {
            guard let next = rest.first else { break }
            let end = start + counts[chunk]
            defer { start = end }
            guard next < end else { continue }
            let here = rest.prefix { $0 < end }
            rest = rest[here.endIndex...]
            ChunkedList.remove(here, from: &chunks[chunk], startingAt: start, into: &removed)
            counts[chunk] = chunks[chunk].count
            hasEmptied = hasEmptied || chunks[chunk].isEmpty
        }
        precondition(rest.isEmpty, "indices ascend within the list")
        count -= removed.count
        if hasEmptied {
            chunks.removeAll(where: \.isEmpty)
            counts.removeAll { $0 == 0 }
        }
        return removed
    }

    private static func remove<Indices: Collection>(
        _ indices: Indices, from chunk: inout [Element], startingAt start: Int,
        into removed: inout [Element]
    ) where Indices.Element == Int {
        if indices.count == 1, let index = indices.first {
            removed.append(chunk.remove(at: index - start))
            return
        }
        var kept: [Element] = []
        kept.reserveCapacity(chunk.count - indices.count)
        var rest = indices[...]
        for (offset, element) in chunk.enumerated() {
            if rest.first == start + offset {
                removed.append(element)
                rest = rest.dropFirst()
            } else {
                kept.append(element)
            }
        }
        chunk = kept
    }

    // MARK: Inserting

    /// Puts elements at strictly ascending indices of the list as it is afterwards, all in range
    /// then.
    mutating func insert(_ arrivals: [(index: Int, element: Element)]) {
        if arrivals.count == 1, let arrival = arrivals.first { return insertOne(arrival) }
        var rest = arrivals[...]
        var result: [[Element]] = []
        result.reserveCapacity(chunks.count)
        // Where the chunk at hand begins in the list as it is afterwards.
        var start = 0
        for chunk in chunks {
            let isUntouched = rest.first.map { $0.index > start + chunk.count } ?? true
            if isUntouched {
                result.append(chunk)
                start += chunk.count
            } else {
                let grown = ChunkedList.merge(&rest, into: chunk, startingAt: start)
                appendPieces(of: grown, to: &result)
                start += grown.count
            }
        }
        var tail: [Element] = []
        while let arrival = rest.popFirst() {
            precondition(arrival.index == start + tail.count, "indices leave no gap")
            tail.append(arrival.element)
        }
        appendPieces(of: tail, to: &result)
        chunks = result
        counts = result.map(\.count)
        count += arrivals.count
    }

    private static func merge(
        _ arrivals: inout ArraySlice<(index: Int, element: Element)>, into chunk: [Element],
        startingAt start: Int
    ) -> [Element] {
        var grown: [Element] = []
        grown.reserveCapacity(chunk.count + arrivals.count)
        func takeArrivals(_ arrivals: inout ArraySlice<(index: Int, element: Element)>) {
            while let arrival = arrivals.first, arrival.index == start + grown.count {
                grown.append(arrival.element)
                arrivals.removeFirst()
            }
        }
        for element in chunk {
            takeArrivals(&arrivals)
            grown.append(element)
        }
        takeArrivals(&arrivals)
        return grown
    }

    private mutating func insertOne(_ arrival: (index: Int, element: Element)) {
        precondition(arrival.index >= 0 && arrival.index <= count, "an index is within the list")
        count += 1
        guard !chunks.isEmpty else {
            chunks = [[arrival.element]]
            counts = [1]
            return
        }
        var offset = arrival.index
        var chunk = 0
        while offset > counts[chunk] {
            offset -= counts[chunk]
            chunk += 1
        }
        chunks[chunk].insert(arrival.element, at: offset)
        counts[chunk] += 1
        if counts[chunk] > maximumChunk { split(chunk) }
    }

    private mutating func split(_ chunk: Int) {
        let half = counts[chunk] / 2
        let right = Array(chunks[chunk][half...])
        chunks[chunk].removeSubrange(half...)
        chunks.insert(right, at: chunk + 1)
        counts[chunk] = half
        counts.insert(right.count, at: chunk + 1)
    }

    /// Adds elements as one chunk, or in equal pieces where they are too many.
    private func appendPieces(of elements: [Element], to result: inout [[Element]]) {
        guard elements.count > maximumChunk else {
            if !elements.isEmpty { result.append(elements) }
            return
        }
        // Three quarters full, so that the next insertions find room.
        let size = max(1, maximumChunk * 3 / 4)
        var start = 0
        while start < elements.count {
            let end = min(start + size, elements.count)
            result.append(Array(elements[start..<end]))
            start = end
        }
    }

    /// Checks what the list relies on; O(n), for tests.
    func checkInvariants() {
        precondition(chunks.map(\.count) == counts, "counts say what chunks hold")
        precondition(counts.allSatisfy { $0 > 0 && $0 <= maximumChunk }, "chunks are bounded")
        precondition(counts.reduce(0, +) == count, "the count is that of all chunks")
    }
}

extension ChunkedList: Sendable where Element: Sendable {}
