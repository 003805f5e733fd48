import SyncBytes
import SyncEngine
import SyncRoom
import SyncWire

// Requests for a room as it is or was, and for what changed.
extension ServerLoop {
    func readSnapshot(_ read: ReadSnapshot, for key: FeedKey) {
        withRoomToRead(read.room, for: key) { [self] host, room in
            let revision = read.revision ?? room.durableRevision
            guard revision <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            let feed = beginFeed(key, from: host)
            if revision == room.state.engine.revision {
                feed.add(
                    bytes(room.state.engine.encodeSnapshot(on: feed.channel), for: key),
                    isLast: true)
            } else if let snapshot = room.state.engine.snapshot(at: revision) {
                feed.add(bytes(encoder.encode(snapshot, on: feed.channel), for: key), isLast: true)
            } else {
                dig(.snapshot(revision), in: host, for: feed)
            }
        }
    }

    func readHistory(_ read: ReadHistory, for key: FeedKey) {
        withRoomToRead(read.room, for: key) { [self] host, room in
            let until = read.until ?? room.durableRevision
            guard until <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            guard read.from <= until else {
                return fail(
                    key,
                    RoomRefusal(
                        code: .badRevision,
                        text: "revision \(read.from) comes after revision \(until)"))
            }
            let feed = beginFeed(key, from: host)
            if read.everyRevision {
                return feedEachRevision(from: read.from, until: until, of: host, to: feed)
            }
            if let batch = room.state.engine.batch(from: read.from, to: until) {
                feed.add(bytes(encoder.encode(batch, on: feed.channel), for: key), isLast: true)
            } else {
                dig(.batch(from: read.from, until: until), in: host, for: feed)
            }
        }
    }

    private func withRoomToRead(
        _ name: RoomName, for key: FeedKey, _ body: @escaping (RoomHost, Room) -> Void
    ) {
        withRoom(name) { [self] opening in
            switch opening {
            case .success(let host):
                guard let room = host.room, !room.isSuspended else {
                    return fail(key, .unavailable)
                }
                body(host, room)
            case .failure(let refusal): fail(key, refusal)
            }
        }
    }

    /// Sends revision after revision, some at a time: from the room as long as it remembers them, else
    /// from the log.
    private func feedEachRevision(
        from: Revision, until: Revision, of host: RoomHost, to feed: RequestFeed
    ) {
        var next = from
        feed.more = { [self, weak feed] in
            guard let feed else { return }
            guard let room = host.room, !room.isSuspended else { return feed.fail(.unavailable) }
            if next < room.state.engine.horizon {
                return dig(.eachRevision(from: next, until: until), in: host, for: feed)
            }
            let last = min(until, next + Room.revisionsPerDelivery)
            var frames: [SharedBytes] = []
            room.state.engine.forEachBatch(from: next, to: last) { batch in
                frames += bytes(encoder.encode(batch, on: feed.channel), for: feed.key)
                next = batch.to
                return true
            }
            feed.add(frames, isLast: next == until)
        }
        feed.pump()
    }

    private func bytes(_ frames: [EncodedFrame], for key: FeedKey) -> [SharedBytes] {
        frames.map { $0.bytes(deflatedBy: key.readsDeflated ? deflater : nil) }
    }

    /// Answers a request from the log.
    private func dig(_ goal: Excavation.Goal, in host: RoomHost, for feed: RequestFeed) {
        guard historyReads < configuration.maximumHistoryReads else {
            return feed.fail(
                RoomRefusal(
                    code: .unavailable,
                    text: "the server reads the past for others now; try again in a while"))
        }
        historyReads += 1
        let excavation = Excavation(
            goal, of: host.name, for: feed.key, context: context)
        let previous = feed.whenGone
        feed.whenGone = { [self] in
            historyReads -= 1
            excavation.cancel()
            previous?()
        }
        let (post, key) = (peers[index], feed.key)
        feed.more = {
            excavation.dig { finding in
                post.post { loop in
                    guard let feed = loop.feeds[key] else { return }
                    switch finding {
                    case .success(let found): feed.add(found.frames, isLast: found.isLast)
                    case .failure(let refusal): feed.fail(refusal)
                    }
                }
            }
        }
        feed.more?()
    }
}

extension RoomRefusal {
    static func aboveRevision(_ revision: Revision) -> RoomRefusal {
        RoomRefusal(code: .badRevision, text: "the room is at revision \(revision)")
    }
}
