package import SyncModel
import SyncTree

/// States within the horizon.
extension Engine {
    /// The room as it is. O(n).
    package func snapshot() -> Snapshot {
        state(at: revision)
    }

    /// The room as it was at a revision; `nil` outside of what is kept, from the horizon to the
    /// room's revision. O(n) over all nodes, dead ones too.
    package func snapshot(at revision: Revision) -> Snapshot? {
        guard revision >= horizon, revision <= self.revision else { return nil }
        return state(at: revision)
    }

    private func state(at revision: Revision) -> Snapshot {
        var sections: [Snapshot.SectionState] = []
        tree.forEach(sectionSequence) { node, _ in
            guard wasAlive(node, at: revision) else { return }
            let thing = nodes[node].thing
            var state = Snapshot.SectionState(
                section: section(body(of: thing, at: revision)))
            tree.forEach(nodes[node].sequence) { node, _ in
                guard wasAlive(node, at: revision) else { return }
                let thing = nodes[node].thing
                state.items.append(item(body(of: thing, at: revision)))
            }
            sections.append(state)
        }
        return Snapshot(revision: revision, sections: sections)
    }

    @inline(__always)
    func wasAlive(_ node: NodeID, at revision: Revision) -> Bool {
        nodes[node].born <= revision && nodes[node].died > revision
    }

    /// The body that a thing had at a revision within the horizon.
    func body(of thing: ThingID, at revision: Revision) -> BlobStore.Reference {
        var steps = 0
        return body(of: thing, at: revision, steps: &steps)
    }

    /// The same, with the contents that were looked at counted.
    func body(
        of thing: ThingID, at revision: Revision, steps: inout Int
    ) -> BlobStore.Reference {
        var body = things[thing].body
        var version = things[thing].version
        var later = Revision.max
        while version != 0 {
            let record = versions[version]
            // A number that is forgotten and in use again stands for another's content, or a later
            // one.
            guard record.thing == thing, record.revision < later, record.revision > revision else {
                break
            }
            steps += 1
            body = record.body
            later = record.revision
            version = record.previous
        }
        return body
    }

    /// Calls `body` with what the room holds now, in order, without making a copy of all of it.
    package func forEach(
        section visitSection: (ListSection, Int) -> Void, item visitItem: (Item) -> Void
    ) {
        tree.forEach(sectionSequence) { node, isLive in
            guard isLive else { return }
            let thing = nodes[node].thing
            let sequence = nodes[node].sequence
            visitSection(
                section(things[thing].body), tree.liveCount(sequence))
            tree.forEach(sequence) { node, isLive in
                guard isLive else { return }
                let thing = nodes[node].thing
                visitItem(item(things[thing].body))
            }
        }
    }
}
