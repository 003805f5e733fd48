package import SyncModel

/// Names an item or a section during one incarnation of its id. Moves and edits keep the key. When
/// the id is inserted again after a deletion, it gets another key.
///
/// A key is valid for the engine that gave it, not for one that is read from its image.
package struct ThingKey: Hashable, Sendable, BitwiseCopyable {
    let thing: ThingID
    /// The incarnation of the id.
    let incarnation: UInt32
    /// Tells apart things that had the same number one after the other.
    let generation: UInt16
}

extension Engine {
    /// The key of a node's thing.
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
