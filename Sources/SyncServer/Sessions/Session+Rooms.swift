import SyncAccess
import SyncModel
import SyncRoom
import SyncWire

extension Session {
    // MARK: Members

    func join(_ join: Join) {
        if memberships.contains(where: { $0.room == join.room }) {
            return refuse(join.request, .unsupported, "this connection is in the room already")
        }
        guard memberships.count + joining.count < configuration.wire.rooms else {
            return refuse(
                join.request, .limitExceeded,
                "a connection may be in \(configuration.wire.rooms) rooms")
        }
        if let refusal = usage.reserveRoom() {
            note(.join, in: join.room, refusal.code, refusal.text)
            return refuse(.request(join.request), refusal)
        }
        // The gate has seen that there is a role.
        guard let role = principal.access.role(in: join.room) else { return }
        joining.append(JoinUnderWay(request: join.request, room: join.room))
        let account = usage.account
        noteNearLimits()
        let admission = Admission(
            member: id, connection: id.connection, client: join.client, user: user,
            displayName: principal.access.displayName, role: role, secret: join.secret,
            from: join.from,
            everyRevision: join.everyRevision, viewOnly: join.viewOnly, presence: join.presence,
            authors: join.authors,
            encoding: encoding, holder: holder,
            origin: join.origin, counter: join.counter, answeredThrough: join.answeredThrough)
        loop.on(loop.loopIndex(of: join.room)) { loop in
            loop.join(join.room, admission, request: join.request, at: account)
        }
    }

    func didJoin(_ joined: Joined, _ membership: MembershipID, awaiting answers: Int) {
        removeJoining(joined.room)
        defer { takeEarly(joined.request) }
        guard phase == .open else {
            usage.releaseRooms(1)
            return loop.onRoom(joined.handle) { [id] in $0.leave(id) }
        }
        // The token may be another one by now.
        guard let role = principal.access.role(in: joined.room) else {
            usage.releaseRooms(1)
            loop.onRoom(joined.handle) { [id] in $0.leave(id) }
            note(.join, in: joined.room, .notAllowed, RoomRefusal.denied.text)
            return refuse(.request(joined.request), .denied)
        }
        if role != joined.role {
            loop.onRoom(joined.handle) { [id] in $0.change(role, of: id) }
        }
        var joined = joined
        joined.role = role
        changedRooms.removeAll { $0 == joined.handle }
        memberships.append(
            SessionMembership(
                handle: joined.handle, room: joined.room, id: membership, role: role,
                join: joined.request, unanswered: answers))
        noteJoining(joined.room, as: joined.client)
        send(.joined(joined))
    }

    func didNotJoin(_ room: RoomName, _ request: RequestID, _ refusal: RoomRefusal) {
        removeJoining(room)
        usage.releaseRooms(1)
        note(.join, in: room, refusal.code, refusal.text)
        refuse(.request(request), refusal)
        takeEarly(request)
    }

    private func removeJoining(_ room: RoomName) {
        joining.removeAll { $0.room == room }
    }

    func didLose(_ lost: MembershipID, of handle: RoomHandle, _ refusal: RoomRefusal) {
        // The connection may have left meanwhile, and joined again.
        guard let index = membership(handle), memberships[index].id == lost else { return }
        noteLeaving(memberships.remove(at: index).room, refusal.text)
        usage.releaseRooms(1)
        if refusal.code == .roomChanged {
            if changedRooms.count == configuration.wire.rooms {
                changedRooms.removeFirst()
            }
            changedRooms.append(handle)
        }
        refuse(.room(handle), refusal)
    }

    /// Takes it out of a room, and notifies the client.
    func endMembership(at index: Int, _ refusal: RoomRefusal) {
        let former = memberships.remove(at: index)
        let handle = former.handle
        noteLeaving(former.room, refusal.text)
        usage.releaseRooms(1)
        loop.onRoom(handle) { [id] in $0.leave(id) }
        refuse(.room(handle), refusal)
    }

    func leave(_ leave: Leave) {
        guard let index = membership(leave.room) else {
            return refuse(.request(leave.request), .unknownRoom)
        }
        noteLeaving(memberships.remove(at: index).room)
        usage.releaseRooms(1)
        let (id, handle, request) = (id, leave.room, leave.request)
        loop.on(loop.loopIndex(of: handle)) { loop in
            loop.hosts[handle]?.leave(id)
            loop.onConnection(id) { $0.send(.done(Done(request: request))) }
        }
    }

