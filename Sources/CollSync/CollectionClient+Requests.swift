import SyncClient
public import SyncModel
package import SyncWire

extension CollectionClient {
    /// The rooms that there are.
    public func rooms() async throws(CollectionError) -> [RoomSummary] {
        try await collect(.rooms, into: []) { rooms, reply in
            if case .rooms(let more) = reply { rooms += more.map { RoomSummary($0) } }
        }
    }

    /// A room in figures.
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

    /// Deletes a room with all that is in it and all its history, also under the clients that are
    /// in it.
    public func deleteRoom(_ room: String) async throws(CollectionError) {
        let name = try CollectionClient.roomName(room)
        try await collect(.delete(name), into: ()) { _, _ in }
    }

    /// A room as it is, or as it was at a revision, without entering it.
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - revision: without one the newest.
    ///   - origin: what the revision is of; without one, of what the room is now.
    /// - Throws: `roomChanged` if the room is not of that origin, or not any more.
    public func snapshot(
        of room: String, at revision: Revision? = nil, origin: RoomOrigin? = nil
    ) async throws(CollectionError) -> Snapshot {
        let parts = try snapshotParts(of: room, at: revision, origin: origin)
        var assembler = SnapshotAssembler()
        var snapshot: Snapshot?
        var bytes = 0
        while let part = try await parts.next() {
            bytes += HeldBytes.of(part)
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

    /// What changed in a room between two revisions: as one batch, or each revision by itself.
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - from: the revision before the first change.
    ///   - until: the last revision; without one the newest.
    ///   - everyRevision: whether each revision is to come as a batch of its own.
    ///   - origin: what the revisions are of; without one, of what the room is now.
    /// - Returns: the batches, in order. The stream should be read to its end or let go of. It fails with
    ///   `roomChanged` if the room is not of that origin, or becomes another before the end: all batches are of
    ///   one history.
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

    /// The batches of a history, for who wants to take many at once.
    package func historyInbox(
        of room: String, from: Revision, until: Revision?, everyRevision: Bool,
        origin: Origin? = nil
    ) throws(CollectionError) -> EventInbox<Batch> {
        let question = Question.history(
            try CollectionClient.roomName(room), from: from, until: until,
            everyRevision: everyRevision, origin: origin)
        return stream(question, fullCount: 256, bytes: { HeldBytes.of($0) }) { reply in
            if case .batch(let batch) = reply { batch } else { nil }
        }
    }

    /// The parts of a snapshot, one after the other, so that a room of any size needs memory for
    /// few.
    package func snapshotParts(
        of room: String, at revision: Revision?, origin: RoomOrigin? = nil
    ) throws(CollectionError) -> EventInbox<SnapshotPart> {
        let name = try CollectionClient.roomName(room)
        let question = Question.snapshot(
            name, revision: revision, origin: origin.map { Origin($0) })
        return stream(question, fullCount: 16, bytes: { HeldBytes.of($0) }) { reply in
            if case .part(let part) = reply { part } else { nil }
        }
    }

    /// Whether a room has nothing to do with a revision of an origin: it is another one, or has lost that.
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
            // Then the origin was looked at, or there is nothing that it could be of.
            let others: [ErrorCode] = [.historyGone, .roomNotFound]
            guard others.map(\.rawValue).contains(error.code) else { throw error }
        }
        return false
    }

    // MARK: Asking

    /// Asks and puts together all that is answered.
    @discardableResult
    private func collect<Whole: Sendable>(
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

    /// Asks and gives the answers one by one.
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
