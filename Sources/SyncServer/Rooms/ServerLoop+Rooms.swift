import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

// What connections ask of the rooms of this loop.
extension ServerLoop {
    /// Calls `body` when a room is open, or can't be.
    ///
    /// - Parameters:
    ///   - holder: for whom it is opened.
    ///   - maker: who has it made, if it is not there.
    func withRoom(
        _ name: RoomName, for holder: Holder, maker: RoomMaker? = nil,
        _ body: @escaping (Result<RoomHost, RoomRefusal>) -> Void
    ) {
        if let host = hosts[name] { return host.whenOpen(for: holder, maker: maker, body) }
        guard pressure < .refusesGrowth else { return body(.failure(.outOfMemory)) }
        guard let host = makeHost(name, for: holder) else {
            return body(
                .failure(
                    RoomRefusal(
                        code: .tooManyRooms,
                        text:
                            "the server has as many rooms open as it may, or you your share of the"
                            + " \(configuration.maximumRooms)")))
        }
        host.whenOpen(for: holder, maker: maker, body)
        host.open(for: holder)
    }

    /// Makes a room's host; `nil` if there are as many as there may be, or as the holder may have.
    private func makeHost(_ name: RoomName, for holder: Holder) -> RoomHost? {
        makePlace(for: holder)
        guard let place = holder.rooms.reserve(1) else { return nil }
        let host = RoomHost(name, on: self)
        host.place = RoomPlace(place)
        hosts.add(host)
        return host
    }

    /// Makes a host to delete a room that is not open, which need not even be there; `nil` if too many are being
    /// deleted. It is not one of the open rooms: nothing of the room is read.
    func makeDeletingHost(_ name: RoomName) -> RoomHost? {
        guard deletingHosts < ServerLoop.maximumDeletingHosts else { return nil }
        deletingHosts += 1
        let host = RoomHost(name, on: self)
        hosts.add(host)
        return host
    }

    /// Forgets a room that nobody needs.
    func letGo(_ host: RoomHost) {
        guard host.phase != .gone else { return }
        host.phase = .gone
        host.countMemory()
        idleRooms.remove(host)
        host.idleTimer?.cancel()
        host.viewTimer?.timer.cancel()
        hosts.remove(host)
        host.freeRoom()
        if host.place != nil {
            host.place = nil
            context.log.log(.debug, "a room is closed", ["room": host.name.text])
        } else {
            deletingHosts -= 1
        }
        reportIfSettled()
    }

    func join(
        _ name: RoomName, _ admission: Admission, request: RequestID, maker: RoomMaker
    ) {
        withRoom(name, for: admission.holder, maker: maker) { [self] opening in
            switch opening {
            case .success(let host):
                host.inOrder { [self] in
                    // It may have been deleted, or have to be opened again.
                    guard host.phase == .open else {
                        return join(name, admission, request: request, maker: maker)
                    }
                    join(host, admission, request: request)
                }
            case .failure(let refusal): refuse(admission.member, request, refusal)
            }
        }
    }

    private func join(_ host: RoomHost, _ admission: Admission, request: RequestID) {
        let id = admission.member
        do throws(RoomRefusal) {
            let joined = try host.join(admission, request: request)
            on(id.loopIndex) { loop in
                if let session = loop.sessions[id] { return session.didJoin(joined) }
                let handle = joined.handle
                loop.on(loop.loopIndex(of: handle)) { $0.leave(handle, id) }
            }
        } catch {
            refuse(id, request, error)
        }
    }

    private func refuse(_ id: MemberID, _ request: RequestID, _ refusal: RoomRefusal) {
        let message = ErrorMessage(refusal.code, refusal.text, channel: .request(request))
        on(id.loopIndex) { $0.sessions[id]?.didNotJoin(message) }
    }

    func leave(_ handle: RoomHandle, _ id: MemberID) {
        inOrder(handle) { loop in
            guard let host = loop.hosts[handle] else { return }
            host.room?.leave(id)
            host.passPlaceOn()
            host.countMemory()
            if host.room?.hasListeners == true { loop.compose(host) }
            host.checkIdle()
        }
    }

    func submit(_ submit: SubmitView, _ id: MemberID) {
        guard let host = hosts[submit.room], let room = host.anyRoom else { return }
        _ = room.receive(
            submit.transaction, counter: submit.counter, of: submit.origin, from: id)
        touch(host)
        if room.draftBytes > RoomHost.maximumRecordBytes { host.endTick(isFull: true) }
    }

    /// Refuses a transaction that could not be read.
    func refuse(_ rejection: Rejection, _ counter: UInt64, in handle: RoomHandle, _ id: MemberID) {
        guard let host = hosts[handle], let room = host.anyRoom else { return }
        _ = room.receive(rejection, counter: counter, from: id)
        touch(host)
    }

    func hold(_ held: Heartbeat.Held, _ id: MemberID) {
        hosts[held.room]?.room?.hold(held.revision, of: held.origin, by: id)
    }

    /// A connection has taken what a room sent it.
    func ready(_ handle: RoomHandle, _ id: MemberID) {
        guard let host = hosts[handle] else { return }
        host.anyRoom?.ready(id)
        compose(host)
    }
}

extension RoomHost {
    /// Takes a member in.
    func join(_ admission: Admission, request: RequestID) throws(RoomRefusal) -> Joined {
        guard let room else { throw .unavailable }
        let admittance: Admittance
        do throws(JoinRefusal) {
            admittance = try room.join(admission)
        } catch {
            switch error {
            case .badSecret:
                throw RoomRefusal(
                    code: .badSecret, text: "the client id belongs to one with another secret")
            case .isReplaced:
                throw RoomRefusal(
                    code: .replaced, text: "the client is in the room on a later connection")
            case .isMember:
                throw RoomRefusal(
                    code: .unsupported, text: "this connection is in the room already")
            }
        }
        if let former = admittance.replaced {
            putOut(
                [former],
                RoomRefusal(code: .replaced, text: "the client joined on another connection"))
        }
        passPlaceOn()
        checkIdle()
        loop.compose(self)
        return Joined(
            request: request, handle: handle, room: name, client: admission.client,
            user: admission.user, role: .admin, revision: admittance.revision,
            resumed: admittance.resumed, identity: admittance.identity,
            changed: admittance.changed, counter: admittance.lastCounter)
    }
}
