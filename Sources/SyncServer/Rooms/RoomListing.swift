import SyncAccess
import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// Lists the server's rooms. Requests that come at the same time are answered together, and those
/// with the same roles share one list.
///
/// It belongs to the first loop. One list is made at a time, by the store's reader and a worker;
/// the loops only add their open rooms. A request that comes meanwhile gets the next list.
final class RoomListing {
    private unowned let loop: ServerLoop
    private var waiting: [Request] = []
    private var isUnderWay = false
    /// The lists that are being made.
    private var answers: [Answer] = []

    private struct Request {
        let key: FeedKey
        let roles: Roles
    }

    /// A list for all who may see the same rooms.
    private struct Answer {
        let roles: Roles
        let span: SharedSpan
    }

    /// How much time there is between two lists at least.
    private static let pauseMilliseconds: UInt64 = 50

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    /// - Parameter access: the list has the rooms in which this has a role.
    func ask(_ key: FeedKey, _ access: Access) {
        waiting.append(Request(key: key, roles: access.roles))
        if !isUnderWay { begin() }
    }

    private func begin() {
        isUnderWay = true
        let requests = waiting
        waiting = []
        let post = loop.peers[loop.index]
        loop.context.store.rooms { result in
            let bytes = (try? result.get())?.reduce(0) {
                $0 + $1.name.text.utf8.count + RoomListing.bytesOfEntry
            }
            post.post { loop in
                let listing = loop.reads.listing
                switch result {
                case .success(let stored): listing.make(from: stored, bytes ?? 0, for: requests)
                case .failure(let error):
                    for request in requests { loop.fail(request.key, RoomRefusal(error)) }
                    listing.end()
                }
            }
        }
    }

    /// Makes the lists, as far as there is memory for them.
    ///
    /// - Parameter bytes: how much memory the list of the stored rooms needs, with everything that
    ///   is made on the way.
    private func make(
        from stored: [StoredRoomSummary], _ bytes: Int, for requests: [Request]
    ) {
        let openBytes = loop.context.pots.rooms.used * RoomListing.mostBytesOfEntry
        var spans: [Roles: SharedSpan] = [:]
        for request in requests {
            let known = spans[request.roles]
            let span =
                known ?? SharedSpan(Span(from: Span.Start(), to: 0), for: request.key, on: loop)
            RequestFeed(request.key, of: span, on: loop).begin()
            if known != nil { continue }
            spans[request.roles] = span
            answers.append(Answer(roles: request.roles, span: span))
        }
        for answer in answers where !answer.span.reserve(bytes + openBytes) {
            answer.span.fail(.tooManyAnswers)
        }
        answers.removeAll { !$0.span.isWanted }
        if answers.isEmpty { return end() }
        loop.addOpenRooms(to: [], stored)
    }

    /// Encodes the lists on a worker, one after the other.
    fileprivate func encode(_ open: [RoomList.Entry], _ stored: [StoredRoomSummary]) {
        guard let answer = answers.popLast() else { return end() }
        let (post, roles) = (loop.peers[loop.index], answer.roles)
        let partBytes = loop.context.configuration.wire.partBytes
        // Only the first loop uses it.
        nonisolated(unsafe) let span = answer.span
        loop.context.jobs.add(.work, for: .server) {
            // Made here; from then on only the first loop uses them.
            nonisolated(unsafe) let frames = RoomListing.encode(
                open, stored, for: roles, partBytes: partBytes)
            post.post { loop in
                loop.reads.listing.finish(span, frames)
                loop.reads.listing.encode(open, stored)
            }
        }
    }

    private func finish(_ span: SharedSpan, _ frames: [EncodedFrame]) {
        guard span.isWanted else { return }
        let bytes = frames.reduce(0) { $0 + $1.byteCount(in: span.encodings) }
        guard span.reserve(bytes) else { return span.fail(.tooManyAnswers) }
        span.add(frames, isLast: true)
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
        let (key, access) = (feedKey(list.request), principal.access)
        loop.on(0) { $0.reads.listing.ask(key, access) }
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
        on(0) { $0.reads.listing.encode(known, stored) }
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
    /// Encodes those of the stored and the open rooms that somebody may see, sorted by name. The
    /// entry of an open room replaces the stored one.
    fileprivate static func encode(
        _ open: [RoomList.Entry], _ stored: [StoredRoomSummary], for roles: Roles,
        partBytes: Int
    ) -> [EncodedFrame] {
        var byName: [RoomName: RoomList.Entry] = [:]
        for summary in stored {
            byName[summary.name] = RoomList.Entry(
                name: summary.name, revision: summary.revision, members: 0)
        }
        for entry in open { byName[entry.name] = entry }
        let entries = byName.values.filter { roles.role(in: $0.name) != nil }
            .sorted { $0.name < $1.name }
        return MessageEncoder().encode(entries, partBytes: partBytes)
    }
}
