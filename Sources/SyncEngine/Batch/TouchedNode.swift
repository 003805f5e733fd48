import SyncTree

/// A node that a batch has to look at, with its indices at the batch's `from` and at its `to`.
struct TouchedNode {
    var node: NodeID
    var thing: ThingID
    /// The sequence it stands in.
    var sequence: OrderTree.SequenceID
    var position: OrderPosition
    /// Whether it lives at the revision of the batch's view.
    var isLive: Bool
    /// Whether it lived at the batch's `from`, and at its `to`.
    var isOld: Bool
    var isNew: Bool
    /// Whether it is the last node of a thing whose content was replaced in between.
    var isRewritten: Bool
    /// Its index among the nodes that lived at `from`. If it did not live then, the index that it
    /// would have had.
    var oldIndex = 0
    /// Likewise at `to`.
    var newIndex = 0
    /// How many nodes that lived at both revisions stand before it.
    var stayingBefore = 0

    var stays: Bool { isOld && isNew }
}

/// A section's index at a batch's `from`, in its stage 3, and at its `to`; `nil` where the section
/// is not there.
struct SectionPlaces {
    var old: Int?
    var staged: Int?
    var new: Int?
}

/// The touched nodes of one sequence, in order. They turn an index of now into the indices at
/// `from` and at `to`.
///
/// An untouched node lives now, at `from` and at `to`, or at none of these. So between two touched
/// nodes the three counts differ by constants.
struct TouchedSequence {
    private(set) var nodes: ArraySlice<TouchedNode>
    let sequence: OrderTree.SequenceID
    /// The section of these items.
    private(set) var section = SectionPlaces()
    /// How many nodes of the sequence live now.
    private let liveCount: Int
    private let oldDifference: Int
    private let newDifference: Int

    /// Makes it for the items of a section.
    init(
        _ nodes: ArraySlice<TouchedNode>, liveCount: Int, of section: ThingID,
        in sections: SectionDifference
    ) {
        self.init(nodes, liveCount: liveCount)
        self.section = SectionPlaces(
            old: sections.oldIndex(of: section), staged: sections.stagedIndex(of: section),
            new: sections.newIndex(of: section))
    }

    /// Takes nodes sorted by position and fills in their indices.
    init(_ nodes: ArraySlice<TouchedNode>, liveCount: Int) {
        self.nodes = nodes
        sequence = nodes.first?.sequence ?? 0
        self.liveCount = liveCount
        var (oldDifference, newDifference, stayingDifference) = (0, 0, 0)
        self.nodes.withUnsafeMutableBufferPointer { nodes in
            for index in nodes.indices {
                let node = nodes[index]
                nodes[index].oldIndex = node.position.rank + oldDifference
                nodes[index].newIndex = node.position.rank + newDifference
                nodes[index].stayingBefore = node.position.rank + stayingDifference
                let live = node.isLive ? 1 : 0
                oldDifference += (node.isOld ? 1 : 0) - live
                newDifference += (node.isNew ? 1 : 0) - live
                stayingDifference += (node.stays ? 1 : 0) - live
            }
        }
        self.oldDifference = oldDifference
        self.newDifference = newDifference
    }

    /// How many nodes lived at `to`.
    var newCount: Int { liveCount + newDifference }

    /// The indices at `from` and at `to` of a node that is not touched.
    func indices(ofUntouched position: OrderPosition) -> (old: Int, new: Int) {
        // The first touched node behind it has the same differences.
        var low = nodes.startIndex
        var high = nodes.endIndex
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].position.key < position.key { low = middle + 1 } else { high = middle }
        }
        if low == nodes.endIndex {
            return (position.rank + oldDifference, position.rank + newDifference)
        }
        let next = nodes[low]
        return (
            position.rank + next.oldIndex - next.position.rank,
            position.rank + next.newIndex - next.position.rank
        )
    }
}

/// A thing that lived at `from` in one node and at `to` in another.
struct Relocation {
    var old: TouchedNode
    var new: TouchedNode
    /// Whether it keeps its place among those that stay, so that it need not move.
    var staysInOrder = false

    /// Marks as many as possible of the relocations within one list as staying in order.
    ///
    /// A relocation can stay if the same two staying nodes surround it at both revisions. Of these,
    /// the longest run with the same order at both revisions stays. O(k log k).
    ///
    /// - Parameter relocations: all of one list, sorted by new index.
    static func keepLongestRun(_ relocations: inout ArraySlice<Relocation>) {
        let candidates = relocations.indices.filter {
            relocations[$0].old.stayingBefore == relocations[$0].new.stayingBefore
        }
        for position in LongestRun.positions(in: candidates.map { relocations[$0].old.oldIndex }) {
            relocations[candidates[position]].staysInOrder = true
        }
    }
}
