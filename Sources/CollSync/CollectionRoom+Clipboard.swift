import SyncClient
public import SyncModel
import SyncWire

/// The result of a paste.
public struct Pasted: Sendable, Equatable {
    /// The ids of the pasted items, in order: new ones for copies, their own for items that were
    /// moved.
    public let ids: [Identifier]
    /// The revision of the room at which all of them are there.
    public let revision: Revision
    /// Why cut items are still in their old room, too; `nil` if they are not.
    public let leftBehind: CollectionError?

    /// Makes the result of a paste.
    public init(ids: [Identifier], revision: Revision, leftBehind: CollectionError? = nil) {
        self.ids = ids
        self.revision = revision
        self.leftBehind = leftBehind
    }
}

// Cut, copy and paste, within a room and between rooms.
extension CollectionRoom {
    /// Copies items as the client has them now. In a room that was joined for views only, it has
    /// the items on the screens of its views.
    ///
    ///     var clipboard = try await room.cut(["milk", "eggs"])
    ///     try await room.paste(&clipboard, to: .end(of: "done"))
    ///
    /// - Parameter ids: the ids of the items, in any order.
    /// - Returns: the items, in the room's order, each once.
    /// - Throws: `unknownItem` if the client does not have one of them.
    ///
    /// # Performance
    /// O(n) for the n items that the client has.
    public func copy(_ ids: [Identifier]) async throws(CollectionError) -> Clipboard {
        try await clip(ids)
    }

    /// Copies items for a paste that moves them. Until then they stay where they are.
    ///
    /// - Throws: as ``copy(_:)``; `notAllowed` if an item may neither be moved nor deleted.
    public func cut(_ ids: [Identifier]) async throws(CollectionError) -> Clipboard {
        var clipboard = try await clip(ids)
        if let fixed = clipboard.items.first(where: {
            $0.content.flags.isDisjoint(with: [.movable, .deletable])
        }) {
            throw CollectionError.refused(
                .notAllowed, "item '\(fixed.id)' may neither be moved nor deleted")
        }
        clipboard.isCut = true
        return clipboard
    }

    private func clip(_ ids: [Identifier]) async throws(CollectionError) -> Clipboard {
        let local = try await localContent()
        var missing = Set(ids)
        var found: [Item] = []
        var revision = local.revision
        if let shown = local.shown {
            let clipped = shown.filter { missing.remove($0.item.id) != nil }
            found = clipped.map(\.item)
            // A guard must ask what has changed since the oldest of them was shown.
            revision =
                clipped.allSatisfy { $0.revision != nil }
                ? clipped.compactMap(\.revision).min() : nil
        } else {
            local.replica.forEachItem { if missing.remove($0.id) != nil { found.append($0) } }
        }
        if let id = ids.first(where: missing.contains) {
            throw CollectionError(
                .refused(
                    code: Rejection.Code.unknownItem.name, message: "item '\(id)' is not in \(name)"
                ))
        }
        return Clipboard(
            room: name, items: found, revision: revision,
            origin: local.origin.map { RoomOrigin($0) })
    }

    /// The client's copy of the room.
    private struct LocalContent: Sendable {
        var replica: Replica
        /// What the views show, in the room's order; `nil` if the client has the whole room.
        var shown: [ShownItem]?
        var revision: Revision?
        var origin: Origin?
    }

    private func localContent() async throws(CollectionError) -> LocalContent {
        let local: LocalContent = try await host.ask { [channel] _, answer in
            guard let membership = channel.value.membership else {
                return answer(.failure(CollectionError(.closed)))
            }
            let shown = membership.options.isViewOnly ? membership.shownItems : nil
            answer(
                .success(
                    LocalContent(
                        replica: membership.replica, shown: shown, revision: membership.revision,
                        origin: membership.origin)))
        }
        guard local.shown != nil || local.replica.revision != nil else {
            throw CollectionError(.closed)
        }
        return local
    }

