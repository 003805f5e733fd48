package import SyncClient
package import SyncIO
@_exported public import SyncLayout
@_exported public import SyncModel
package import SyncWire

/// A client of a collsync server.
///
/// It keeps one connection, on a thread of its own, and reconnects whenever it is lost. All its
/// functions may be called from any task.
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
/// 1. A function that waits always returns or throws, also when the client is closed. A client is
///    closed when nothing refers to it, its rooms or its views any more.
/// 2. The memory for events that a slow reader has not read yet is bounded.
/// 3. Every error is a ``CollectionError``. Besides the codes in its documentation, each function
///    may throw `closed` after ``close()``, `connectionLost` if the connection was lost during a
///    request, and the codes of a server in trouble, such as `unavailable`.
public final class CollectionClient: Sendable {
    let host: SessionHost

    init(host: SessionHost) {
        self.host = host
    }

    /// Connects with any platform, under a given identity.
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

    /// The limits that the server announced.
    package var limits: WireLimits { host.welcome.limits }

    /// Ends the connection and leaves all rooms. Unanswered transactions may be committed or not;
    /// calls that wait for them throw `closed`. Closing again does nothing.
    public func close() {
        host.close()
    }

    /// Ends the connection, as ``close()`` does, and blocks until its thread has ended: for a
    /// program that is about to exit.
    package func closeAndWait() {
        host.closeAndWait()
    }

    /// Enters a room, which the server creates if it does not exist, and waits for its content.
    /// With ``JoinOptions/viewOnly`` there is no content to wait for.
    ///
    /// - Parameters:
    ///   - room: the room's name: 1 to 128 bytes of UTF-8 without `/` and control characters.
    ///   - options: what the client gets of the room.
    /// - Throws: `badRoomName`, `alreadyJoined` if this client is in the room, `tooManyRooms`,
    ///   `limitExceeded` if the room has as many members as it may have, `addressLimit` or
    ///   `userLimit`, `storeCorrupt`, `notAllowed`, or `clientLimit` if the room is larger than the
    ///   client accepts.
    ///
    /// # Performance
    /// The whole content is sent and kept in memory, except with ``JoinOptions/viewOnly``.
    public func join(
        _ room: String, options: JoinOptions = JoinOptions()
    ) async throws(CollectionError) -> CollectionRoom {
        var membership = Membership.Options()
        membership.isViewOnly = options.viewOnly
        membership.presence = options.presence
        membership.authors = options.authors
        return try await join(room, membership)
    }

    /// Enters a room, with options that may leave out its content.
    package func join(
        _ room: String, _ options: Membership.Options
    ) async throws(CollectionError) -> CollectionRoom {
        try await enter(room, options) { room, _ in room }
    }

    /// Enters a room and listens from its first event on. A later listener starts with the client's
    /// content, but these options may leave that out.
    package func follow(
        _ room: String, _ options: Membership.Options
    ) async throws(CollectionError) -> EventInbox<RoomEvent> {
        try await enter(room, options) { room, channel in room.inbox(of: channel) }
    }

    /// - Parameter entered: called on the loop when the room can be used, before its next event.
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
            let channel = RoomChannel(session: session, version: host.welcome.version) { result in
                guard let channel = reference.channel else { return }
                reference.channel = nil
                // By now the server has said which numbers the client has used before.
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

/// Keeps a channel alive until its room is joined; from then on the room keeps it.
private final class ChannelReference {
    var channel: RoomChannel?
}