    /// Passes a transaction to its room, and those for the same room that follow it directly.
    ///
    /// - Returns: what ``readFrame(_:with:)`` returns after them.
    func take(
        _ first: SubmitView, andMoreOf input: inout FrameRun, with decoder: MessageDecoder
    ) throws(WireError) -> SubmitView? {
        if hasExpired {
            expire()
            return nil
        }
        let handle = first.room
        var isAllowed = true
        if let index = membership(handle) {
            isAllowed = maySubmit(at: index)
            if isAllowed, loop.loopIndex(of: handle) == loop.index,
                let host = loop.hosts[handle], let member = host.room.member(id)
            {
                return try take(
                    first, andMoreOf: &input, with: decoder, at: index, host, host.room, member)
            }
        }
        post(first, bytes: input.frameBytes, isAllowed: isAllowed)
        return try readFrame(&input, with: decoder)
    }

    /// Passes a run of transactions to a room on this loop, without copies. The caller has looked
    /// up and retains all the objects. Reference counts would make each transaction wait for the
    /// memory writes of the one before.
    private func take(
        _ first: SubmitView, andMoreOf input: inout FrameRun, with decoder: MessageDecoder,
        at index: Int, _ host: RoomHost, _ room: Room, _ member: Member
    ) throws(WireError) -> SubmitView? {
        var submit = first
        member.noteShare()
        defer { room.noteGrowth(by: member) }
        host.beginInput()
        while true {
            count(input.frameBytes, at: index)
            _ = room.receive(
                submit.transaction, counter: submit.counter, of: submit.origin, from: member)
            if room.draftBytes > RoomHost.maximumRecordBytes {
                // This may replace the room or its members, so they are looked up again.
                host.endTick(isFull: true)
                return try readFrame(&input, with: decoder)
            }
            let next = try readFrame(&input, with: decoder)
            guard let next, input.join == nil, next.room == submit.room else { return next }
            submit = next
        }
    }

    /// Passes a transaction to the loop of its room, if it is allowed.
    func post(_ submit: SubmitView, bytes: Int) {
        let role = membership(submit.room).map { memberships[$0].role }
        post(submit, bytes: bytes, isAllowed: role.map { $0 >= .editor } ?? true)
    }

    private func post(_ submit: SubmitView, bytes: Int, isAllowed: Bool) {
        guard countSubmit(to: submit.room, counter: submit.counter, bytes: bytes) else { return }
        let id = id
        guard isAllowed else {
            noteDenied(.edit, in: submit.room)
            return loop.onRoom(submit.room) { [counter = submit.counter] host in
                host.refuse(.denied, counter, id)
            }
        }
        // What is posted outlives the frame that it came in.
        let copy = Submit(submit)
        loop.onRoom(submit.room) { host in copy.withView { host.submit($0, id) } }
    }

    /// Counts a transaction for a room; refuses it if this connection is not in the room.
    func countSubmit(to room: RoomHandle, counter: UInt64, bytes: Int) -> Bool {
        guard let index = membership(room) else {
            if changedRooms.contains(room) {
                send(.reject(Reject(room: room, counter: counter, rejection: .roomChanged)))
                return false
            }
            return isIn(room, asking: .transaction(counter, in: room))
        }
        count(bytes, at: index)
        return true
    }

    private func count(_ bytes: Int, at index: Int) {
        memberships[index].unanswered += 1
        memberships[index].unansweredBytes += bytes
        usage.transactionsRead &+= 1
    }

    // MARK: Requests

    /// Passes a request to the loop of its room.
    func request(
        _ request: RequestID, of room: RoomName,
        _ work: @escaping @Sendable (ServerLoop, FeedKey) -> Void
    ) {
        let target = loop.loopIndex(of: room)
        guard begin(request, on: target) else { return }
        let key = feedKey(request)
        loop.on(target) { work($0, key) }
    }

    func feedKey(_ request: RequestID) -> FeedKey {
        FeedKey(
            session: id, request: request, encoding: encoding, holder: holder)
    }

    /// Registers a request; refuses it if there are too many, or one with this number.
    func begin(_ request: RequestID, on target: Int) -> Bool {
        guard requests[request] == nil else {
            refuse(request, .badMessage, "a request with this number is under way")
            return false
        }
        guard requests.count < configuration.connections.maximumRequests else {
            refuse(
                request, .limitExceeded,
                "a connection may have \(configuration.connections.maximumRequests) requests under way"
            )
            return false
        }
        requests[request] = target
        return true
    }

    func awaits(_ request: RequestID) -> Bool { requests[request] != nil }

    func finish(_ request: RequestID, with message: ServerMessage?) {
        guard requests.removeValue(forKey: request) != nil else { return }
        if let message { send(message) }
    }
}
