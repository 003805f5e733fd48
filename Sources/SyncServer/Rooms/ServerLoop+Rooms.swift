import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

// Requests of connections to the rooms of this loop.
extension ServerLoop {
    /// Queues a task for a room, and opens the room if it is not open. The task is performed or
    /// refused.
    ///
    /// - Parameter client: the client that asks, if it is not a member yet.
    func ask(_ name: RoomName, _ task: RoomTask, of client: Identifier? = nil) {
        if let host = hosts[name] {
            host.add(task, of: client)
            return host.ask(for: task.holder)
        }
        guard memory.pressure < .refusesGrowth else { return task.end(.outOfMemory) }
        guard let host = makeHost(name, for: task.holder) else {
            return task.end(
                RoomRefusal(
                    code: .tooManyRooms,
                    text:
                        "the server has as many rooms open as it may, or you your share of the"
                        + " \(configuration.maximumRooms)"))
        }
        host.add(task, of: client)
        host.open(for: task.holder)
    }

    /// Drops the tasks of a connection that is gone.
    func cancel(_ name: RoomName, _ id: ConnectionID) {
        guard let host = hosts[name] else { return }
        host.room.dropTasks(of: id)
        host.cancelOpening()
    }

    /// Makes a room's host; `nil` if the server, or the holder, has as many open rooms as it may.
    private func makeHost(_ name: RoomName, for holder: Holder?) -> RoomHost? {
        let slots = holder?.rooms ?? context.pots.rooms
        _ = closeIdleRooms { slots.fits(1) }
        guard let slot = slots.reserve(1) else { return nil }
        let host = RoomHost(name, on: self)
        host.slot = RoomSlot(slot)
        hosts.add(host)
        return host
    }

    /// Closes a room that is no longer needed.
    func close(_ host: RoomHost) {
        guard !host.room.place.isGone else { return }
        let wasOpen = !host.room.place.isOpening
        host.free(host.room.close())
        host.countMemory()
        hosts.idle.remove(host)
        host.idleTimer?.cancel()
        host.composeTimer?.timer.cancel()
        host.opener.cancel()
        hosts.remove(host)
        host.images.finishSaving()
        if host.slot != nil, wasOpen {
            context.log.log(.debug, "a room is closed", ["room": host.name.text])
        }
        if host.opener.isQueued { hosts.slotsOfClosed[host.handle] = host.slot }
        host.slot = nil
        host.deletionPlace = nil
        reportIfSettled()
    }

    func join(
        _ name: RoomName, _ admission: Admission, request: RequestID, at account: ClientAccount?
    ) {
        let id = admission.member
        let task = RoomTask(
            .join, for: id, at: admission.holder,
            perform: { [self] room in join(room, admission, request: request) },
            refuse: { [self] in refuse(id, of: name, request, $0) },
            // Whoever may not edit a room may not make it. Making it counts against the rate of the
            // connection's user or address, unless that is trusted.
            refusalToMake: admission.role < .editor
                ? nil : { [self] in account?.takeNewRoom(at: loop.nowMilliseconds) })
        ask(name, task, of: admission.client)
    }

    private func join(_ room: Room, _ admission: Admission, request: RequestID) {
        let id = admission.member
        guard let host = hosts[room.handle] else { return }
        do throws(RoomRefusal) {
            let (joined, admittance) = try host.join(admission, request: request)
            let (membership, pending) = (admittance.membership, admittance.answers.pending)
            on(id.loopIndex) { loop in
                if let connection = loop.connections[id] {
                    return connection.didJoin(joined, membership, awaiting: pending)
                }
                loop.onRoom(joined.handle) { $0.leave(id) }
            }
        } catch {
            refuse(id, of: host.name, request, error)
        }
    }

    private func refuse(
        _ id: ConnectionID, of name: RoomName, _ request: RequestID, _ refusal: RoomRefusal
    ) {
        onConnection(id) { $0.didNotJoin(name, request, refusal) }
    }

    /// Calls `body` with a room on its loop, if the room is still there.
    func onRoom(_ handle: RoomHandle, _ body: @escaping @Sendable (RoomHost) -> Void) {
        on(loopIndex(of: handle)) { loop in
            if let host = loop.hosts[handle] { body(host) }
        }
    }
}

/// Refers to a room from any thread: work can be posted to the room's loop, and runs if the room is
/// still there.
struct HostReference: Sendable {
    let loop: LoopHandle
    let handle: RoomHandle

    func post(_ body: @escaping @Sendable (RoomHost) -> Void) {
        loop.post { [handle] loop in
            if let host = loop.hosts[handle] { body(host) }
        }
    }
}

extension RoomHost {
    var reference: HostReference { HostReference(loop: loop.peers[loop.index], handle: handle) }

    func leave(_ id: ConnectionID) {
        room.leave(id)
        forgetTraces(of: id)
        reassignSlot()
        countMemory()
        if room.hasListeners || room.waitsForMemory { loop.compose(self) }
        if room.hasDiscardedScreens { loop.touch(self) }
        checkIdle()
    }

    /// A member may do more, or less, from now on.
    func change(_ role: Role, of id: ConnectionID) {
        // What was written to the room lately may have been long ago.
        watchWrites()
        room.change(role, of: id)
        loop.compose(self)
    }

    /// Transactions come. If there are rates, they allow more as time passes, and what other rooms
    /// take counts, too.
    func beginInput() {
        if isTouched { return }
        if room.policy.writes.isLimited || configuration.storage.writes.isLimited
            || configuration.limitsWritesOfAccounts
        {
            decideIntake()
        }
        loop.touch(self)
    }

    func submit(_ submit: SubmitView, _ id: ConnectionID) {
        beginInput()
        _ = room.receive(
            submit.transaction, counter: submit.counter, of: submit.origin, from: id)
        if room.draftBytes > RoomHost.maximumRecordBytes { endTick(isFull: true) }
    }

    /// Refuses a transaction that could not be read.
    func refuse(_ rejection: Rejection, _ counter: UInt64, _ id: ConnectionID) {
        _ = room.receive(rejection, counter: counter, from: id)
        loop.touch(self)
    }

    /// A connection has written the room's last delivery.
    func ready(_ id: ConnectionID) {
        room.ready(id)
        loop.compose(self)
    }

    func join(
        _ admission: Admission, request: RequestID
    ) throws(RoomRefusal) -> (Joined, Admittance) {
        watchWrites()
        let admittance = try room.join(admission)
        if let former = admittance.replaced {
            notifyRemoved(
                [former],
                RoomRefusal(code: .replaced, text: "the client joined on another connection"))
        }
        reassignSlot()
        checkIdle()
        loop.compose(self)
        let answers = admittance.answers
        var joined = Joined(
            request: request, handle: handle, room: name, client: admission.client,
            user: admission.user.text, role: admission.role, revision: admittance.revision,
            resumed: admittance.resumed, identity: admittance.identity,
            changed: admittance.changed, counter: admittance.lastCounter,
            answeredThrough: answers.through)
        for result in answers.results {
            switch result.outcome {
            case .committed(let commit):
                joined.acks.append(Ack(room: handle, counter: result.counter, commit: commit))
            case .rejected(let rejection):
                joined.rejects.append(
                    Reject(room: handle, counter: result.counter, rejection: rejection))
            }
        }
        return (joined, admittance)
    }
}
