/// A list in chunks. Inserting or removing one element does not move all that follow, and many
/// elements are inserted or removed in one pass.
///
/// Invariants:
/// 1. No chunk is empty or has more than ``maximumChunk`` elements.
/// 2. `counts` has the sizes of the chunks side by side, so that finding an index reads a few cache
///    lines.
/// 3. Each chunk has a number that no other chunk of the list has or had. An element that stays in
///    the list stays in the chunk of the same number, except for those that ``insert(_:moved:)``
///    reports.
///
/// # Performance
/// For n elements in chunks of c: an element by index O(n/c); inserting or removing one O(n/c + c),
/// and k at once in ascending order O(n/c + kc), but never more than O(n).
struct ChunkedList<Element> {
    /// Called with an element and the number of its new chunk.
    typealias Moved = (Element, _ chunk: Int) -> Void

    fileprivate struct Chunk {
        let number: Int
        var elements: [Element]
    }

    private var chunks: [Chunk] = []
    private var counts: [Int] = []
    private(set) var count = 0
    private var lastNumber = 0
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
        var pieces: [Chunk] = []
        appendPieces(of: elements, to: &pieces, moved: nil)
        chunks = pieces
        counts = chunks.map(\.elements.count)
    }

    /// The element at an index, which must be in range.
    subscript(index: Int) -> Element {
        get {
            let (chunk, offset) = place(of: index)
            return chunks[chunk].elements[offset]
        }
        _modify {
            let (chunk, offset) = place(of: index)
            yield &chunks[chunk].elements[offset]
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
        for chunk in chunks { for element in chunk.elements { body(element) } }
    }

    /// Calls `body` with every element, in order, and its chunk's number.
    func forEachPlace(_ body: (Element, _ chunk: Int) -> Void) {
        for chunk in chunks { for element in chunk.elements { body(element, chunk.number) } }
    }

    /// The index of the first element in the chunk of that number that meets the condition. O(n/c +
    /// c).
    func index(inChunk number: Int, where condition: (Element) -> Bool) -> Int? {
        var start = 0
        for (chunk, count) in zip(chunks, counts) {
            if chunk.number == number {
                return chunk.elements.firstIndex(where: condition).map { start + $0 }
            }
            start += count
        }
        return nil
    }

    /// The elements as an array.
    var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for chunk in chunks { elements += chunk.elements }
        return elements
    }

    // MARK: Removing

    /// Removes the elements at strictly ascending indices, all in range.
    ///
    /// - Returns: the removed elements, in order.
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
            ChunkedList.remove(
                here, from: &chunks[chunk].elements, startingAt: start, into: &removed)
            counts[chunk] = chunks[chunk].elements.count
            hasEmptied = hasEmptied || counts[chunk] == 0
        }
        precondition(rest.isEmpty, "indices ascend within the list")
        count -= removed.count
        if hasEmptied {
            chunks.removeAll(where: \.elements.isEmpty)
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

    /// Inserts elements at strictly ascending indices of the resulting list, all in its range.
    ///
    /// - Parameter moved: called with each element that is new, or is in another chunk than before,
    ///   and that chunk's number.
    mutating func insert(
        _ arrivals: [(index: Int, element: Element)], moved: Moved? = nil
    ) {
        if arrivals.count == 1, let arrival = arrivals.first { return insertOne(arrival, moved) }
        var rest = arrivals[...]
        var result: [Chunk] = []
        result.reserveCapacity(chunks.count)
        // Where the current chunk begins in the resulting list.
        var start = 0
        for chunk in chunks {
            let isUntouched = rest.first.map { $0.index > start + chunk.elements.count } ?? true
            if isUntouched {
                result.append(chunk)
                start += chunk.elements.count
            } else {
                let grown = ChunkedList.merge(&rest, into: chunk.elements, startingAt: start)
                appendPieces(of: grown, to: &result, moved: moved)
                start += grown.count
            }
        }
        var tail: [Element] = []
        while let arrival = rest.popFirst() {
            precondition(arrival.index == start + tail.count, "indices leave no gap")
            tail.append(arrival.element)
        }
        appendPieces(of: tail, to: &result, moved: moved)
        chunks = result
        counts = result.map(\.elements.count)
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

    private mutating func insertOne(
        _ arrival: (index: Int, element: Element), _ moved: Moved?
    ) {
        precondition(arrival.index >= 0 && arrival.index <= count, "an index is within the list")
        count += 1
        guard !chunks.isEmpty else {
            chunks = [makeChunk([arrival.element], moved)]
            counts = [1]
            return
        }
        var offset = arrival.index
        var chunk = 0
        while offset > counts[chunk] {
            offset -= counts[chunk]
            chunk += 1
        }
        chunks[chunk].elements.insert(arrival.element, at: offset)
        counts[chunk] += 1
        moved?(arrival.element, chunks[chunk].number)
        if counts[chunk] > maximumChunk { split(chunk, moved) }
    }

    private mutating func split(_ chunk: Int, _ moved: Moved?) {
        let half = counts[chunk] / 2
        let right = makeChunk(Array(chunks[chunk].elements[half...]), moved)
        chunks[chunk].elements.removeSubrange(half...)
        chunks.insert(right, at: chunk + 1)
        counts[chunk] = half
        counts.insert(right.elements.count, at: chunk + 1)
    }

    private mutating func makeChunk(
        _ elements: [Element], _ moved: Moved?
    ) -> Chunk {
        lastNumber += 1
        if let moved { for element in elements { moved(element, lastNumber) } }
        return Chunk(number: lastNumber, elements: elements)
    }

    /// Appends elements as one chunk, or as several where they are too many.
    private mutating func appendPieces(
        of elements: [Element], to result: inout [Chunk],
        moved: Moved?
    ) {
        guard elements.count > maximumChunk else {
            if !elements.isEmpty { result.append(makeChunk(elements, moved)) }
            return
        }
        // Three quarters full, so that the next insertions find room.
        let size = max(1, maximumChunk * 3 / 4)
        var start = 0
        while start < elements.count {
            let end = min(start + size, elements.count)
            result.append(makeChunk(Array(elements[start..<end]), moved))
            start = end
        }
    }

    /// Checks the invariants; O(n), for tests.
    func checkInvariants() {
        precondition(chunks.map(\.elements.count) == counts, "counts are the chunks' sizes")
        precondition(Set(chunks.map(\.number)).count == chunks.count, "chunk numbers are unique")
        precondition(counts.allSatisfy { $0 > 0 && $0 <= maximumChunk }, "chunks are bounded")
        precondition(counts.reduce(0, +) == count, "the count is that of all chunks")
    }
}

extension ChunkedList: Sendable where Element: Sendable {}
extension ChunkedList.Chunk: Sendable where Element: Sendable {}
