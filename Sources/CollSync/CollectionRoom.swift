package import SyncClient
import SyncIO
public import SyncModel
import SyncWire

/// A room that a client has entered, by ``CollectionClient/join(_:options:)``.
///
///     let room = try await client.join("groceries")
///     let commit = try await room.submit(
///         .insert("milk", ["title": "Milk"], at: .end(of: "main")),
///         .delete("eggs"))
///     for lost in commit.superseded { print("operation", lost.operation, lost.reason) }
///     print(try await room.snapshot().sections.count, "sections at revision", commit.revision)
///     room.leave()
///
/// It outlives lost connections: the client enters the room again, gets what changed meanwhile, and
/// resends unanswered transactions. Nothing is lost or applied twice. The client leaves the room
/// when nothing refers to it, its views or its streams any more.
public final class CollectionRoom: Sendable {
    /// The room's name.
    public let name: String
    /// What the server said when the client entered the room first.
    public let welcome: RoomWelcome

    let host: SessionHost
    let channel: LoopConfined<RoomChannel>
    /// Whether it was joined with presence.
    let isPresent: Bool
    private let window: SubmissionWindow
    let refusals = Monitor(Refusals())

    init(
        welcome: RoomWelcome, host: SessionHost, channel: LoopConfined<RoomChannel>,
        isPresent: Bool, window: SubmissionWindow
    ) {
        name = welcome.room
        self.welcome = welcome
        self.host = host
        self.channel = channel
        self.isPresent = isPresent
        self.window = window
    }

    deinit {
        leave()
    }

    // MARK: Reading

    /// Everything that happens in the room, in order: first ``RoomEvent/joined(_:)`` and a snapshot
    /// of the current content, then the newest ``RoomEvent/nearLimit(_:)`` of each quota since the
    /// client entered the room, then each further event, and last ``RoomEvent/ended(_:)``. Each
    /// stream has all events, for one task to read.
    ///
    /// While a stream is full (1,024 events, or 16 MiB), the client reads nothing from the server,
    /// unless an answer is awaited. So a slow reader gets fewer, larger batches. A stream that
    /// nobody reads while the program awaits answers ends with `clientLimit`. Release a stream that
    /// you no longer read.
    public var events: AsyncStream<RoomEvent> {
        let inbox = inbox(pausing: .unlessAwaited)
        return AsyncStream { try? await inbox.next() }
    }

    /// The events, for callers that take many at once.
    package func inbox(pausing pause: ReadingPause) -> EventInbox<RoomEvent> {
        let inbox = makeInbox(pausing: pause)
        let isOpen = host.perform { [channel] _ in
            channel.value.subscribe(inbox, pausing: pause)
        }
        if !isOpen {
            _ = inbox.put(.ended(CollectionError(.closed)))
            inbox.finish()
        }
        return inbox
    }

    /// The events from now on; called on the loop.
    func inbox(of channel: RoomChannel) -> EventInbox<RoomEvent> {
        let inbox = makeInbox(pausing: .always)
        channel.subscribe(inbox, pausing: .always)
        return inbox
    }

    /// The inbox keeps the room, so that a client that only listens stays in it.
    private func makeInbox(pausing pause: ReadingPause) -> EventInbox<RoomEvent> {
        EventInbox<RoomEvent>(fullCount: 1024, last: { .ended($0) }) { [self] in
            host.perform { $0.resumeReading(pause) }
        }
    }

    /// The content of the room as the client has it now. O(n) for n items.
    ///
    /// - Throws: `notHeld` if the room was joined for views only, `closed` if it was left or the
    ///   client was closed.
    public func snapshot() async throws(CollectionError) -> Snapshot {
        guard let snapshot = try await replica().snapshot else { throw CollectionError(.closed) }
        return snapshot
    }

    func replica() async throws(CollectionError) -> Replica {
        let replica: Replica = try await host.ask { [channel] _, answer in
            let membership = channel.value.membership
            guard membership?.options.isViewOnly != true else {
                return answer(.failure(CollectionError(.notHeld)))
            }
            answer(.success(membership?.replica ?? Replica()))
        }
        guard replica.revision != nil else { throw CollectionError(.closed) }
        return replica
    }

    // MARK: Changing

    /// Submits operations as one transaction, applied together or not at all, and waits until it is
    /// on the server's disk.
    ///
    /// Several tasks may submit at once; transactions are committed in the order of the calls.
    /// While too many are unanswered (the server's limit, and at most 16,384), the call waits
    /// before it sends. It also waits while the connection is lost.
    ///
    /// - Parameters:
    ///   - operations: the operations, in order. An empty list is a transaction, too.
    ///   - base: the last revision that the author of the operations had seen; without one, the
    ///     client's current revision.
    ///   - origin: the history that the base belongs to (``RoomWelcome/origin(of:)``); without one,
    ///     that of the client's content. If the room does not have that history (any more), the
    ///     transaction is refused with `roomChanged`, unless its base is 0.
    ///   - allOrNothing: whether the whole transaction is refused with `conflict` if a guard has
    ///     changed (``/SyncModel/Guard``). Otherwise only the operation with that guard is lost.
    /// - Returns: the revision that they made, and which of them lost against operations of others.
    /// - Throws: the refusal, with ``CollectionError/rejection`` and ``CollectionError/refused``:
    ///   nothing has changed then. Or why the client does not know the result, such as `closed`:
    ///   the transaction may be committed or not.
    @discardableResult
    public func submit(
        _ operations: [ListOperation], base: Revision? = nil, origin: RoomOrigin? = nil,
        allOrNothing: Bool = false
    ) async throws(CollectionError) -> Commit {
        try await submit(
            operations, base: base, origin: origin, allOrNothing: allOrNothing
        ) { _, _, _ in }
    }

