import SyncClient
public import SyncModel
import SyncWire

// The other members of the room, for clients that joined with ``JoinOptions/presence``.
extension CollectionRoom {
    /// Shows the other members what is selected and highlighted here. It replaces what was shown
    /// before, and is sent again after a lost connection. The call does not wait for the server.
    ///
    ///     let room = try await client.join("groceries", options: JoinOptions(presence: true))
    ///     try room.setPresence(selected: ["milk"])
    ///     for await changes in room.presence {
    ///         for case .shows(let member) in changes { print(member.client, member.selected) }
    ///     }
    ///
    /// You may call it for each move of a pointer: while something else is being sent, only the
    /// latest call is pending. The server leaves out items that are not in the room, and items
    /// whose flags forbid it. Earlier transactions are sent first, so their items are in the room
    /// by then.
    ///
    /// - Parameters:
    ///   - selected: the ids of the items that are selected here, at most 1,000.
    ///   - highlighted: the ids of the items that are highlighted here, at most 1,000.
    ///   - custom: anything else to show, at most 4,096 bytes in the protocol's encoding.
    /// - Throws: `notAllowed` if the room was joined without ``JoinOptions/presence``,
    ///   `unsupported` if the server has no presence, `badMessage` if `custom` can't be a value,
    ///   `limitExceeded` if it is too much.
    public func setPresence(
        selected: [Identifier] = [], highlighted: [Identifier] = [], custom: Value? = nil
    ) throws(CollectionError) {
        guard isPresent else {
            throw CollectionError.refused(.notAllowed, "the room was joined without presence")
        }
        guard host.welcome.features.contains(.presence) else {
            throw CollectionError.refused(
                .unsupported, "the server does not show members to each other")
        }
        var state = PresenceState(selected: selected, highlighted: highlighted)
        do throws(ModelError) {
            state.custom = try custom.map { value throws(ModelError) in try EncodedValue(value) }
        } catch {
            throw CollectionError.refused(.badMessage, "that can't be a value: \(error)")
        }
        if let excess = state.excess(frameBytes: host.welcome.limits.clientFrameBytes) {
            throw CollectionError.refused(.limitExceeded, excess)
        }
        let shown = state
        host.perform { [channel] session in
            if let membership = channel.value.membership {
                session.setPresence(shown, of: membership)
            }
        }
    }

    /// The other members, and then their changes: who joins, what they show, who leaves. Only
    /// members that joined with ``JoinOptions/presence`` are among them. While the connection is
    /// lost, there are none.
    ///
    /// Each stream has all members, for one task to read. It buffers only the latest unread change
    /// of each member, so that a slow reader needs no more memory. It ends when the client is no
    /// longer in the room. In a room that was joined without presence nothing comes.
    public var presence: AsyncStream<[PresenceChange]> {
        let inbox = PresenceInbox()
        let isOpen = host.perform { [channel] _ in channel.value.subscribe(inbox) }
        if !isOpen { inbox.finish() }
        // The stream keeps the room, so a client that only listens stays in it.
        return AsyncStream { [self] in
            _ = self
            return await inbox.next()
        }
    }

    /// The other members that are in the room now, sorted by their clients' ids; none if the room
    /// was joined without presence.
    ///
    /// - Throws: `closed` if the client was closed or has left the room.
    public func others() async throws(CollectionError) -> [MemberPresence] {
        try await host.ask { [channel] _, answer in
            guard let membership = channel.value.membership else {
                return answer(.failure(CollectionError(.closed)))
            }
            let others = membership.others.map { MemberPresence($0, $1) }
            answer(.success(others.sorted { $0.client < $1.client }))
        }
    }
}
