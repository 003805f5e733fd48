import SyncBytes
import SyncModel

extension ServerLine {
    /// Reads a line, with or without the newline at its end.
    package init(line: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(line) { node throws(JSONError) in
            enum Key: JSONName, CaseIterable {
                case welcome, snapshot, ack, reject, authors, batch, viewUpdate, dragTarget,
                    presence, clipboard, pasted, nearLimit, error
            }
            let member = try node.onlyMember(Key.self, "which is")
            switch member.key {
            case .welcome: return .welcome(try member.node.welcome())
            case .snapshot:
                let (room, snapshot) = try member.node.snapshot()
                return .snapshot(room: room, snapshot)
            case .ack: return try member.node.ack()
            case .reject: return try member.node.reject()
            case .authors: return .authors(try member.node.authors())
            case .batch: return .batch(try member.node.batch())
            case .viewUpdate: return .viewUpdate(try member.node.viewLine())
            case .dragTarget: return .dragTarget(try member.node.dragTargetLine())
            case .presence: return .presence(try member.node.presenceLine())
            case .clipboard: return .clipboard(try member.node.clipboard())
            case .pasted: return .pasted(try member.node.pastedLine())
            case .nearLimit: return .nearLimit(try member.node.quotaUse())
            case .error: return .error(try member.node.failure())
            }
        }
    }
}

extension JSONNode {
    fileprivate func welcome() throws(JSONError) -> ServerLine.Welcome {
        var client: String?
        var user = ""
        var room: String?
        var role: String?
        var revision: Revision?
        var version: String?
        var id: String?
        var epoch: String?
        var isChanged = false
        enum Key: JSONName, CaseIterable {
            case client, user, room, role, revision, `protocol`, id, epoch, changed
        }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .client: client = try node.text().shown
            case .user: user = try node.text().shown
            case .room: room = try node.text().shown
            case .role: role = try node.text().shown
            case .revision: revision = try node.wholeNumber()
            case .protocol: version = try node.text().shown
            case .id: id = try node.text().shown
            case .epoch: epoch = try node.text().shown
            case .changed: isChanged = try node.bool()
            }
        }
        return ServerLine.Welcome(
            client: try required(client, "client"), user: user, room: try required(room, "room"),
            role: try required(role, "role"), revision: try required(revision, "revision"),
            version: try required(version, "protocol"), id: try required(id, "id"),
            epoch: try required(epoch, "epoch"), isChanged: isChanged)
    }

    fileprivate func snapshot() throws(JSONError) -> (room: String, Snapshot) {
        var room: String?
        var revision: Revision?
        var sections: [Snapshot.SectionState] = []
        enum Key: JSONName, CaseIterable { case room, revision, sections }
        for member in try members() {
            switch try member.key(Key.self) {
            case .room: room = try member.node.text().shown
            case .revision: revision = try member.node.wholeNumber()
            case .sections:
                sections = try member.node.elements { node throws(JSONError) in
                    try node.sectionState()
                }
            }
        }
        let snapshot = Snapshot(
            revision: try required(revision, "revision"), sections: sections)
        return (try required(room, "room"), snapshot)
    }

    fileprivate func ack() throws(JSONError) -> ServerLine {
        var tx: UInt64?
        var revision: Revision?
        var superseded: [Superseded] = []
        enum Key: JSONName, CaseIterable { case tx, revision, superseded }
        for member in try members() {
            switch try member.key(Key.self) {
            case .tx: tx = try member.node.wholeNumber()
            case .revision: revision = try member.node.wholeNumber()
            case .superseded:
                superseded = try member.node.elements { node throws(JSONError) in
                    try node.superseded()
                }
            }
        }
        let commit = Commit(
            revision: try required(revision, "revision"), superseded: superseded)
        return .ack(tx: try required(tx, "tx"), commit)
    }

    private func superseded() throws(JSONError) -> Superseded {
        var operation: Int?
        var reason: Superseded.Reason?
        var changed: GuardedChanges = []
        enum Key: JSONName, CaseIterable { case op, reason, changed }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .op: operation = try node.count()
            case .reason:
                reason = try node.known()
                if reason == nil { throw node.error("is not a reason of this version") }
            case .changed: changed = try node.guardedChanges()
            }
        }
        return Superseded(
            operation: try required(operation, "op"), reason: try required(reason, "reason"),
            changed: changed)
    }

    fileprivate func reject() throws(JSONError) -> ServerLine {
        var tx: UInt64?
        var operation: Int?
        var code: Rejection.Code?
        var message: String?
        var wait: UInt32 = 0
        enum Key: JSONName, CaseIterable { case tx, op, code, message, retryAfterMilliseconds }
        for member in try members() {
            switch try member.key(Key.self) {
            case .tx: tx = try member.node.wholeNumber()
            case .op: operation = try member.node.count()
            case .code:
                code = try member.node.known()
                if code == nil { throw member.node.error("is not a code of this version") }
            case .message: message = try member.node.text().shown
            case .retryAfterMilliseconds:
                wait = UInt32(clamping: try member.node.wholeNumber())
            }
        }
        let rejection = Rejection(
            operation: operation, code: try required(code, "code"),
            message: try required(message, "message"), retryAfterMilliseconds: wait)
        return .reject(tx: try required(tx, "tx"), rejection)
    }

    fileprivate func failure() throws(JSONError) -> ServerLine.Failure {
        var failure = ServerLine.Failure(code: "", message: "")
        var code: String?
        enum Key: JSONName, CaseIterable { case code, message, retry, retryAfterMilliseconds, line }
        for member in try members() {
            switch try member.key(Key.self) {
            case .code: code = try member.node.text().shown
            case .message: failure.message = try member.node.text().shown
            case .retry: failure.retry = try member.node.bool()
            case .retryAfterMilliseconds:
                failure.retryAfterMilliseconds = UInt32(clamping: try member.node.wholeNumber())
            case .line: failure.line = try member.node.count()
            }
        }
        failure.code = try required(code, "code")
        return failure
    }
}
