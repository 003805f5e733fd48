import SyncWire

/// The kinds of messages that clients send, so that no generator leaves one out.
enum ClientMessageKind: CaseIterable, Sendable {
    case hello, renew, revoke, join, leave, submit, heartbeat, listRooms, readStats
    case deleteRoom, readSnapshot, readHistory, readItems, view, presence, drag

    init(_ message: ClientMessage) {
        self =
            switch message {
            case .hello: .hello
            case .renew: .renew
            case .revoke: .revoke
            case .join: .join
            case .leave: .leave
            case .submit: .submit
            case .heartbeat: .heartbeat
            case .listRooms: .listRooms
            case .readStats: .readStats
            case .deleteRoom: .deleteRoom
            case .readSnapshot: .readSnapshot
            case .readHistory: .readHistory
            case .readItems: .readItems
            case .view: .view
            case .presence: .presence
            case .drag: .drag
            }
    }
}

/// The kinds of messages that the server sends.
enum ServerMessageKind: CaseIterable, Sendable {
    case welcome, renewed, joined, snapshot, ack, reject, batch, authors, heartbeat
    case roomList, stats, items, done, error, viewUpdate, presenceUpdate, dragTarget, nearLimit

    init(_ message: ServerMessage) {
        self =
            switch message {
            case .welcome: .welcome
            case .renewed: .renewed
            case .joined: .joined
            case .snapshot: .snapshot
            case .ack: .ack
            case .reject: .reject
            case .batch: .batch
            case .authors: .authors
            case .heartbeat: .heartbeat
            case .roomList: .roomList
            case .stats: .stats
            case .items: .items
            case .done: .done
            case .error: .error
            case .viewUpdate: .viewUpdate
            case .presenceUpdate: .presenceUpdate
            case .dragTarget: .dragTarget
            case .nearLimit: .nearLimit
            }
    }
}

/// The kinds of steps of a drag.
enum DragStepKind: CaseIterable, Sendable {
    case begin, update, end, cancel

    init(_ step: Drag.Step) {
        self =
            switch step {
            case .begin: .begin
            case .update: .update
            case .end: .end
            case .cancel: .cancel
            }
    }
}

/// The kinds of subjects of errors.
enum ErrorSubjectKind: CaseIterable, Sendable {
    case request, room, transaction, view, drag, presence

    init(_ subject: ErrorSubject) {
        self =
            switch subject {
            case .request: .request
            case .room: .room
            case .transaction: .transaction
            case .view: .view
            case .drag: .drag
            case .presence: .presence
            }
    }
}
