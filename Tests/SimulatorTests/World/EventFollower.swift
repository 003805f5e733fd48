import SyncBytes
import SyncClient
import SyncIO
import SyncJSON
import SyncModel

@testable import SyncHTTP

/// Follows the events of a room. When the connection ends, it goes on behind the last event that
/// it has got.
final class EventFollower {
    private let room: RoomName
    private let loop: any EventLoop
    private let evidence: Evidence
    private let who: String
    private let requester: WebRequester
    private var replica = Replica()
    private var lastID = ""
    /// How much of the body was read, on this connection.
    private var readBytes = 0

    private static let retryMilliseconds: UInt64 = 40

    init(of room: RoomName, on loop: any EventLoop, _ evidence: Evidence, _ host: String) {
        (self.room, self.loop, self.evidence) = (room, loop, evidence)
        who = "the events of \(host)"
        requester = WebRequester(on: loop)
    }

    /// The revision that it has; `nil` before the first event.
    var revision: Revision? { replica.revision }

    func follow() {
        readBytes = 0
        var isResumed = !lastID.isEmpty
        requester.ask(
            "GET", "/v1/rooms/\(room.pathSegment)/stream",
            lastID.isEmpty ? [] : [("Last-Event-ID", lastID)],
            progress: { [weak self] head, body in
                guard let self, head.status == 200 else { return }
                if isResumed { evidence.didSuffer(.streamResumed) }
                isResumed = false
                read(body)
            }
        ) { [weak self] _ in
            guard let self else { return }
            loop.schedule(afterMilliseconds: EventFollower.retryMilliseconds) { [weak self] in
                self?.follow()
            }
        }
    }

    /// Reads the events that are whole.
    private func read(_ body: [UInt8]) {
        while let end = body[readBytes...].firstRange(of: [0x0A, 0x0A]) {
            let event = body[readBytes..<end.lowerBound]
            readBytes = end.upperBound
            var (name, id, data) = ("message", "", "")
            for line in event.split(separator: 0x0A) where line.first != UInt8(ascii: ":") {
                let text = String(decoding: line, as: UTF8.self)
                guard let colon = text.firstRange(of: ": ") else { continue }
                let value = String(text[colon.upperBound...])
                switch text[..<colon.lowerBound] {
                case "event": name = value
                case "id": id = value
                default: data = value
                }
            }
            if !data.isEmpty, name != "error" { take(data, id) }
        }
    }

    private func take(_ data: String, _ id: String) {
        guard let tag = RevisionTag(ForeignText(bounded: id)) else {
            return evidence.accuse(.brokenProtocol, "\(who) have the id '\(id)'")
        }
        switch try? Array(data.utf8).withUnsafeBytes({ try ServerLine(line: $0) }) {
        case .snapshot(_, let snapshot): replica.load(snapshot)
        case .batch(let batch):
            if batch.from != replica.revision {
                evidence.accuse(
                    .differs,
                    "\(who) go on from \(batch.from), behind \(String(describing: replica.revision))"
                )
            }
            do throws(ReplicaError) {
                try replica.apply(batch)
            } catch {
                evidence.accuse(.differs, "\(who) can't be applied: \(error)")
            }
        default: return evidence.accuse(.brokenProtocol, "\(who) say '\(data)'")
        }
        lastID = id
        guard let snapshot = replica.snapshot else { return lastID = "" }
        if snapshot.revision != tag.revision {
            evidence.accuse(.differs, "\(who) are at \(snapshot.revision), and say \(id)")
        }
        evidence.didHold(snapshot, tag.origin, in: room, who)
        evidence.didBatch()
    }
}
