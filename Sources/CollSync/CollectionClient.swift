package import SyncClient
public import SyncIO
@_exported public import SyncLayout
@_exported public import SyncModel
package import SyncWire

/// A client of a collsync server.
///
/// It keeps one connection, on a thread of its own, and makes a new one whenever that is lost. All
/// its functions may be called from any task.
///
///     let client = try await CollectionClient.connect(to: "127.0.0.1:7420")
///     let room = try await client.join("groceries")
///     try await room.submit(.insert("milk", ["title": "Milk"], at: .end(of: "main")))
///     let list = CollectionList()
///     for try await change in room.changes {
///         try list.apply(change)
///         print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
///     }
///
/// 1. Its parts may be used from any task; what they share with the connection's thread goes there
///    as messages and comes back as answers and events.
/// 2. Whoever waits gets an answer: also when the client is closed, or let go of, which closes it.
/// 3. What is kept for a slow reader of events is bounded.
///
/// What a thread owns and how it is reached is `SessionHost`'s; the protocol, resuming and
/// back-off are `SyncClient`'s.
public final class CollectionClient: Sendable {
    let host: SessionHost

    init(host: SessionHost) {
        self.host = host
    }

    /// Connects to a server on any platform, such as one of a program's own: see `SyncIO`.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: how large a room the client holds.
    ///   - platform: runs the client's loop, until the client is closed.
    /// - Throws: why there is no connection.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        platform: any Platform
    ) async throws(CollectionError) -> CollectionClient {
        let parsed: SocketAddress
        do throws(IOError) {
            parsed = try SocketAddress(parsing: address)
        } catch {
            throw CollectionError(error)
        }
        var options = SessionOptions(address: parsed, agent: agent)
        options.limits.roomBytes = max(maximumRoomBytes, 0)
        return try await connect(options, platform: platform)
    }

    /// Connects on any platform, as any client.
    package static func connect(
        _ options: SessionOptions, identity: ClientIdentity? = nil, platform: any Platform
    ) async throws(CollectionError) -> CollectionClient {
        let host = try await SessionHost.connect(options, identity: identity, platform: platform)
        return CollectionClient(host: host)
    }

    /// The client's id: the author of its transactions.
    public var id: Identifier { host.identity.client }

    /// Makes an id for a new item or section, which nobody else will have made.
    public func makeID() -> Identifier { CollectionClient.randomID() }

    static func randomID() -> Identifier {
        var generator = SystemRandomNumberGenerator()
        return RandomName.make(prefix: "i-", random: generator.next())
    }

    /// What the server takes.
    package var limits: WireLimits { host.welcome.limits }

    /// Ends the connection and leaves all rooms. What is not answered yet may be taken or not.
    public func close() {
        host.close()
    }

    /// Ends the connection, as ``close()`` does, and blocks until nothing of it runs any more: for a
    /// program that is about to end.
    package func closeAndWait() {
        host.closeAndWait()
    }

    /// Enters a room, which the server makes if there is none, and waits for what is in it; not with
    /// ``JoinOptions/viewOnly``, where there is nothing to wait for.
    public func join(
        _ room: String, options: JoinOptions = JoinOptions()
    ) async throws(CollectionError) -> CollectionRoom {
        var membership = Membership.Options()
        membership.isViewOnly = options.viewOnly
        membership.presence = options.presence
        membership.authors = options.authors
        return try await join(room, membership)
    }

    /// Enters a room, perhaps without holding what is in it.
    package func join(
        _ room: String, _ options: Membership.Options
    ) async throws(CollectionError) -> CollectionRoom {
        try await enter(room, options) { room, _ in room }
    }

    /// Enters a room and listens from the first: also where nothing is held that would bring a later
    /// listener up to now.
    package func follow(
        _ room: String, _ options: Membership.Options
    ) async throws(CollectionError) -> EventInbox<RoomEvent> {
        try await enter(room, options) { room, channel in room.inbox(of: channel) }
    }

    /// - Parameter entered: called on the loop when the room is there to be used, before anything
    ///   else happens in it.
    private func enter<Entered: Sendable>(
        _ room: String, _ options: Membership.Options,
        _ entered: @escaping @Sendable (CollectionRoom, RoomChannel) -> Entered
    ) async throws(CollectionError) -> Entered {
        let name = try CollectionClient.roomName(room)
        let window = SubmissionWindow(
            limit: min(limits.unansweredTransactions, ClientLimits.unansweredTransactions))
        let host = host
        return try await host.ask { session, answer in
            let reference = ChannelReference()
            let channel = RoomChannel(
                session: session, version: host.welcome.version, window: window
            ) { result in
                guard let channel = reference.channel else { return }
                reference.channel = nil
                // What the room knows of the client by now is told.
                window.begin(after: channel.membership?.lastCounter ?? 0)
                answer(
                    result.map { welcome in
                        let room = CollectionRoom(
                            welcome: welcome, host: host, channel: LoopConfined(channel),
                            isPresent: options.presence, window: window)
                        return entered(room, channel)
                    })
            }
            reference.channel = channel
            channel.membership = session.join(name, options: options, observer: channel)
            if channel.membership == nil {
                reference.channel = nil
                answer(.failure(CollectionError(.alreadyJoined(room))))
            }
        }
    }

    static func roomName(_ text: String) throws(CollectionError) -> RoomName {
        guard let name = RoomName(text) else { throw CollectionError(.badRoomName(text)) }
        return name
    }
}

/// Keeps a channel alive until its room is joined; from then on the room does.
private final class ChannelReference {
    var channel: RoomChannel?
}
