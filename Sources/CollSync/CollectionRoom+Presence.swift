import SyncClient
public import SyncModel
import SyncWire

// Who else is in the room, for who has joined with ``JoinOptions/presence``.
extension CollectionRoom {
    /// Shows the others something from now on, in place of what was shown before, and again after a lost
    /// connection.
    ///
    ///     let room = try await client.join("groceries", options: JoinOptions(presence: true))
    ///     try room.setPresence(selected: ["milk"])
    ///     for await changes in room.presence {
    ///         for case .shows(let member) in changes { print(member.client, member.selected) }
    ///     }
    ///
    /// It may be called as often as a pointer moves: of what can't be sent at once only the latest is. Items
    /// that do not live when the server takes it are left out, and those whose flags forbid it; what was
    /// submitted before is there by then.
    ///
    /// - Parameters:
    ///   - selected: the items that are selected here, 1000 at most.
    ///   - highlighted: the items that are highlighted here, 1000 at most.
    ///   - custom: whatever else is to be shown, 4096 bytes at most in the protocol's encoding.
    /// - Throws: `limitExceeded` or `badMessage` if that can't be shown, `unsupported` if the server does not
    ///   show members to each other, `notAllowed` if the room was joined without presence.
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

    /// What becomes different with the others, after who is here now: who comes, what they show, who is
    /// gone. While the connection is lost nobody is here.
    ///
    /// Each stream has all of it, but of what has not been read yet only the latest of each member, so
    /// that a slow reader costs no memory and sees what holds. It ends when the client is no longer in the
    /// room.
    public var presence: AsyncStream<[PresenceChange]> {
        let inbox = PresenceInbox()
        let isOpen = host.perform { [channel] _ in channel.value.subscribe(inbox) }
        if !isOpen { inbox.finish() }
        // Who only listens stays in the room.
        return AsyncStream { [self] in
            _ = self
            return await inbox.next()
        }
    }

    /// The others who are here now, in the order of their clients' ids.
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
