import SyncEngine
package import SyncModel

extension RoomState {
    /// Takes items out for good: those that live are deleted, and all that is remembered of the
    /// past is forgotten. An image that is made afterwards has nothing of their content.
    ///
    /// The epoch that begins before that tells clients of revisions that they don't know. They get
    /// snapshots, as no older revision can be read.
    ///
    /// - Returns: the items that lived.
    package func purge(
        _ items: [Identifier], _ opening: RoomOpening
    ) throws(RoomError) -> [Identifier] {
        begin(opening)
        didEnterEpoch()
        var purged: [Identifier] = []
        do throws(Rejection) {
            let author = engine.author(RoomState.operatorID)
            let isNew = authors.author(in: author.slot) == nil
            if isNew {
                authors.enter(Authors.Record(author, secret: .none, forgottenThrough: 0))
            }
            for item in items where try delete(item, by: author) { purged.append(item) }
            if isNew { evict(author) }
        } catch {
            throw .misfit("an item can't be deleted: \(error.message)")
        }
        engine.advanceHorizon(to: engine.revision)
        sequence += 1
        return purged
    }

    /// Deletes an item if it lives, whatever its flags are.
    private func delete(_ item: Identifier, by author: Authors.Author) throws(Rejection) -> Bool {
        let operations: [ListOperation] = [
            .update(item, ItemPatch(flags: FlagChanges(changed: .deletable, enabled: .deletable))),
            .delete(item),
        ]
        do throws(Rejection) {
            let commit = try engine.submit(
                ListTransaction(base: engine.revision, operations: operations), by: author)
            return commit.superseded.isEmpty
        } catch {
            guard error.code == .unknownItem else { throw error }
            return false
        }
    }

    /// The author of what the operator of a server deletes.
    private static let operatorID: Identifier = "collsync-purge"
}
