import SyncWire

// Passes the server's messages on to memberships and requests.
extension ClientSession: ConnectionHandler {
    func connectionDidDrain(_ connection: Connection) {
        for membership in memberships { pump(membership) }
    }

    func connectionDidEnd(_ connection: Connection, _ error: ClientError) {
        lose(error)
    }

    func connection(_ connection: Connection, didReceive message: ServerMessage) {
        do throws(ClientError) {
            switch message {
            case .welcome(let welcome): didWelcome(welcome, on: connection)
            case .error(let error): didReceive(error)
            default:
                guard case .ready = state else {
                    throw .broken(.badHandshake, "it does not begin with a welcome")
                }
                try didReceive(message)
            }
        } catch {
            if case .exceeded = error, let membership = membership(of: message) {
                endOversized(membership, error)
            } else {
                lose(error)
            }
        }
    }

    /// The membership that a room's message is for.
    private func membership(of message: ServerMessage) -> Membership? {
        switch message {
        case .snapshot(let part): membership(part.channel)
        case .batch(let batch): membership(batch.channel)
        case .authors(let authors): membership(authors.room)
        case .ack(let ack): membership(ack.room)
        case .reject(let reject): membership(reject.room)
        case .viewUpdate(let update): membership(update.room)
        case .presenceUpdate(let update): membership(update.room)
        case .welcome, .renewed, .error, .joined, .roomList, .stats, .items, .done, .dragTarget,
            .heartbeat, .nearLimit:
            nil
        }
    }

    private func membership(_ channel: Channel) -> Membership? {
        if case .room(let handle) = channel { membership(handle) } else { nil }
    }

    private func didReceive(_ message: ServerMessage) throws(ClientError) {
        switch message {
        case .joined(let joined): try didReceive(joined)
        case .snapshot(let part): try didReceive(part)
        case .batch(let batch): try didReceive(batch)
        case .authors(let authors): try membership(authors.room)?.didReceive(authors)
        case .ack(let ack):
            guard let membership = membership(ack.room) else { return }
            try membership.didReceive(ack)
            didAnswer(membership)
        case .reject(let reject):
            guard let membership = membership(reject.room) else { return }
            try membership.didReceive(reject)
            didAnswer(membership)
        case .roomList(let list):
            didReceive(list)
        case .stats(let stats):
            reply(to: stats.request, .stats(stats), isLast: true)
        case .items(let items): reply(to: items.request, .items(items), isLast: false)
        case .done(let done): reply(to: done.request, .done, isLast: true)
        case .viewUpdate(let update):
            guard let membership = membership(update.room) else { return }
            try membership.didReceive(update)
            didAnswer(membership)
        case .dragTarget(let target):
            guard let membership = membership(target.room) else { return }
            membership.didReceive(target)
            didAnswer(membership)
        case .presenceUpdate(let update): try membership(update.room)?.didReceive(update)
        case .renewed(let renewed): didRenew(renewed)
        case .nearLimit(let near): didReceive(near)
        case .heartbeat, .welcome, .error: break
        }
    }

    private func didAnswer(_ membership: Membership) {
        pump(membership)
        applyPause()
    }

    /// The membership in the room of that handle; `nil` if the client has left it meanwhile.
    func membership(_ handle: RoomHandle) -> Membership? {
        memberships.first { $0.handle == handle }
    }

    private func didReceive(_ joined: Joined) throws(ClientError) {
        guard
            let membership = memberships.first(where: {
                $0.pendingJoin?.request == joined.request
            })
        else { return }
        guard joined.room == membership.room, joined.client == membership.author.identity.client
        else {
            throw .broken(.badMessage, "a join is answered for another room or client")
        }
        try membership.didJoin(joined)
        passAccountUses(to: membership)
        pump(membership)
    }

    private func didReceive(_ part: SnapshotPart) throws(ClientError) {
        switch part.channel {
        case .room(let handle): try membership(handle)?.didReceive(part)
        case .request(let id): reply(to: id, .part(part), isLast: false)
        }
    }

    private func didReceive(_ message: BatchMessage) throws(ClientError) {
        switch message.channel {
        case .room(let handle): try membership(handle)?.didReceive(message)
        case .request(let id): try add(message, to: id)
        }
    }

    // MARK: Errors

    private func didReceive(_ message: ErrorMessage) {
        let error = ClientError(message)
        switch message.subject {
        case .request(let id):
            if let membership = memberships.first(where: { $0.pendingJoin?.request == id }) {
                didRefuse(membership, error)
            } else if renewal?.request == id {
                didNotRenew(error)
            } else {
                reply(to: id, .failed(error), isLast: true)
            }
        case .room(let handle), .transaction(_, let handle):
            if let membership = membership(handle) { didRefuse(membership, error) }
        case .view(let view, _, let handle):
            guard let membership = membership(handle) else { return }
            membership.endView(view, error)
            didAnswer(membership)
        case .drag(let drag, let handle):
            guard let membership = membership(handle) else { return }
            membership.loseDrag(drag, error)
            didAnswer(membership)
        // The presence that was shown before stays.
        case .presence: break
        case nil:
            // A server that does not know a message says so and goes on.
            if message.code != .unsupported { lose(error) }
        }
    }

    /// The server refused or ended a membership. If it may succeed later, the session reconnects;
    /// but a room that was never joined is given up.
    private func didRefuse(_ membership: Membership, _ error: ClientError) {
        if error.retry, membership.hasJoined {
            lose(error)
        } else if membership.hasJoined, case .server(.badSecret, _, _, _) = error {
            joinAsAnother(membership)
        } else {
            end(membership, error)
        }
    }
}
