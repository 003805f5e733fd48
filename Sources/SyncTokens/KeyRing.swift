package import SyncModel

/// The keys whose tokens a server accepts, by their ids.
package struct KeyRing: Sendable {
    private let keys: [Identifier: SignatureKey]

    /// How many keys there are at most.
    package static let maximumKeys = 256

    /// A key and its public part are one key, as the files of a new key are.
    ///
    /// - Throws: ``KeyError`` if two keys have the same id, if there are none, or more than
    ///   ``maximumKeys``.
    package init(_ list: [SignatureKey]) throws(KeyError) {
        var keys: [Identifier: SignatureKey] = [:]
        for key in list {
            guard let known = keys[key.id] else {
                keys[key.id] = key
                continue
            }
            guard known.mark == key.mark, known.algorithm == key.algorithm,
                known.signs != key.signs
            else { throw KeyError("two keys have the id '\(key.id)'") }
            if key.signs { keys[key.id] = key }
        }
        guard !keys.isEmpty else { throw KeyError("there is no key") }
        guard keys.count <= KeyRing.maximumKeys else {
            throw KeyError("there are more than \(KeyRing.maximumKeys) keys")
        }
        self.keys = keys
    }

    package subscript(id: Identifier) -> SignatureKey? { keys[id] }

    package var ids: Set<Identifier> { Set(keys.keys) }

    /// The key that signs: of those that can, the first one by its id.
    package var signing: SignatureKey? {
        keys.values.filter(\.signs).min { $0.id < $1.id }
    }
}
