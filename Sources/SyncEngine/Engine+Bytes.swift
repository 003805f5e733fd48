import SyncTree

/// How many bytes a record takes that is retained for earlier revisions only, without its content.
enum RetainedBytes {
    /// A dead node with its place in the tree and its entries in the journal.
    static let node = MemoryLayout<NodeRecord>.stride + 20
    /// A dead thing with its slot in the table of ids.
    static let thing = MemoryLayout<ThingRecord>.stride + 10
    /// The record of a replaced content with its entry in the journal.
    static let version = MemoryLayout<VersionRecord>.stride + 4
}

/// Whether an engine is running out of record numbers or content references. If so, it refuses
/// operations that make it grow. The bounds are far above what a server allows. Memory never
/// shrinks, so an engine that is full stays full.
final class FillGauge {
    @exclusivity(unchecked) private(set) var isFull = false

    /// The most bytes of contents.
    static let maximumBytes = 12 << 30
    /// The most records of one kind.
    static let maximumRecords = 1 << 28

    func noteGrowth(contentBytes: Int) {
        if contentBytes > FillGauge.maximumBytes { isFull = true }
    }

    func noteGrowth(records: Int) {
        if records > FillGauge.maximumRecords { isFull = true }
    }
}

/// The memory of a room.
extension Engine {
    /// The memory that contents and ids take. O(1).
    package var blobByteCount: Int { blobs.byteCount }

    /// The memory that the room's state takes. O(1).
    package var byteCount: Int {
        blobByteCount + nodes.byteCount + things.byteCount + versions.byteCount + tree.byteCount
            + itemTable.byteCount + sectionTable.byteCount + journal.byteCount + rollback.byteCount
            + authors.byteCount
            + (sectionOfSequence.capacity + sectionNodeCounts.capacity)
            * MemoryLayout<UInt32>.stride
            + formerSequences.reduce(0) { $0 + $1.byteCount } + walks.byteCount + expected.byteCount
    }

    /// ``retainedBytes``, counted from scratch. O(n).
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
