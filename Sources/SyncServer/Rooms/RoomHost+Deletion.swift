import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

extension RoomHost {
    /// Whether it is being deleted, or is gone.
    private var isEnding: Bool {
        switch room.place {
        case .gone, .deleting: true
        case .opening, .here, .away, .reopening: false
        }
    }

    /// Deletes the room, also from the store.
    ///
    /// - Parameters:
    ///   - event: is noted when it has ended. Of all requests to delete the same room, the trail
    ///     has the first one for certain.
    fileprivate func delete(
        noting event: AuditEvent?, then finish: @escaping (RoomRefusal?) -> Void
    ) {
        var event = event
        event?.isRepeated = isEnding
        let finish: (RoomRefusal?) -> Void = { [loop] refusal in
            loop.note(event, endedWith: refusal?.code, refusal?.text)
            finish(refusal)
        }
        if case .gone = room.place { return finish(.notFound(name)) }
        whenDeleted.append(finish)
        if !isEnding { beginDeleting() }
    }

    /// Deletes the room from the store, before all tasks that wait. Later results of the store or
    /// of a worker for this room are dropped.
    private func beginDeleting() {
        let wasThere = !room.place.isOpening
        idleTimer?.cancel()
        composeTimer?.timer.cancel()
        opener.cancel()
        images.end()
        free(room.beginDissolving())
        // Tasks that wait for a room that is being opened are passed to the room that exists after
        // the deletion.
        if wasThere { loop.finish(room.takeTasks()) { $0.end(.roomDeleted) } }
        dissolve()
        // The store does earlier appends first, so that they don't create the room again.
        loop.context.store.deleteRoom(name) { [reference] result in
            reference.post { host in
                host.whenDissolved = { host.didDelete(result, wasThere: wasThere) }
                host.loop.touch(host)
            }
        }
    }

    /// Removes members, as many as the turn's budget allows. After the last one it calls
    /// ``whenDissolved``.
    func dissolve() {
        let members = room.dissolve()
        sendAnswers()
        notifyRemoved(members, .roomDeleted)
        guard room.isDissolved else {
            loop.budget.noteRest()
            return loop.touch(self)
        }
        whenDissolved.take()?()
    }

    private func didDelete(_ result: Result<Void, StoreError>, wasThere: Bool) {
        var refusal: RoomRefusal?
        switch result {
        case .success: break
        case .failure(.noSuchRoom):
            // A room without a record is not in the store: it is gone together with its host.
            if !wasThere { refusal = .notFound(name) }
        case .failure(let error): refusal = RoomRefusal(error)
        }
        var (finished, tasks) = (whenDeleted, room.takeTasks())
        whenDeleted = Fifo()
        loop.close(self)
        loop.inPieces { [loop, name] in
            if let finish = finished.popFirst() {
                finish(refusal)
            } else if let task = tasks.popFirst() {
                // Tasks that came meanwhile are passed to the room that exists now, if any.
                loop.ask(name, task)
            } else {
                return false
            }
            return true
        }
    }
}

extension ServerLoop {
    /// - Parameter event: what to note when it has ended.
    func deleteRoom(_ name: RoomName, for key: FeedKey, noting event: AuditEvent?) {
        let answer: (RoomRefusal?) -> Void = { [self] refusal in
            if let refusal {
                fail(key, refusal)
            } else {
                finish(key, with: .done(Done(request: key.request)))
            }
        }
        if let host = hosts[name] { return host.delete(noting: event, then: answer) }
        // The room may not even exist, and nothing of it is read, so it needs no slot of an open
        // room.
        guard let place = hosts.deletions.reserve(1) else {
            note(event, endedWith: RoomRefusal.unavailable.code, RoomRefusal.unavailable.text)
            return answer(.unavailable)
        }
        let host = RoomHost(name, on: self)
        host.deletionPlace = place
        hosts.add(host)
        host.delete(noting: event, then: answer)
    }
}
