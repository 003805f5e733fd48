import SyncClient
public import SyncModel
package import SyncWire

extension CollectionClient {
    /// All rooms of the server, sorted by name.
    ///
    /// - Throws: `clientLimit` if the list is larger than 64 MiB, `notAllowed` if the server does
    ///   not list them.
    public func rooms() async throws(CollectionError) -> [RoomSummary] {
        try await collect(.rooms, into: []) { rooms, reply in
            if case .rooms(let more) = reply { rooms += more.map { RoomSummary($0) } }
        }
    }

    /// A room in figures.
    ///
    /// - Throws: `roomNotFound`, `badRoomName`, or `notAllowed`.
    public func stats(of room: String) async throws(CollectionError) -> RoomStats {
        let name = try CollectionClient.roomName(room)
        let stats: RoomStats? = try await collect(.stats(name), into: nil) { stats, reply in
            if case .stats(let answer) = reply { stats = RoomStats(answer) }
        }
        guard let stats else {
            throw CollectionError(.broken(.badMessage, "a request is done without its answer"))
        }
        return stats
    }

    /// Deletes a room with its content and all its history, and waits until it is gone. Clients
    /// that are in it get `roomDeleted`.
    ///
    /// - Throws: `roomNotFound`, `badRoomName`, or `notAllowed`.
    public func deleteRoom(_ room: String) async throws(CollectionError) {
        let name = try CollectionClient.roomName(room)
        try await collect(.delete(name), into: ()) { _, _ in }
    }

    /// Takes access back before tokens expire, and waits until that holds: from then on nothing is
    /// sent to whom it concerns, and nothing that they had sent becomes durable any more.
    ///
    /// - Throws: `notAllowed` if this client is no admin of all rooms, `badContent` if a name
    ///   can't be one, `limitExceeded` if there are too many revocations, or `unsupported` if the
    ///   server asks for no tokens.
    public func revoke(_ revocation: RevokedTokens) async throws(CollectionError) {
        let subject: Revoke.Subject
        do throws(ModelError) {
            switch revocation {
            case .token(let id): subject = .token(try Identifier(id))
            case .user(let name): subject = .user(try Identifier(name))
            case .role(let name, let room):
                // The name of a room that there can't be is no content of a revocation, either.
                guard let room = RoomName(room) else { throw ModelError.badIdentifier }
                subject = .role(of: try Identifier(name), in: room)
            case .key(let id): subject = .key(try Identifier(id))
            case .all: subject = .all
            }
        } catch {
            throw .refused(.badContent, error.explanation)
        }
        try await collect(.revoke(subject), into: ()) { _, _ in }
    }

    /// The content of a room now, or at an earlier revision, without entering the room.
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - revision: the revision; without one, the newest.
    ///   - origin: the history that the revision belongs to; without one, the room's current
    ///     history.
    /// - Throws: `roomNotFound`, `badRoomName`, `badRevision` if the room has not reached the
    ///   revision, `historyGone` if the server has deleted it, `roomChanged` if the room does not
    ///   have that history (any more), or `clientLimit` if the content is larger than the client
    ///   accepts.
    ///
    /// # Performance
    /// O(n) for a room of n items; for an earlier revision the server replays the room from its
    /// last snapshot before.
    public func snapshot(
        of room: String, at revision: Revision? = nil, origin: RoomOrigin? = nil
    ) async throws(CollectionError) -> Snapshot {
        let parts = try snapshotParts(of: room, at: revision, origin: origin)
        var assembler = SnapshotAssembler()
        var snapshot: Snapshot?
        var bytes = 0
        while let part = try await parts.next() {
            bytes += MemoryBytes.of(part)
            guard bytes <= host.limits.roomBytes else {
                throw CollectionError(.exceeded(.roomBytes, host.limits.roomBytes))
            }
            do throws(WireError) {
                snapshot = try assembler.add(part) ?? snapshot
            } catch {
                throw CollectionError(.broken(.badMessage, "\(error)"))
            }
        }
        guard let snapshot else {
            throw CollectionError(.broken(.badMessage, "a snapshot is not whole"))
        }
        return snapshot
    }