    /// Submits operations as one transaction, as ``submit(_:base:origin:allOrNothing:)`` does with
    /// an array of them.
    ///
    ///     try await room.submit(.insert("milk", ["title": "Milk"], at: .end(of: "main")))
    ///
    /// - Returns: as ``submit(_:base:origin:allOrNothing:)``.
    /// - Throws: as ``submit(_:base:origin:allOrNothing:)``.
    @discardableResult
    public func submit(
        _ operation: ListOperation, _ more: ListOperation...
    ) async throws(CollectionError) -> Commit {
        try await submit([operation] + more)
    }

    /// Submits them likewise. `then` is called on the loop with the transaction's number, once it
    /// is queued.
    func submit(
        _ operations: [ListOperation], base: Revision? = nil, origin: RoomOrigin? = nil,
        allOrNothing: Bool = false,
        then: @escaping @Sendable (ClientSession, Membership, UInt64) -> Void
    ) async throws(CollectionError) -> Commit {
        let promise = Promise<Answer>()
        let (number, _) = try await enqueue(
            operations, base: base, origin: origin, number: nil, allOrNothing: allOrNothing,
            then: then
        ) { promise.fulfil($0) }
        switch await promise.value {
        case .committed(let commit): return commit
        case .rejected(let rejection):
            let refused = RefusedTransaction(
                number: number, operations: operations, base: base, origin: origin,
                isAllOrNothing: allOrNothing, rejection: rejection)
            throw CollectionError(rejection, of: refused)
        case .unknown(let error): throw CollectionError(error)
        }
    }

    /// Sends operations as one transaction without waiting for the answer, which comes as an event:
    /// ``RoomEvent/acknowledged(number:_:)`` or ``RoomEvent/rejected(number:_:)``. It waits only
    /// while too many are unanswered.
    ///
    /// - Parameters:
    ///   - operations: the operations, in order.
    ///   - base: as for ``submit(_:base:origin:allOrNothing:)``.
    ///   - origin: as for ``submit(_:base:origin:allOrNothing:)``.
    ///   - number: the transaction's number, above 0 and above all earlier ones; without one, the
    ///     next. A number that was committed already gets its first answer again, or is refused
    ///     with `forgotten`; one above 2^53 − 1 is refused with `malformed`.
    ///   - allOrNothing: as for ``submit(_:base:origin:allOrNothing:)``.
    /// - Returns: the number that its answer will have.
    /// - Throws: `inFlight` if a transaction of that number is not answered yet, `closed` after
    ///   ``CollectionClient/close()``.
    @discardableResult
    public func send(
        _ operations: [ListOperation], base: Revision? = nil, origin: RoomOrigin? = nil,
        number: UInt64? = nil, allOrNothing: Bool = false
    ) async throws(CollectionError) -> UInt64 {
        let (number, isQueued) = try await enqueue(
            operations, base: base, origin: origin, number: number, allOrNothing: allOrNothing,
            keepsRefused: true
        ) { _ in }
        guard isQueued else { throw CollectionError(.closed) }
        return number
    }

    @discardableResult
    private func enqueue(
        _ operations: [ListOperation], base: Revision?, origin: RoomOrigin?, number: UInt64?,
        allOrNothing: Bool, keepsRefused: Bool = false,
        then: @escaping @Sendable (ClientSession, Membership, UInt64) -> Void = { _, _, _ in },
        answer: @escaping @Sendable (Answer) -> Void
    ) async throws(CollectionError) -> (number: UInt64, isQueued: Bool) {
        let entered = await window.enter(number: number) {
            [host, channel, window, refusals] number in
            host.perform { session in
                guard let membership = channel.value.membership else {
                    window.leave(number)
                    return answer(.unknown(.closed))
                }
                session.submit(
                    operations, to: membership, base: base, origin: origin.map { Origin($0) },
                    counter: number, isAllOrNothing: allOrNothing
                ) { outcome in
                    window.leave(number)
                    if case .rejected(let rejection) = outcome, keepsRefused {
                        let refused = RefusedTransaction(
                            number: number, operations: operations, base: base, origin: origin,
                            isAllOrNothing: allOrNothing, rejection: rejection)
                        if refused.isTooLarge { refusals.withLock { $0.add(refused) } }
                    }
                    answer(outcome)
                }
                then(session, membership, number)
            }
        }
        guard let entered else {
            throw CollectionError(
                .refused(
                    code: CollectionError.inFlight,
                    message: "a transaction of this number is in flight: wait for its answer"))
        }
        if !entered.result {
            window.leave(entered.number)
            answer(.unknown(.closed))
        }
        return (entered.number, entered.result)
    }

    /// Leaves the room. Unanswered transactions may be committed or not; calls that wait for them
    /// throw `closed`. Leaving again does nothing.
    public func leave() {
        host.perform { [channel] session in
            if let membership = channel.value.membership { session.leave(membership) }
        }
    }
}