    /// Puts the items of a clipboard at a place, one after the other, and waits until they are on
    /// the server's disk.
    ///
    /// - Copies have new ids and the same content.
    /// - Items that were cut in this room are moved. Those that were deleted since, also if others
    ///   were made under their ids, come back as copies.
    /// - Items are only copied, and nothing is moved or deleted, if their old room was deleted and
    ///   created anew, or has lost the clipboard's revision: the same id may name another item
    ///   there. ``Pasted/leftBehind`` is `roomChanged` then.
    /// - Items that were cut in another room are copied here, and deleted there once the copies are
    ///   on disk. Whatever happens in between, the items are in at least one of the rooms. For the
    ///   deletion the client enters that room, if it still exists, and leaves it again.
    /// - An item whose content has changed there since it was cut is not deleted: the copy is what
    ///   was cut, and the item stays as it is now. ``Pasted/leftBehind`` is `changed` then, and so
    ///   it is for a clipboard without a revision, from which all is copied.
    ///
    /// A paste is one transaction, committed or refused as a whole. A clipboard that exceeds the
    /// server's limits for a transaction is refused with `limitExceeded`. More transactions follow
    /// only if others delete cut items meanwhile. If the server reports again and again that
    /// pasted items are lost, which no server does that follows the merge rules, the paste ends
    /// with `badMessage` after a few of them.
    ///
    /// - Parameters:
    ///   - clipboard: what to paste. Once that is done, ``/SyncModel/Clipboard/isCut`` is `false`.
    ///   - place: where the first item goes.
    ///   - source: the room that the items were cut from, if this client is in it: a client can't
    ///     enter a room twice.
    /// - Throws: why nothing was pasted: the refusal, as ``CollectionError/rejection``;
    ///   `notAllowed` if an item that was cut in another room may not be deleted there; or why the
    ///   result is unknown; or `badMessage`, with a part of the items pasted.
    @discardableResult
    public func paste(
        _ clipboard: inout Clipboard, to place: Placement, from source: CollectionRoom? = nil
    ) async throws(CollectionError) -> Pasted {
        try await paste(&clipboard, to: place, from: source) {}
    }

    /// - Parameter willSubmit: called before each transaction that is sent to this room.
    package func paste(
        _ clipboard: inout Clipboard, to place: Placement, from source: CollectionRoom? = nil,
        willSubmit: () -> Void
    ) async throws(CollectionError) -> Pasted {
        // Nobody knows whether what has the ids now is what was cut.
        let isUnjudged = clipboard.isCut && isThis(clipboard.room) && clipboard.revision == nil
        let isCurrent = try await isCurrent(clipboard)
        let source = isCurrent ? try await sourceRoom(of: clipboard, source) : nil
        let living = isCurrent && !isUnjudged ? try await living(of: clipboard) : []
        var cutAt: Revision?
        if let revision = clipboard.revision, !living.isEmpty { cutAt = try await known(revision) }
        var plan = PastePlan(
            clipboard.items, moving: living, cutAt: cutAt,
            makeID: CollectionClient.randomID)
        while true {
            willSubmit()
            guard let commit = try await attempt(&plan, at: place) else { continue }
            clipboard.isCut = false
            if try plan.note(commit) { continue }
            var leftBehind = isCurrent ? nil : CollectionError.changedSource(clipboard.room)
            if let source {
                leftBehind = await source.remove(clipboard.items, cutAt: clipboard.revision)
            } else if isCurrent, isUnjudged {
                leftBehind = .changed(plan.ids.count, in: name)
            } else if plan.leftBehindCount > 0 {
                leftBehind = .changed(plan.leftBehindCount, in: name)
            }
            return Pasted(ids: plan.ids, revision: commit.revision, leftBehind: leftBehind)
        }
    }

    /// Whether cut items may be moved or deleted in their old room: it still has the history that
    /// the clipboard shows, so their ids name the same items.
    private func isCurrent(_ clipboard: Clipboard) async throws(CollectionError) -> Bool {
        guard clipboard.isCut, let origin = clipboard.origin else { return true }
        return try await !CollectionClient(host: host).lacks(
            clipboard.revision ?? 0, of: origin, in: clipboard.room)
    }

