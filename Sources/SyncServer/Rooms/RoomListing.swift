import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// Lists the server's rooms, for all who ask at the same time at once.
///
/// It lives on the first loop. One list is made at a time, by the store's reader and a worker; the
/// loops only say what they have open. Who asks while one is being made gets the next.
final class RoomListing {
    private unowned let loop: ServerLoop
    private var waiting: [FeedKey] = []
    private var isUnderWay = false
    /// The list that is being made.
    private var answer: SharedSpan?

    /// Between two lists there is so much time at least.
    private static let pauseMilliseconds: UInt64 = 50

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    func ask(_ key: FeedKey) {
        waiting.append(key)
        if !isUnderWay { begin() }
    }

    private func begin() {
        isUnderWay = true
        let keys = waiting
        waiting = []
        let post = loop.peers[loop.index]
        loop.context.store.rooms { result in
            let bytes = (try? result.get())?.reduce(0) {
                $0 + $1.name.utf8.count + RoomListing.bytesOfEntry
            }
            post.post { loop in
                let listing = loop.reads.listing
                switch result {
                case .success(let stored): listing.make(from: stored, bytes ?? 0, for: keys)
                case .failure(let error):
                    for key in keys { loop.fail(key, RoomRefusal(error)) }
                    listing.end()
                }
            }
        }
    }

    /// Has a list made, if there is memory for it.
    ///
    /// - Parameter bytes: what that takes of what is stored, with all that is made on the way.
    private func make(from stored: [StoredRoomSummary], _ bytes: Int, for keys: [FeedKey]) {
        let shared = SharedSpan(Span(from: Span.Start(), to: 0), for: keys[0], on: loop)
        for key in keys { RequestFeed(key, of: shared, on: loop).begin() }
        let openBytes = loop.context.pots.rooms.held * RoomListing.mostBytesOfEntry
        guard shared.reserve(bytes + openBytes) else {
            shared.fail(.tooManyAnswers)
            return end()
        }
        answer = shared
        loop.addOpenRooms(to: [], stored)
    }

    fileprivate func finish(_ frames: [EncodedFrame]) {
        defer { end() }
        guard let shared = answer.take(), shared.isWanted else { return }
        let bytes = frames.reduce(0) { $0 + $1.byteCount(in: shared.encodings) }
        guard shared.reserve(bytes) else { return shared.fail(.tooManyAnswers) }
        shared.add(frames, isLast: true)
    }

    /// What a room takes beside its name while a list is made, plain and deflated, about.
    private static let bytesOfEntry = 256
    private static let mostBytesOfEntry = bytesOfEntry + 128

    private func end() {
        loop.schedule(afterMilliseconds: RoomListing.pauseMilliseconds) { [weak self] in
            guard let self else { return }
            isUnderWay = false
            if !waiting.isEmpty { begin() }
        }
    }
}

extension Session {
    func listRooms(_ list: ListRooms) {
        guard begin(list.request, on: 0) else { return }
        let key = feedKey(list.request)
        loop.on(0) { $0.reads.listing.ask(key) }
    }
}

extension ServerLoop {
    /// A piece of work asks so many rooms.
    private static let listedPerPiece = 16

    /// Adds what the rooms of this loop say of themselves, some at once, and has the next loop go
    /// on.
    fileprivate func addOpenRooms(to open: [RoomList.Entry], _ stored: [StoredRoomSummary]) {
        var open = open
        // One that goes meanwhile says so; one that comes is stored, or new.
        let all = hosts.all
        var next = all.startIndex
        inPieces { [self] in
            var left = ServerLoop.listedPerPiece
            while left > 0, next < all.endIndex {
                if let entry = RoomList.Entry(of: all[next]) { open.append(entry) }
                all.formIndex(after: &next)
                left -= 1
            }
            if next < all.endIndex { return true }
            didAddOpenRooms(to: open, stored)
            return false
        }
    }

    private func didAddOpenRooms(to known: [RoomList.Entry], _ stored: [StoredRoomSummary]) {
        if index + 1 < peers.count {
            return on(index + 1) { $0.addOpenRooms(to: known, stored) }
        }
        let (first, context) = (peers[0], context)
        context.jobs.add(.work, for: .server) {
            // Made here, and from then on the first loop's.
            nonisolated(unsafe) let frames = RoomListing.encode(
                known, stored, partBytes: context.configuration.wire.partBytes)
            first.post { $0.reads.listing.finish(frames) }
        }
    }
}

extension RoomList.Entry {
    /// What a room says of itself; `nil` if it is not there.
    fileprivate init?(of host: RoomHost) {
        let room = host.room
        guard room.place.goesOn else { return nil }
        self.init(
            name: host.name, revision: room.durableRevision,
            members: UInt32(clamping: room.memberCount))
    }
}

extension RoomListing {
    /// What the store has and what is open, which knows better, by name.
    fileprivate static func encode(
        _ open: [RoomList.Entry], _ stored: [StoredRoomSummary], partBytes: Int
    ) -> [EncodedFrame] {
        var byName: [RoomName: RoomList.Entry] = [:]
        for summary in stored {
            guard let name = RoomName(summary.name) else { continue }
            byName[name] = RoomList.Entry(name: name, revision: summary.revision, members: 0)
        }
        for entry in open { byName[entry.name] = entry }
        let entries = byName.values.sorted { $0.name < $1.name }
        return MessageEncoder().encode(entries, partBytes: partBytes)
    }
}
