import CollSync
import SyncJSON
import SyncModel
import SyncTerminal
import SyncWire

/// Shows a room to a program: one JSON object in each line.
final class JSONConsole: RoomConsole {
    private let room: String
    private let output: Output

    init(room: String, output: Output) {
        self.room = room
        self.output = output
    }

    func read(_ line: LineReader.Line, number: Int) -> ConsoleCommand {
        guard case .text(let bytes) = line else {
            return .reply(.unreadable("line \(number) is longer than 16 MiB"))
        }
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if isBlank { return .nothing }
        do throws(JSONError) {
            let command = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                try JoinCommand(line: UnsafeRawBufferPointer(bytes))
            }
            switch command {
            case .transaction(let operations, let base, let tx, let origin, let isAllOrNothing):
                return .transaction(
                    operations, base: base, number: tx, origin: origin,
                    isAllOrNothing: isAllOrNothing)
            case .view(let view): return .view(view)
            case .drag(let drag): return .drag(drag)
            case .presence(let presence): return .presence(presence)
            case .clipboard(let command): return .clipboard(command)
            case .unsupported(let name):
                return .reply(.unsupported("this server does not offer \(name)"))
            }
        } catch {
            return .reply(.unreadable("line \(number): \(error)"))
        }
    }

    func show(_ events: [RoomEvent]) throws {
        try output.write(events.compactMap { ServerLine($0, room: room) })
    }

    func show(_ update: ViewLine) throws {
        try output.write([.viewUpdate(update)])
    }

    func show(_ target: DragTargetLine) throws {
        try output.write([.dragTarget(target)])
    }

    func show(_ changes: [PresenceChange]) throws {
        try output.write(changes.map { .presence(PresenceLine($0)) })
    }

    func show(_ clipboard: Clipboard) throws {
        try output.write([.clipboard(clipboard)])
    }

    func show(_ pasted: Pasted, of clipboard: Clipboard) throws {
        try output.write([.pasted(PastedLine(ids: pasted.ids, revision: pasted.revision))])
        guard let reason = pasted.leftBehind else { return }
        var failure = ServerLine.Failure(reason)
        failure.message = "the items are still in \(clipboard.room), too: \(failure.message)"
        try answer(.failed(failure))
    }

    func answer(_ reply: ConsoleReply) throws {
        let failure: ServerLine.Failure
        switch reply {
        case .unreadable(let message):
            failure = ServerLine.Failure(code: "malformed", message: message)
        case .text(let message):
            failure = ServerLine.Failure(code: "malformed", message: message.text)
        case .unsupported(let message):
            failure = ServerLine.Failure(code: "unsupported", message: message)
        case .failed(let reason): failure = reason
        }
        try output.write([.error(failure)])
    }
}

extension ServerLine {
    /// The line for an event; `nil` for the client's own leaving.
    init?(_ event: RoomEvent, room: String) {
        switch event {
        case .joined(let welcome): self = .welcome(Welcome(welcome))
        case .snapshot(let snapshot): self = .snapshot(room: room, snapshot)
        case .authors(let authors): self = .authors(authors)
        case .batch(let batch): self = .batch(batch)
        case .acknowledged(let number, let commit): self = .ack(tx: number, commit)
        case .rejected(let number, let rejection):
            // A number above those of lines was not sent either.
            self =
                number > WireProtocol.greatestNumber
                ? .error(Failure(code: rejection.code.name, message: rejection.message))
                : .reject(tx: number, rejection)
        case .nearLimit(let use): self = .nearLimit(use)
        case .interrupted(let error, _): self = .error(Failure(error))
        case .ended(let error):
            guard error.code != "closed" else { return nil }
            self = .error(Failure(error))
        }
    }
}

extension PresenceLine {
    init(_ change: PresenceChange) {
        switch change {
        case .shows(let member):
            self.init(
                client: member.client.text, user: member.user, name: member.displayName,
                selected: member.selected, highlighted: member.highlighted, custom: member.custom,
                dragged: member.dragged)
        case .left(let client): self.init(client: client.text, left: true)
        }
    }
}

extension ServerLine.Welcome {
    init(_ welcome: RoomWelcome) {
        self.init(
            client: welcome.client.text, user: welcome.user, room: welcome.room,
            role: welcome.role, revision: welcome.revision, version: welcome.protocolVersion,
            id: welcome.id, epoch: welcome.epoch, isChanged: welcome.isChanged)
    }
}

extension ServerLine.Failure {
    init(_ failure: Failure) {
        self.init(
            code: failure.code, message: failure.message,
            retry: [Failure.tryAgain, Failure.noServer].contains(failure.exitCode))
    }

    init(_ error: CollectionError) {
        self.init(
            code: error.code, message: error.message, retry: error.retry,
            retryAfterMilliseconds: error.retryAfterMilliseconds)
    }
}
