import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

extension RoomHost {
    /// Takes a snapshot right behind a record, if enough has come since the last one: then it is what
    /// the log makes up to there. It is saved when the log has the record.
    func takeImageIfDue(after record: RoomRecord, _ room: Room) {
        let nodes = UInt64(room.state.engine.itemCount + room.state.engine.deadNodeCount)
        let most = configuration.snapshotRevisions
        let isDue =
            tailBytes > max(configuration.snapshotBytes, imageBytes / 4)
            || tailRevisions > max(most - min(most, nodes / 4), nodes / 4)
        guard isDue, image == nil, !isSavingSnapshot else { return }
        image = makeImage(of: room, wallClockMilliseconds: record.wallClockMilliseconds)
    }

    private func makeImage(of room: Room, wallClockMilliseconds: UInt64) -> StoredSnapshot {
        let body = room.state.encodeImage()
        tailBytes = 0
        tailRevisions = 0
        imageBytes = body.count
        return StoredSnapshot(
            sequence: room.state.sequence, revision: room.state.engine.revision,
            wallClockMilliseconds: wallClockMilliseconds, body: body)
    }

    func saveImage(ifCoveredBy sequence: UInt64) {
        guard let image, image.sequence <= sequence else { return }
        self.image = nil
        save(image) {}
    }

    /// Saves what came since the last snapshot, if anything did. Only when nothing is under way.
    func saveTail(then finish: @escaping () -> Void) {
        guard let room, phase == .open, tailRevisions > 0, image == nil, !isSavingSnapshot else {
            return finish()
        }
        save(makeImage(of: room, wallClockMilliseconds: loop.loop.wallClockMilliseconds), finish)
    }

    private func save(_ snapshot: StoredSnapshot, _ finish: @escaping () -> Void) {
        isSavingSnapshot = true
        savingBytes = snapshot.body.count
        whenSaved.append(finish)
        let post = loop.peers[loop.index]
        let handle = handle
        let revision = snapshot.revision
        loop.context.store.saveSnapshot(snapshot, of: name.text) { result in
            post.post { loop in loop.hosts[handle]?.didSave(revision, result) }
        }
    }

    private func didSave(_ revision: UInt64, _ result: Result<Void, StoreError>) {
        isSavingSnapshot = false
        savingBytes = 0
        enterMemory()
        switch result {
        case .success: snapshotRevision = revision
        case .failure(let error):
            loop.context.log.log(
                .warning, "a snapshot could not be saved",
                ["room": name.text, "why": error.description])
        }
        let finished = whenSaved
        whenSaved = []
        for finish in finished { finish() }
        checkIdle()
    }
}
