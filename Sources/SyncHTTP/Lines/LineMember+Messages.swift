import SyncBytes
import SyncJSON
import SyncModel
import SyncWire

// What the server sends this member only, or what depends on what the member has.
extension LineMember {
    func receive(_ message: ServerMessage) throws(WireError) {
        switch message {
        case .welcome(let welcome): self.welcome = welcome
        case .joined(let joined): didJoin(joined)
        case .ack(let ack): didReceive(ack)
        case .reject(let reject):
            guard submissions.takeAnswered(reject.counter) != nil else { return }
            emit(.reject(tx: reject.counter, reject.rejection))
        case .error(let error): didReceive(error)
        case .viewUpdate(let update): show(update)
        case .dragTarget(let target): didReceive(target)
        case .snapshot, .batch, .authors, .presenceUpdate, .nearLimit:
            // A text that would be much longer than the frame is made for each receiver.
            var writer = JSONWriter()
            guard let part = LineText.write(message, to: &writer) else { return }
            take(SharedBytes(copying: writer.bytes), part)
        case .heartbeat, .renewed, .roomList, .stats, .items, .done: break
        }
    }

    private func didJoin(_ joined: Joined) {
        guard handle == nil, joined.request == LineMember.joinRequest else { return }
        handle = joined.handle
        roomIdentity = joined.identity
        submissions.lastNumber = max(submissions.lastNumber, joined.counter)
        if options.isViewOnly {
            revision = joined.revision
        } else if joined.resumed {
            revision = options.from
        }
        emit(
            .welcome(
                ServerLine.Welcome(
                    client: joined.client.text, user: joined.user, room: joined.room.text,
                    role: joined.role.name, revision: joined.revision,
                    version: "\(welcome?.version ?? 0).0", id: joined.identity.id.description,
                    epoch: joined.identity.newestEpoch.description, isChanged: joined.changed)))
    }

    func didReceive(_ ack: Ack) {
        guard let pasted = submissions.takeAnswered(ack.counter) else { return }
        emit(.ack(tx: ack.counter, ack.commit))
        if !pasted.isEmpty {
            emit(.pasted(PastedLine(ids: pasted, revision: ack.commit.revision)))
        }
    }

    // MARK: Errors

    private func didReceive(_ error: ErrorMessage) {
        switch error.subject {
        case .request, .room, .transaction: end(.refused(error))
        case .view(let number, _, _): endView(number, error)
        case .drag(let number, _): loseDrag(number, error)
        case .presence: emit(.error(ServerLine.Failure(error)))
        case nil:
            if error.code == .unsupported {
                emit(.error(ServerLine.Failure(error)))
            } else {
                end(.refused(error))
            }
        }
    }
}

extension ServerLine.Failure {
    /// The error of a view.
    init(_ error: ErrorMessage, ofView name: Identifier) {
        self.init(error)
        message = "view \(name): \(message)"
    }
}