    /// - Returns: `nil` if it was refused and another attempt may succeed.
    private func attempt(
        _ plan: inout PastePlan, at place: Placement
    ) async throws(CollectionError) -> Commit? {
        do throws(CollectionError) {
            return try await submit(plan.operations(to: place))
        } catch {
            guard plan.note(error.rejection) else { throw error }
            return nil
        }
    }

    /// The items of a clipboard that are to be moved: they were cut in this room and, as far as the
    /// client knows, are still in it.
    private func living(
        of clipboard: Clipboard
    ) async throws(CollectionError) -> Set<Identifier> {
        guard clipboard.isCut, isThis(clipboard.room) else { return [] }
        let ids = Set(clipboard.items.map(\.id))
        let local = try await localContent()
        if local.shown != nil { return ids }
        var living: Set<Identifier> = []
        local.replica.forEachItem { if ids.contains($0.id) { living.insert($0.id) } }
        return living
    }

    /// Whether a name is this room's. Two spellings are two rooms.
    private func isThis(_ room: String) -> Bool { room.utf8.elementsEqual(name.utf8) }

    /// The other room in which the cut items are to be deleted, if there is one.
    private func sourceRoom(
        of clipboard: Clipboard, _ given: CollectionRoom?
    ) async throws(CollectionError) -> CollectionRoom? {
        guard clipboard.isCut, !isThis(clipboard.room) else { return nil }
        if let fixed = clipboard.items.first(where: { !$0.content.flags.contains(.deletable) }) {
            throw CollectionError.refused(
                .notAllowed, "item '\(fixed.id)' may not be deleted in \(clipboard.room)")
        }
        if let given {
            guard given.isThis(clipboard.room) else {
                throw CollectionError.refused(
                    .unknownRoom, "the items were cut in \(clipboard.room), not in \(given.name)")
            }
            return given
        }
        let client = CollectionClient(host: host)
        do throws(CollectionError) {
            // A join creates a room that does not exist.
            _ = try await client.stats(of: clipboard.room)
        } catch {
            if error.code == ErrorCode.roomNotFound.rawValue { return nil }
            throw error
        }
        return try await client.join(clipboard.room, options: JoinOptions(viewOnly: true))
    }

    /// A revision since which a guard can ask: no later one than the client's own, the base of what
    /// it submits. The clipboard may come from a client that is ahead.
    private func known(_ revision: Revision) async throws(CollectionError) -> Revision {
        min(revision, try await localContent().revision ?? 0)
    }

    /// Deletes items that were pasted elsewhere, unless their content has changed since they were
    /// cut, or they were made anew.
    ///
    /// - Parameter revision: `nil` if nobody knows when. Then they stay.
    /// - Returns: why some of them are still here; `nil` if none is.
    private func remove(_ items: [Item], cutAt revision: Revision?) async -> CollectionError? {
        guard let revision else { return .changed(items.count, in: name) }
        do throws(CollectionError) {
            let since = try await known(revision)
            let deletes = items.map { item in
                ListOperation.delete(item.id).ifUnchanged(since: since, content: true)
            }
            let count = try await submit(deletes).superseded.count(where: \.leavesBehind)
            return count == 0 ? nil : .changed(count, in: name)
        } catch {
            return error
        }
    }
}

extension CollectionError {
    /// Items have changed since they were cut, so they were pasted as copies of what they were.
    fileprivate static func changed(_ count: Int, in room: String) -> CollectionError {
        CollectionError(
            .refused(
                code: Superseded.Reason.changed.name,
                message: "\(count) of the items may have changed in '\(room)' after they were cut:"
                    + " they stay there, and what was pasted is what was cut"))
    }

    /// The room in which items were cut was replaced, or has lost the clipboard's revision.
    fileprivate static func changedSource(_ room: String) -> CollectionError {
        .refused(
            .roomChanged,
            "'\(room)' is not the room that the items were cut in any more, or has lost changes since;"
                + " they are copied, and nothing is deleted there")
    }
}
