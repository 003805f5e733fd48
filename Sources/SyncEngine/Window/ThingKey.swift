package import SyncModel

/// Names an item or a section for one life of its id: it is moved and edited, and its key stays.
/// What bears the id after it was deleted has another key.
///
/// A key is good for the engine that gave it, not for one that is read from its image.
package struct ThingKey: Hashable, Sendable, BitwiseCopyable {
    let thing: ThingID
    /// Which life of the id it is.
    let incarnation: UInt32
    /// Whose id it is, of those that had the thing's number one after the other.
    let generation: UInt16
}

extension Engine {
    /// The key of what stands in a node.
    func key(of node: NodeID) -> ThingKey {
        let record = nodes[node]
        return ThingKey(
            thing: record.thing, incarnation: record.incarnation,
            generation: things[record.thing].generation)
    }

    /// The key of an item as the room is now; `nil` if it does not live.
    package func key(ofItem id: Identifier) -> ThingKey? {
        let thing = id.withBytes { findItem($0) }
        return thing != 0 && isAlive(thing) ? key(of: things[thing].node) : nil
    }
}
