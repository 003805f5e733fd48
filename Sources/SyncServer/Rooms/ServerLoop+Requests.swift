import SyncEngine
import SyncRoom
import SyncStore
import SyncWire

// Requests about rooms as wholes.
extension ServerLoop {
    func deleteRoom(_ name: RoomName, for key: FeedKey) {
        let answer: (RoomRefusal?) -> Void = { [self] refusal in
            if let refusal {
                fail(key, refusal)
            } else {
                finish(key, with: .done(Done(request: key.request)))
            }
        }
        if let host = hosts[name] { return host.delete(then: answer) }
        guard let host = makeHost(name) else { return answer(.unavailable) }
        host.whenDeleted.append(answer)
        host.beginDeleting()
    }

    // MARK: Figures

    func readStats(_ key: FeedKey, of name: RoomName) {
        withRoom(name) { [self] opening in
            guard case .success(let host) = opening, let room = host.room else {
                if case .failure(let refusal) = opening { fail(key, refusal) }
                return
            }
            let engine = room.state.engine
            var figures = Stats.Figures()
            figures.revision = room.durableRevision
            figures.horizon = engine.horizon
            figures.snapshotRevision = host.snapshotRevision
            figures.sections = UInt64(engine.sectionCount)
            figures.items = UInt64(engine.itemCount)
            figures.deadNodes = UInt64(engine.deadNodeCount)
            figures.members = UInt64(room.memberCount)
            figures.memoryBytes = UInt64(host.imageBytes + host.tailBytes)
            let stats = Stats(request: key.request, room: name, figures: figures)
            let post = peers[index]
            let store = context.store
            store.rooms { result in
                let summary = (try? result.get())?.first { $0.name == name.text }
                Self.findOldestRevision(of: name, in: store) { oldest in
                    var stats = stats
                    stats.figures.storedBytes =
                        (summary?.logBytes ?? 0) + (summary?.snapshotBytes ?? 0)
                    stats.figures.oldestRevision = oldest
                    let answer = stats
                    post.post { $0.finish(key, with: .stats(answer)) }
                }
            }
        }
    }

    /// Finds from which revision on a room's past can be read.
    private static func findOldestRevision(
        of name: RoomName, in store: any Store, _ completion: @escaping @Sendable (Revision) -> Void
    ) {
        store.readSnapshot(room: name.text, atOrBelowRevision: 0) { result in
            guard case .failure(.compacted(_, let firstSequence)) = result, firstSequence > 0 else {
                return completion(0)
            }
            store.readLog(room: name.text, after: firstSequence - 1, limitBytes: 0) { result in
                let first = (try? result.get())?.records.first
                completion(first.map { $0.firstRevision - 1 } ?? 0)
            }
        }
    }
}

// MARK: - The list of rooms

extension Session {
    func listRooms(_ list: ListRooms) {
        guard begin(list.request, on: loop.index) else { return }
        let key = feedKey(list.request)
        let post = loop.peers[loop.index]
        loop.context.store.rooms { result in
            post.post { loop in
                switch result {
                case .success(let stored):
                    let known = stored.compactMap { summary -> (RoomName, RoomList.Entry)? in
                        guard let name = RoomName(summary.name) else { return nil }
                        return (
                            name, RoomList.Entry(name: name, revision: summary.revision, members: 0)
                        )
                    }
                    let byName = Dictionary(known) { $1 }
                    loop.on(0) { $0.addOpenRooms(to: byName, for: key) }
                case .failure(let error): loop.fail(key, RoomRefusal(error))
                }
            }
        }
    }
}

extension ServerLoop {
    /// How many rooms one message lists: names have up to 128 bytes.
    private static let roomsPerMessage = 1000

    /// Adds what the rooms of this loop say of themselves, and has the next loop go on.
    fileprivate func addOpenRooms(to known: [RoomName: RoomList.Entry], for key: FeedKey) {
        var known = known
        for host in hosts.all {
            guard let room = host.room, host.phase == .open else { continue }
            known[host.name] = RoomList.Entry(
                name: host.name, revision: room.durableRevision,
                members: UInt32(clamping: room.memberCount))
        }
        let list = known
        if index + 1 < peers.count {
            return on(index + 1) { $0.addOpenRooms(to: list, for: key) }
        }
        let entries = list.values.sorted { $0.name < $1.name }
        on(key.session.loopIndex) { $0.send(entries, for: key) }
    }

    private func send(_ entries: [RoomList.Entry], for key: FeedKey) {
        guard let session = sessions[key.session] else { return }
        var rest = entries[...]
        repeat {
            let part = rest.prefix(ServerLoop.roomsPerMessage)
            rest = rest.dropFirst(part.count)
            let message = ServerMessage.roomList(
                RoomList(request: key.request, rooms: Array(part), hasMore: !rest.isEmpty))
            if rest.isEmpty {
                session.finish(key.request, with: message)
            } else {
                session.say(message)
            }
        } while !rest.isEmpty
    }
}
