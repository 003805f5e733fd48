import SyncModel
import SyncWire

/// Messages of a scripted server about a room with the handle 1.
enum RoomScript {
    /// The room's first identity, and its identity after it was made again.
    static let identity = RoomIdentity(
        RoomID(high: 1, low: 1), Epoch(EpochID(value: 1), first: 0))
    static let newIdentity = RoomIdentity(
        RoomID(high: 2, low: 2), Epoch(EpochID(value: 2), first: 0))

    static func joined(
        _ join: Join, revision: Revision, resumed: Bool, identity: RoomIdentity = identity,
        changed: Bool = false, counter: UInt64 = 0
    ) -> ServerMessage {
        .joined(
            Joined(
                request: join.request, handle: 1, room: join.room, client: join.client, user: "",
                role: .editor, revision: revision, resumed: resumed, identity: identity,
                changed: changed, counter: counter))
    }

    /// Has a client resume at its revision.
    static func joinedAgain(_ join: Join) -> Joined {
        Joined(
            request: join.request, handle: 1, room: join.room, client: join.client, user: "",
            role: .editor, revision: join.from ?? 5, resumed: true, identity: identity)
    }

    static func snapshot(_ revision: Revision) -> ServerMessage {
        .snapshot(
            SnapshotPart(
                channel: .room(1), revision: revision, pieces: [], isFirst: true, isLast: true,
                totalItems: 0))
    }

    static func batch(_ from: Revision, _ to: Revision, sections: Int = 0) -> ServerMessage {
        .batch(
            BatchMessage(
                channel: .room(1), batch: Batch(from: from, to: to, sections: sections)))
    }

    static func ack(_ counter: UInt64, _ revision: Revision) -> ServerMessage {
        .ack(Ack(room: 1, counter: counter, commit: Commit(revision: revision)))
    }

    static func reject(
        _ counter: UInt64, _ code: Rejection.Code, retryAfterMilliseconds wait: UInt32 = 0
    ) -> ServerMessage {
        .reject(
            Reject(
                room: 1, counter: counter,
                rejection: Rejection(code: code, message: "no", retryAfterMilliseconds: wait)))
    }

    static func error(_ code: ErrorCode, _ subject: ErrorSubject? = nil) -> ServerMessage {
        .error(ErrorMessage(code, "no", about: subject))
    }

    /// Lets every client in with a snapshot of revision 5, or lets it resume.
    static func letIn(_ connection: ScriptedConnection, _ message: ClientMessage) {
        guard case .join(let join) = message else { return }
        let resumed = join.from != nil && !join.viewOnly
        connection.say(joined(join, revision: join.from ?? 5, resumed: resumed))
        if join.from == nil, !join.viewOnly { connection.say(snapshot(5)) }
    }
}

extension ScriptedServer {
    /// The counters of the transactions that the newest connection received.
    var submitted: [UInt64] {
        heard.compactMap { message in
            if case .submit(let submit) = message { submit.counter } else { nil }
        }
    }

    /// The joins that all connections received.
    var joins: [Join] {
        connections.flatMap(\.heard).compactMap { message in
            if case .join(let join) = message { join } else { nil }
        }
    }
}
