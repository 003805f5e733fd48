import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

extension RoomHost {
    /// Ends the room for good, and has the store forget it.
    func delete(then finish: @escaping (RoomRefusal?) -> Void) {
        switch room.place {
        case .gone: finish(.notFound(name))
        case .deleting: whenDeleted.append(finish)
        case .opening, .here, .away, .reopening:
            whenDeleted.append(finish)
            beginDeleting()
        }
    }

    /// Has the store delete the room, before all that waits. What the store or a worker still does
    /// for it comes to nothing.
    private func beginDeleting() {
        let wasThere = !room.place.isOpening
        idleTimer?.cancel()
        viewTimer?.timer.cancel()
        opener.cancel()
        images.end()
        free(room.beginDissolving())
        // Whoever waits for a room that is being opened gets the one that is there then.
        if wasThere { loop.finish(room.takeTasks()) { $0.end(.roomDeleted) } }
        dissolve()
        // The store does what was appended before this first, so that the room does not come back.
        loop.context.store.deleteRoom(name.text) { [reference] result in
            reference.post { host in
                host.whenDissolved = { host.didDelete(result, wasThere: wasThere) }
                host.loop.touch(host)
            }
        }
    }

    /// Lets members go, as far as the turn goes. What is to be done when all have gone is done
    /// then.
    func dissolve() {
        let members = room.dissolve()
        sendAnswers()
        putOut(members, .roomDeleted)
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
            // A room that has no record yet goes with its host.
            if !wasThere { refusal = .notFound(name) }
        case .failure(let error): refusal = RoomRefusal(error)
        }
        var (finished, tasks) = (whenDeleted, room.takeTasks())
        whenDeleted = Fifo()
        loop.letGo(self)
        loop.inPieces { [loop, name] in
            if let finish = finished.popFirst() {
                finish(refusal)
            } else if let task = tasks.popFirst() {
                // Whoever came meanwhile gets the room that is there now, if any.
                loop.ask(name, task)
            } else {
                return false
            }
            return true
        }
    }
}

extension ServerLoop {
    func deleteRoom(_ name: RoomName, for key: FeedKey) {
        let answer: (RoomRefusal?) -> Void = { [self] refusal in
            if let refusal {
                fail(key, refusal)
            } else {
                finish(key, with: .done(Done(request: key.request)))
            }
        }
        if let host = hosts[name] { return host.delete(then: answer) }
        // It need not even be there, and nothing of it is read: so it is not one of the open rooms.
        guard let place = hosts.deletions.reserve(1) else { return answer(.unavailable) }
        let host = RoomHost(name, on: self)
        host.deletionPlace = place
        hosts.add(host)
        host.delete(then: answer)
    }
}
