import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// Lists the server's rooms. Requests that come at the same time share one list.
///
/// It belongs to the first loop. One list is made at a time, by the store's reader and a worker;
/// the loops only add their open rooms. A request that comes meanwhile gets the next list.
final class RoomListing {
    private unowned let loop: ServerLoop
    private var waiting: [FeedKey] = []
    private var isUnderWay = false
    /// The list that is being made.
    private var answer: SharedSpan?

    /// How much time there is between two lists at least.
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

    /// Makes a list, if there is memory for it.
    ///
    /// - Parameter bytes: how much memory the list of the stored rooms needs, with everything that
    ///   is made on the way.
    private func make(from stored: [StoredRoomSummary], _ bytes: Int, for keys: [FeedKey]) {
        let shared = SharedSpan(Span(from: Span.Start(), to: 0), for: keys[0], on: loop)
        for key in keys { RequestFeed(key, of: shared, on: loop).begin() }
        let openBytes = loop.context.pots.rooms.used * RoomListing.mostBytesOfEntry
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

    /// About how many bytes a room needs beside its name while a list is made, plain and deflated.
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
    /// How many rooms one piece of work adds.
    private static let listedPerPiece = 16

    /// Adds the open rooms of this loop, piece by piece, and then continues on the next loop.
    fileprivate func addOpenRooms(to open: [RoomList.Entry], _ stored: [StoredRoomSummary]) {
        var open = open
        // A room that is closed meanwhile is left out. One that is opened meanwhile is stored, or
        // new.
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
            // Made here; from then on only the first loop uses them.
            nonisolated(unsafe) let frames = RoomListing.encode(
                known, stored, partBytes: context.configuration.wire.partBytes)
            first.post { $0.reads.listing.finish(frames) }
        }
    }
}

extension RoomList.Entry {
    /// The entry of an open room; `nil` if the room accepts no transactions.
    fileprivate init?(of host: RoomHost) {
        let room = host.room
        guard room.place.acceptsTransactions else { return nil }
        self.init(
            name: host.name, revision: room.durableRevision,
            members: UInt32(clamping: room.memberCount))
    }
}

extension RoomListing {
    /// Encodes the stored and the open rooms, sorted by name. The entry of an open room replaces
    /// the stored one.
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
