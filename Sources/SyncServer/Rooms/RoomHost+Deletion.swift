import SyncIO
import SyncRoom
import SyncStore
import SyncWire

extension RoomHost {
    /// Ends the room for good, and has the store forget it.
    func delete(then finish: @escaping (RoomRefusal?) -> Void) {
        switch phase {
        case .gone:
            finish(.notFound(name))
        case .opening, .deleting:
            // One that is being opened is deleted when it is, see `didOpen`.
            whenDeleted.append(finish)
        case .open, .waitingToReopen:
            whenDeleted.append(finish)
            beginDeleting()
        }
    }

    func beginDeleting() {
        phase = .deleting
        idleTimer?.cancel()
        viewTimer?.timer.cancel()
        image = nil
        isImageDue = false
        if isTailWanted {
            isTailWanted = false
            finishSaving()
        }
        let members = anyRoom?.dissolve() ?? []
        loop.budget.spend(WorkCost.look.steps(members.count))
        sendAnswers()
        loop.touch(self)
        putOut(members, .roomDeleted)
        let post = loop.peers[loop.index]
        let handle = handle
        // The store does what was appended before this first, so that the room does not come back.
        loop.context.store.deleteRoom(name.text) { result in
            post.post { loop in loop.hosts[handle]?.didDelete(result) }
        }
    }

    private func didDelete(_ result: Result<Void, StoreError>) {
        var refusal: RoomRefusal?
        switch result {
        case .success: break
        case .failure(.noSuchRoom):
            // A room that has no record yet goes with its host.
            if anyRoom == nil { refusal = .notFound(name) }
        case .failure(let error): refusal = RoomRefusal(error)
        }
        let (finished, waiting) = (whenDeleted, waiting)
        (whenDeleted, self.waiting) = ([], [])
        let maker = makers.first
        loop.letGo(self)
        for finish in finished { finish(refusal) }
        // Whoever came meanwhile gets the room that is there now, if any.
        for (holder, body) in waiting {
            loop.withRoom(name, for: holder, maker: maker, body)
        }
    }
}
