import SyncTree

/// What is kept for revisions before the room's takes these bytes, beside contents.
enum RetainedBytes {
    /// A dead node with its place in the tree and its entries in the journal.
    static let node = MemoryLayout<NodeRecord>.stride + 20
    /// A thing that is dead, with its slot in the table of ids.
    static let thing = MemoryLayout<ThingRecord>.stride + 10
    /// A former content's record and entry in the journal.
    static let version = MemoryLayout<VersionRecord>.stride + 4
}

/// The memory of a room.
extension Engine {
    /// The most memory that an engine takes: with more, it refuses what makes it grow. It is a bound of
    /// the numbers that name things, far above what a server allows.
    static let maximumBytes = 12 << 30
    /// The most records of one kind.
    private static let maximumRecords: UInt32 = 1 << 28

    /// The memory that the room's state takes. O(1).
    package var byteCount: Int {
        blobs.byteCount + nodes.byteCount + things.byteCount + versions.byteCount + tree.byteCount
            + itemTable.byteCount + sectionTable.byteCount + journal.byteCount + undo.byteCount
            + authors.byteCount
            + (sectionOfSequence.capacity + sectionNodeCounts.capacity)
            * MemoryLayout<UInt32>.stride
            + formerSequences.reduce(0) { $0 + $1.byteCount }
    }

    /// Whether the numbers of the room's records come near their end.
    @inline(__always)
    var isFull: Bool {
        blobs.byteCount > Engine.maximumBytes
            || max(nodes.end, things.end, versions.end) > Engine.maximumRecords
    }

    /// What ``retainedBytes`` is, counted anew. O(n).
    func countRetainedBytes() -> Int {
        var bytes = 0
        for node in 1..<nodes.end where nodes[node].thing != 0 {
            let record = nodes[node]
            guard record.died != NodeRecord.alive else { continue }
            bytes += RetainedBytes.node
            guard things[record.thing].node == node else { continue }
            bytes += RetainedBytes.thing + blobs.size(things[record.thing].body)
        }
        for version in 1..<versions.end where versions[version].thing != 0 {
            bytes += RetainedBytes.version + blobs.size(versions[version].body)
        }
        return bytes
    }
}
