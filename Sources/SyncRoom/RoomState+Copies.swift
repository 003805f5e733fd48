import SyncEngine
package import SyncModel

extension RoomState {
    /// Begins an epoch in a record that commits nothing, and enters it. So clients that know later
    /// revisions of the epoch before notice that the room was set back.
    package func makeEpochRecord(
        _ opening: RoomOpening, wallClockMilliseconds: UInt64
    ) -> LogRecord {
        begin(opening)
        var draft = RecordDraft()
        draft.begin(firstRevision: engine.revision + 1, epoch: epochEntry)
        sequence += 1
        didEnterEpoch()
        return draft.finish(
            sequence: sequence, lastRevision: engine.revision, horizon: engine.horizon,
            wallClockMilliseconds: wallClockMilliseconds)
    }

    /// Makes it another room with the same content: it gets a new id, and forgets its past and its
    /// authors. The hashes of their secrets depend on the room's id, so nobody could prove to be
    /// one of them.
    package func becomeAnotherRoom(_ opening: RoomOpening) {
        engine.advanceHorizon(to: engine.revision)
        for author in engine.allAuthors { evict(author) }
        loggedIdentity = RoomIdentity(
            opening.room, Epoch(opening.epoch, first: engine.revision))
    }
}
