package import SyncModel
import SyncTree

/// The room's state at any revision from the horizon on.
extension Engine {
    /// The room as it is. O(n).
    package func snapshot() -> Snapshot {
        state(at: revision)
    }

    /// The room as it was at a revision; `nil` unless that is between the horizon and the room's
    /// revision. O(n) over all nodes, dead ones too.
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

    /// The same. `steps` counts the contents that are visited.
    func body(
        of thing: ThingID, at revision: Revision, steps: inout Int
    ) -> BlobStore.Reference {
        var body = things[thing].body
        var version = things[thing].version
        var later = Revision.max
        while version != 0 {
            let record = versions[version]
            // `previous` may name a forgotten record whose number was used again: for another
            // thing's content, or for a later one of this thing.
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

    /// Visits the room's sections and items as they are now, in order, without a copy of all of
    /// them.
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