    /// What changed in a room between two revisions, without entering the room.
    ///
    ///     for try await batch in client.history(of: "groceries", from: 0, everyRevision: true) {
    ///         print(batch.from, batch.to, batch.stages.count)
    ///     }
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - from: the revision before the first change.
    ///   - until: the last revision; without one, the newest.
    ///   - everyRevision: whether each revision comes as a batch of its own; else all changes are
    ///     one batch. If both revisions are the same, there is none.
    ///   - origin: the history that the revisions belong to; without one, the room's current
    ///     history.
    /// - Returns: the batches, in order, for one task to read. Release a stream that you don't read
    ///   to its end. It throws a ``CollectionError`` with the codes of ``snapshot(of:at:origin:)``,
    ///   or `badRevision` if `until` is below `from`. All batches belong to one history: if the
    ///   room is replaced meanwhile, the stream throws `roomChanged`.
    public func history(
        of room: String, from: Revision, until: Revision? = nil, everyRevision: Bool = false,
        origin: RoomOrigin? = nil
    ) -> AsyncThrowingStream<Batch, any Error> {
        do throws(CollectionError) {
            let inbox = try historyInbox(
                of: room, from: from, until: until, everyRevision: everyRevision,
                origin: origin.map { Origin($0) })
            return AsyncThrowingStream { try await inbox.next() }
        } catch {
            return AsyncThrowingStream { throw error }
        }
    }

    /// The batches of a history, for callers that take many at once.
    package func historyInbox(
        of room: String, from: Revision, until: Revision?, everyRevision: Bool,
        origin: Origin? = nil
    ) throws(CollectionError) -> EventInbox<Batch> {
        let question = Question.history(
            try CollectionClient.roomName(room), from: from, until: until,
            everyRevision: everyRevision, origin: origin)
        return stream(question, fullCount: 256, bytes: { MemoryBytes.of($0) }) { reply in
            if case .batch(let batch) = reply { batch } else { nil }
        }
    }

    /// The parts of a snapshot, one after the other: even a large room needs memory for a few of
    /// them only.
    package func snapshotParts(
        of room: String, at revision: Revision?, origin: RoomOrigin? = nil
    ) throws(CollectionError) -> EventInbox<SnapshotPart> {
        let name = try CollectionClient.roomName(room)
        let question = Question.snapshot(
            name, revision: revision, origin: origin.map { Origin($0) })
        return stream(question, fullCount: 16, bytes: { MemoryBytes.of($0) }) { reply in
            if case .part(let part) = reply { part } else { nil }
        }
    }

    /// Whether a room does not have a revision of a history: it is another room, or has lost the
    /// revision.
    func lacks(
        _ revision: Revision, of origin: RoomOrigin, in room: String
    ) async throws(CollectionError) -> Bool {
        let question = Question.history(
            try CollectionClient.roomName(room), from: revision, until: revision,
            everyRevision: false, origin: Origin(origin))
        do throws(CollectionError) {
            try await collect(question, into: ()) { _, _ in }
        } catch {
            if error.code == ErrorCode.roomChanged.rawValue { return true }
            // `historyGone` comes after the server's check of the origin; a missing room can't
            // differ from it.
            let others: [ErrorCode] = [.historyGone, .roomNotFound]
            guard others.map(\.rawValue).contains(error.code) else { throw error }
        }
        return false
    }

    // MARK: Asking

    /// Asks a question and combines all replies into one value.
    @discardableResult
    func collect<Whole: Sendable>(
        _ question: Question, into initial: Whole,
        _ add: @escaping @Sendable (inout Whole, Reply) -> Void
    ) async throws(CollectionError) -> Whole {
        try await host.ask { session, answer in
            var whole = initial
            session.ask(question) { reply in
                switch reply {
                case .done: answer(.success(whole))
                case .failed(let error): answer(.failure(CollectionError(error)))
                default: add(&whole, reply)
                }
            }
        }
    }

    /// Asks a question and delivers the replies one by one.
    private func stream<Element: Sendable>(
        _ question: Question, fullCount: Int, bytes: @escaping @Sendable (Element) -> Int,
        _ element: @escaping @Sendable (Reply) -> Element?
    ) -> EventInbox<Element> {
        let inbox = EventInbox<Element>(fullCount: fullCount) { [host] in
            host.perform { $0.resumeReading(.always) }
        }
        let isAsked = host.perform { [weak inbox] session in
            session.ask(question) { reply in
                switch reply {
                case .done: inbox?.finish()
                case .failed(let error): inbox?.finish(CollectionError(error))
                default:
                    guard let inbox, let element = element(reply) else { return }
                    if inbox.put(element, bytes: bytes(element)) { session.pauseReading(.always) }
                }
            }
        }
        if !isAsked { inbox.finish(CollectionError(.closed)) }
        return inbox
    }
}
