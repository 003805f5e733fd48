package import SyncModel

/// An output line: `join` and `tail` print these lines, and HTTP answers contain them. `layout`
/// also prints the errors.
package enum ServerLine: Sendable, Equatable {
    /// The client is in a room.
    case welcome(Welcome)
    /// The whole room, instead of batches.
    case snapshot(room: String, Snapshot)
    /// A transaction of this client is durable.
    case ack(tx: UInt64, Commit)
    /// A transaction of this client was refused and changed nothing.
    case reject(tx: UInt64, Rejection)
    /// The authors of the transactions in the next batches.
    case authors([TransactionAuthor])
    /// What changed in the room.
    case batch(Batch)
    /// What changed on the screen of a view.
    case viewUpdate(ViewLine)
    /// Where a drop would now put the item that this client drags.
    case dragTarget(DragTargetLine)
    /// What another member shows, or that it has left.
    case presence(PresenceLine)
    /// A clipboard with the items that were copied or cut.
    case clipboard(Clipboard)
    /// The items that were pasted.
    case pasted(PastedLine)
    /// A quota is nearly used up.
    case nearLimit(QuotaUse)
    /// An error that concerns no transaction.
    case error(Failure)

    /// The client's identity and its room.
    package struct Welcome: Sendable, Equatable {
        package var client: String
        /// Empty if the server knows no users.
        package var user: String
        package var room: String
        package var role: String
        package var revision: Revision
        /// The version of the protocol in use.
        package var version: String
        /// The room's id and the epoch of new revisions, in hexadecimal.
        package var id: String
        package var epoch: String
        /// Whether it is another room than the client had, or has lost changes.
        package var isChanged: Bool

        package init(
            client: String, user: String, room: String, role: String, revision: Revision,
            version: String, id: String, epoch: String, isChanged: Bool = false
        ) {
            self.client = client
            self.user = user
            self.room = room
            self.role = role
            self.revision = revision
            self.version = version
            self.id = id
            self.epoch = epoch
            self.isChanged = isChanged
        }
    }

    /// An error.
    package struct Failure: Sendable, Equatable {
        /// Its code, for programs.
        package var code: String
        /// What is wrong and what to do, for people.
        package var message: String
        /// Whether a retry may succeed later.
        package var retry: Bool
        /// How long a retry should wait at least; 0 if that is not known.
        package var retryAfterMilliseconds: UInt32
        /// The number of the input line that caused it, from 1, if it is known.
        package var line: Int?

        package init(
            code: String, message: String, retry: Bool = false,
            retryAfterMilliseconds: UInt32 = 0, line: Int? = nil
        ) {
            self.code = code
            self.message = message
            self.retry = retry
            self.retryAfterMilliseconds = retryAfterMilliseconds
            self.line = line
        }
    }
}

// MARK: Writing

extension JSONWriter {
    /// Writes the line, without the newline.
    package mutating func write(_ line: ServerLine) {
        switch line {
        case .welcome(let welcome): write(welcome)
        case .snapshot(let room, let snapshot): write(snapshot, of: room)
        case .ack(let tx, let commit): write(commit, of: tx)
        case .reject(let tx, let rejection): write(rejection, of: tx)
        case .authors(let authors): write(authors: authors)
        case .batch(let batch):
            beginObject()
            key("batch")
            write(batch)
            endObject()
        case .viewUpdate(let line):
            beginObject()
            key("viewUpdate")
            write(line)
            endObject()
        case .dragTarget(let line):
            beginObject()
            key("dragTarget")
            write(line)
            endObject()
        case .presence(let line):
            beginObject()
            key("presence")
            write(line)
            endObject()
        case .clipboard(let clipboard):
            beginObject()
            key("clipboard")
            write(clipboard)
            endObject()
        case .pasted(let line):
            beginObject()
            key("pasted")
            write(line)
            endObject()
        case .nearLimit(let use):
            beginObject()
            key("nearLimit")
            write(use)
            endObject()
        case .error(let failure): write(failure)
        }
    }

    private mutating func write(_ welcome: ServerLine.Welcome) {
        begin("welcome")
        member("client", text: welcome.client)
        if !welcome.user.isEmpty { member("user", text: welcome.user) }
        member("room", text: welcome.room)
        member("role", text: welcome.role)
        member("revision", welcome.revision)
        member("protocol", text: welcome.version)
        member("id", text: welcome.id)
        member("epoch", text: welcome.epoch)
        if welcome.isChanged {
            key("changed")
            write(bool: true)
        }
        end()
    }

    private mutating func write(_ snapshot: Snapshot, of room: String) {
        beginSnapshot(room: room, revision: snapshot.revision)
        for state in snapshot.sections {
            begin(state.section)
            for item in state.items { write(item) }
            endSection()
        }
        endSnapshot()
    }

    private mutating func write(_ commit: Commit, of tx: UInt64) {
        begin("ack")
        member("tx", tx)
        member("revision", commit.revision)
        list("superseded", commit.superseded) { (writer: inout JSONWriter, lost) in
            writer.beginObject()
            writer.member("op", lost.operation)
            writer.member("reason", text: lost.reason.name)
            writer.write(changed: lost.changed)
            writer.endObject()
        }
        end()
    }

    private mutating func write(_ rejection: Rejection, of tx: UInt64) {
        begin("reject")
        member("tx", tx)
        if let operation = rejection.operation { member("op", operation) }
        member("code", text: rejection.code.name)
        member("message", text: rejection.message)
        write(retryAfterMilliseconds: rejection.retryAfterMilliseconds)
        end()
    }

    private mutating func write(_ failure: ServerLine.Failure) {
        begin("error")
        member("code", text: failure.code)
        member("message", text: failure.message)
        if failure.retry {
            key("retry")
            write(bool: true)
        }
        write(retryAfterMilliseconds: failure.retryAfterMilliseconds)
        if let line = failure.line { member("line", line) }
        end()
    }

    private mutating func write(retryAfterMilliseconds wait: UInt32) {
        if wait > 0 { member("retryAfterMilliseconds", wait) }
    }

    /// Begins a line with one key, whose value is an object.
    private mutating func begin(_ name: StaticString) {
        beginObject()
        key(name)
        beginObject()
    }

    private mutating func end() {
        endObject()
        endObject()
    }

    private mutating func member(_ name: StaticString, text: String) {
        key(name)
        write(text: text)
    }
}
