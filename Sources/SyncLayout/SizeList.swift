package import SyncModel

/// The sizes of a section's items, in order, in chunks.
///
/// As long as all sizes are equal and none was given by itself, it stores only their number. Bodies
/// follow its changes to update what they computed for each chunk.
///
/// # Performance
/// 16 bytes an item. Finding an item is O(log n). An edit moves the sizes of one chunk, and updates
/// the start of each later chunk.
package final class SizeList {
    #if DEBUG
        // Lets short random tests cross many chunks.
        static let chunkCapacity = 3
    #else
        static let chunkCapacity = 256
    #endif

    /// The most sizes that are stored one by one.
    package static let itemLimit = 1 << 26

    /// A change of the chunks. The index is that of the chunk at the time of the change.
    package enum Change {
        /// The number of equal sizes changed; there are no chunks.
        case count
        /// A chunk has other sizes.
        case changed(Int)
        /// A chunk's second half is now a new chunk after it.
        case split(Int)
        /// An empty chunk was removed.
        case removed(Int)
        /// There are chunks where there were none.
        case expanded
    }

    struct Chunk {
        var sizes: ContiguousArray<ListSize>
        /// The size that all have; `nil` if they differ.
        var common: ListSize?

        init(_ sizes: ContiguousArray<ListSize>) {
            self.sizes = sizes
            updateCommon()
        }

        init(_ given: UnsafeBufferPointer<ListSize?>, absent: ListSize) {
            self.init(
                ContiguousArray(unsafeUninitializedCapacity: given.count) { sizes, initialized in
                    for index in given.indices {
                        sizes.initializeElement(at: index, to: given[index]?.lengths ?? absent)
                    }
                    initialized = given.count
                })
        }

        mutating func updateCommon() {
            common = sizes.first
            for size in sizes where size != common {
                common = nil
                return
            }
        }
    }

    // Swift does not check these for exclusive access, which takes time in each question. No two
    // accesses overlap.
    @exclusivity(unchecked) package private(set) var count: Int
    /// The size of all, while there are no chunks.
    @exclusivity(unchecked) private var repeated: ListSize?
    @exclusivity(unchecked) private(set) var chunks: [Chunk] = []
    /// The index of each chunk's first item.
    @exclusivity(unchecked) private(set) var starts: [Int] = []

    /// Makes a list of equal sizes.
    package init(repeating size: ListSize, count: Int) {
        self.count = count
        repeated = size
    }

    /// Makes a list of the sizes of items, as lengths; an item without a size gets `absent`.
    package init(_ sizes: [ListSize?], absent: ListSize) {
        count = 0
        let chunkCount = (sizes.count + SizeList.chunkCapacity - 1) / SizeList.chunkCapacity
        starts.reserveCapacity(chunkCount)
        chunks.reserveCapacity(chunkCount)
        sizes.withUnsafeBufferPointer { addChunks($0[...], absent: absent) }
    }

    /// Appends sizes, as lengths; an item without a size gets `absent`. An empty list of equal
    /// sizes of `absent` stays one until a size is given. No body may follow the list yet.
    package func append(_ sizes: UnsafeBufferPointer<ListSize?>, absent: ListSize) {
        if isRepeated {
            guard sizes.contains(where: { $0 != nil }) else { return count += sizes.count }
            makeChunks()
        }
        var rest = sizes[...]
        if let last = chunks.indices.last {
            let more = rest.prefix(SizeList.chunkCapacity - chunks[last].sizes.count)
            if !more.isEmpty {
                chunks[last].sizes.append(contentsOf: more.map { $0?.lengths ?? absent })
                chunks[last].updateCommon()
                count += more.count
                rest = rest.dropFirst(more.count)
            }
        }
        addChunks(rest, absent: absent)
    }

    private func addChunks(_ sizes: Slice<UnsafeBufferPointer<ListSize?>>, absent: ListSize) {
        var rest = sizes
        while !rest.isEmpty {
            let more = UnsafeBufferPointer(rebasing: rest.prefix(SizeList.chunkCapacity))
            starts.append(count)
            chunks.append(Chunk(more, absent: absent))
            count += more.count
            rest = rest.dropFirst(more.count)
        }
    }

    /// The size that all items have; `nil` if they differ or there are none.
    package var common: ListSize? {
        if count == 0 { return nil }
        if let repeated { return repeated }
        guard let first = chunks.first?.common else { return nil }
        return chunks.allSatisfy { $0.common == first } ? first : nil
    }

    /// The greatest memory in bytes: equal sizes may need less until they are edited.
    var byteCount: Int {
        SizeList.bytesOfNone + SizeList.bytesOfChunk * chunks.count
            + MemoryLayout<ListSize>.stride * count * (chunks.isEmpty ? 0 : 1)
    }

    private static let bytesOfNone = 160
    /// The memory of a chunk without its sizes.
    private static let bytesOfChunk = 96

    /// Whether it stores only the number of equal sizes.
    var isRepeated: Bool { repeated != nil }

    package subscript(_ item: Int) -> ListSize {
        if let repeated { return repeated }
        let chunk = chunk(of: item)
        return chunks[chunk].sizes[item - starts[chunk]]
    }

    /// The chunk that an item is in.
    func chunk(of item: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= item { low = middle } else { high = middle }
        }
        return low
    }

    // MARK: Editing

    /// Inserts a size at an index up to ``count``.
    package func insert(_ size: ListSize, at item: Int, _ follow: (Change) -> Void) {
        if let repeated {
            if size == repeated || count == 0 {
                self.repeated = size
                count += 1
                return follow(.count)
            }
            expand(repeated, follow)
        }
        count += 1
        if chunks.isEmpty {
            chunks = [Chunk([size])]
            starts = [0]
            return follow(.expanded)
        }
        let chunk = chunk(of: item)
        chunks[chunk].sizes.insert(size, at: item - starts[chunk])
        if chunks[chunk].common != size { chunks[chunk].updateCommon() }
        follow(.changed(chunk))
        if chunks[chunk].sizes.count > SizeList.chunkCapacity { split(chunk, follow) }
        updateStarts(from: chunk)
    }

    /// Removes the size at an index.
    package func remove(at item: Int, _ follow: (Change) -> Void) -> ListSize {
        count -= 1
        if let repeated {
            follow(.count)
            return repeated
        }
        let chunk = chunk(of: item)
        let size = chunks[chunk].sizes.remove(at: item - starts[chunk])
        follow(.changed(chunk))
        if chunks[chunk].sizes.isEmpty {
            chunks.remove(at: chunk)
            starts.removeLast()
            follow(.removed(chunk))
        } else {
            if chunks[chunk].common == nil { chunks[chunk].updateCommon() }
            merge(chunk, follow)
        }
        updateStarts(from: max(chunk - 1, 0))
        return size
    }

    /// Replaces the size at an index.
    package func replace(at item: Int, with size: ListSize, _ follow: (Change) -> Void) {
        if let repeated {
            if size == repeated { return }
            expand(repeated, follow)
        }
        let chunk = chunk(of: item)
        guard chunks[chunk].sizes[item - starts[chunk]] != size else { return }
        chunks[chunk].sizes[item - starts[chunk]] = size
        chunks[chunk].updateCommon()
        follow(.changed(chunk))
    }

    /// Stores the sizes one by one from now on.
    package func makeChunks() {
        if let repeated { expand(repeated) { _ in } }
    }

    private func expand(_ size: ListSize, _ follow: (Change) -> Void) {
        repeated = nil
        // Full chunks share their memory until they are edited.
        let full = Chunk(ContiguousArray(repeating: size, count: SizeList.chunkCapacity))
        for start in stride(from: 0, to: count, by: SizeList.chunkCapacity) {
            let length = min(count - start, SizeList.chunkCapacity)
            starts.append(start)
            chunks.append(
                length == full.sizes.count
                    ? full : Chunk(ContiguousArray(repeating: size, count: length)))
        }
        follow(.expanded)
    }

    private func split(_ chunk: Int, _ follow: (Change) -> Void) {
        let half = chunks[chunk].sizes.count / 2
        let behind = Chunk(ContiguousArray(chunks[chunk].sizes[half...]))
        chunks[chunk] = Chunk(ContiguousArray(chunks[chunk].sizes[..<half]))
        chunks.insert(behind, at: chunk + 1)
        starts.insert(0, at: chunk + 1)
        follow(.split(chunk))
    }

    /// Moves the sizes of a small chunk to the one before it, if that leaves room there.
    private func merge(_ chunk: Int, _ follow: (Change) -> Void) {
        let length = chunks[chunk].sizes.count
        guard chunk > 0, length <= SizeList.chunkCapacity / 4,
            chunks[chunk - 1].sizes.count + length <= SizeList.chunkCapacity * 3 / 4
        else { return }
        chunks[chunk - 1].sizes.append(contentsOf: chunks[chunk].sizes)
        chunks[chunk - 1].updateCommon()
        chunks.remove(at: chunk)
        starts.removeLast()
        follow(.changed(chunk - 1))
        follow(.removed(chunk))
    }

    private func updateStarts(from chunk: Int) {
        var start = chunk == 0 ? 0 : starts[chunk - 1] + chunks[chunk - 1].sizes.count
        for index in chunk..<max(chunk, chunks.count) {
            starts[index] = start
            start += chunks[index].sizes.count
        }
    }

    // MARK: Reading on

    /// Reads sizes one after the other, starting at some item.
    struct Cursor {
        private let list: SizeList
        private var chunk: Int
        private var offset: Int
        private(set) var item: Int

        init(_ list: SizeList, at item: Int) {
            self.list = list
            self.item = item
            chunk = list.isRepeated || item >= list.count ? list.chunks.count : list.chunk(of: item)
            offset = chunk < list.chunks.count ? item - list.starts[chunk] : 0
        }

        /// The size at ``item``; the cursor must not be at the end.
        var size: ListSize {
            list.repeated ?? list.chunks[chunk].sizes[offset]
        }

        var isAtEnd: Bool { item >= list.count }

        /// The chunk whose first item is ``item``; `nil` if it is not the first of a chunk.
        var begunChunk: Int? { offset == 0 && chunk < list.chunks.count ? chunk : nil }

        mutating func advance() {
            item += 1
            guard list.repeated == nil else { return }
            offset += 1
            if offset == list.chunks[chunk].sizes.count {
                chunk += 1
                offset = 0
            }
        }
    }
}
