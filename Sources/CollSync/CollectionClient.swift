package import SyncClient
public import SyncIO
@_exported public import SyncLayout
@_exported public import SyncModel
package import SyncWire

/// A client of a collsync server.
///
/// It keeps one connection, on a thread of its own, and connects again whenever that is lost. All
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
/// 1. A function that waits always returns or throws, also when the client is closed. A client that
///    nobody refers to any more, itself or by a room or a view of it, is closed.
/// 2. What is kept for a slow reader of events is bounded.
/// 3. Whatever a function throws is a ``CollectionError``. Besides the codes that its documentation
///    names, each may throw `closed` after ``close()``, `connectionLost` for a request that was
///    under way when the connection was lost, and the server's codes for a server in trouble, such
///    as `unavailable`.
public final class CollectionClient: Sendable {
    let host: SessionHost

    init(host: SessionHost) {
        self.host = host
    }

    /// Connects to a server on any platform, such as one of a program's own: see `SyncIO`.
    /// `CollSyncUV` has a `connect` with libuv's.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`; an IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: how large a room the client holds, in bytes. A larger one ends for it
    ///     with `clientLimit`, so that no server makes its memory grow without bound. A number
    ///     below 0 counts as 0.
    ///   - platform: runs the client's loop, until the client is closed.
    /// - Throws: why there is no connection: `badAddress`, `unreachable`, `connectionLost`,
    ///   `handshakeTimeout`, or the server's code. Once there is one, a lost connection is made
    ///   again, with growing delays, until ``close()``.
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

    /// The client's id: the author of its transactions. The server may know the client by another
    /// id in a room: ``RoomWelcome/client``.
    public var id: Identifier { host.identity.client }

    /// Makes an id for a new item or section: `i-` and thirteen random characters (64 bits), so
    /// that nobody else makes the same one.
    public func makeID() -> Identifier { CollectionClient.randomID() }

    static func randomID() -> Identifier {
        var generator = SystemRandomNumberGenerator()
        return RandomName.make(prefix: "i-", random: generator.next())
    }

    /// What the server takes.
    package var limits: WireLimits { host.welcome.limits }

    /// Ends the connection and leaves all rooms. Transactions that are not answered yet may be
    /// committed or not; whoever waits for them gets `closed`. Closing again does nothing.
    public func close() {
        host.close()
    }

    /// Ends the connection, as ``close()`` does, and blocks until nothing of it runs any more: for
    /// a program that is about to end.
    package func closeAndWait() {
        host.closeAndWait()
    }

    /// Enters a room, which the server makes if there is none, and waits for its content. With
    /// ``JoinOptions/viewOnly`` there is no content to wait for.
    ///
    /// - Parameters:
    ///   - room: the room's name: 1 to 128 bytes of UTF-8 without `/` and control characters.
    ///   - options: what the client gets of the room.
    /// - Throws: `badRoomName`, `alreadyJoined` if this client is in the room, `tooManyRooms`,
    ///   `addressLimit`, `storeCorrupt`, `notAllowed`, or `clientLimit` if the room is larger than
    ///   the client holds.
    ///
    /// # Performance
    /// The content of the whole room is sent and held, but not with ``JoinOptions/viewOnly``.
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

    /// Enters a room and listens from the first: also where nothing is held that would bring a
    /// later listener up to now.
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
