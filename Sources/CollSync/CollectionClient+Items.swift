import SyncClient
public import SyncModel
import SyncWire

/// Reading some items of a room, without entering the room and without the rest of it.
extension CollectionClient {
    /// A page of a room's items in their order, now or at an earlier revision.
    ///
    ///     let first = try await client.items(of: "groceries", in: "dairy", limit: 20)
    ///     print(first.items.map(\.item.id), first.next == nil ? "all" : "more")
    ///
    /// All pages are of one revision if you pass the first one's ``RoomItems/revision`` and
    /// ``RoomItems/origin`` on. Each page of a revision that the room has forgotten meanwhile is
    /// made from the log, which takes the server as long as a snapshot.
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - section: a section's id; without one, the page goes over all sections.
    ///   - after: the item behind which the page begins: ``RoomItems/next`` of the page before.
    ///   - limit: the most items, from 1 to 1,000. A page of large items may have fewer.
    ///   - revision: the revision; without one, the newest.
    ///   - origin: the history that the revision belongs to; without one, the room's current
    ///     history.
    /// - Throws: the codes of ``snapshot(of:at:origin:)``, `badContent` if the room does not have
    ///   the section or the item `after` at that revision, or `unsupported` if the server can't
    ///   read items by themselves.
    ///
    /// # Performance
    /// O(log n) for a room of n items, and O(1) for each item of the page.
    public func items(
        of room: String, in section: Identifier? = nil, after: Identifier? = nil, limit: Int = 100,
        at revision: Revision? = nil, origin: RoomOrigin? = nil
    ) async throws(CollectionError) -> RoomItems {
        let query = ItemQuery(.page(in: section, after: after), limit: limit)
        return try await answer(query, of: room, at: revision, origin)
    }

    /// The items that contain a text, in the room's order, now or at an earlier revision.
    ///
    ///     let found = try await client.items(of: "groceries", containing: "milk")
    ///     for place in found.items.map(\.path) { print(place.section, place.item) }
    ///
    /// An item contains a text if one of its fields is a text with the same bytes somewhere in it.
    /// A to Z equal a to z; all other letters must be the same. Texts in lists and objects are not
    /// searched.
    ///
    /// The server looks at some ten thousand items for one answer. So an answer may have few items,
    /// or none, and still a ``RoomItems/next``: ask again from there on.
    ///
    /// - Parameters:
    ///   - room: its name.
    ///   - text: what to search for, from 1 to 256 bytes of UTF-8.
    ///   - section: a section's id; without one, all sections are searched.
    ///   - after: the item behind which the search begins: ``RoomItems/next`` of the answer before.
    ///   - limit: the most items, from 1 to 1,000.
    ///   - revision: the revision; without one, the newest.
    ///   - origin: the history that the revision belongs to; without one, the room's current
    ///     history.
    /// - Throws: as ``items(of:in:after:limit:at:origin:)``.
    public func items(
        of room: String, containing text: String, in section: Identifier? = nil,
        after: Identifier? = nil, limit: Int = 100, at revision: Revision? = nil,
        origin: RoomOrigin? = nil
    ) async throws(CollectionError) -> RoomItems {
        guard let text = SearchText(text) else {
            throw CollectionError.refused(
                .badContent, "a text to search for has 1 to \(SearchText.mostBytes) bytes")
        }
        let query = ItemQuery(.search(text, in: section, after: after), limit: limit)
        return try await answer(query, of: room, at: revision, origin)
    }

    /// Single items of a room with their places, now or at an earlier revision.
    ///
    ///     let milk = try await client.items(["milk", "eggs"], of: "groceries")
    ///     print(milk.items.first?.item["title"]?.asText ?? "no milk")
    ///
    /// - Parameters:
    ///   - ids: their ids, as many as you like.
    ///   - room: the room's name.
    ///   - revision: the revision; without one, the newest.
    ///   - origin: the history that the revision belongs to; without one, the room's current
    ///     history.
    /// - Returns: those that the room has, in the order of `ids`, all of one revision.
    /// - Throws: the codes of ``snapshot(of:at:origin:)``, or `unsupported` if the server can't
    ///   read items by themselves.
    public func items(
        _ ids: [Identifier], of room: String, at revision: Revision? = nil,
        origin: RoomOrigin? = nil
    ) async throws(CollectionError) -> RoomItems {
        var rest = ids[...]
        var (revision, origin) = (revision, origin)
        var items: [RoomItems.Found] = []
        var bytes = 0
        while true {
            let asked = rest.prefix(ItemQuery.mostItems)
            let query = ItemQuery(.these(Array(asked)), limit: ItemQuery.mostItems)
            let answer = try await answer(query, of: room, at: revision, origin)
            bytes += answer.items.reduce(0) { $0 + MemoryBytes.of($1.item) }
            guard bytes <= host.limits.roomBytes else {
                throw CollectionError(.exceeded(.roomBytes, host.limits.roomBytes))
            }
            items += answer.items
            let last = answer.next.flatMap { asked.firstIndex(of: $0) }
            rest = rest[(last.map { $0 + 1 } ?? asked.endIndex)...]
            if rest.isEmpty {
                return RoomItems(revision: answer.revision, origin: answer.origin, items: items)
            }
            (revision, origin) = (answer.revision, answer.origin)
        }
    }

    private func answer(
        _ query: ItemQuery, of room: String, at revision: Revision?, _ origin: RoomOrigin?
    ) async throws(CollectionError) -> RoomItems {
        let question = Question.items(
            try CollectionClient.roomName(room), query, revision: revision,
            origin: origin.map { Origin($0) })
        let answer: Items? = try await collect(question, into: nil) { whole, reply in
            if case .items(let items) = reply { whole = items }
        }
        guard let items = answer.flatMap({ RoomItems($0) }) else {
            throw CollectionError(.broken(.badMessage, "a request is done without its answer"))
        }
        return items
    }
}
