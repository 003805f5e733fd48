import SyncHTTPCodec
import SyncModel
import SyncServer
import SyncWire

/// A request that has to know first whether there is such a room, and how far it is: whoever joins
/// a missing room makes it, and a revision counts only with its origin.
///
/// The answer to every request for items names the newest revision and its origin. So the session
/// is asked for no items at all. That waits neither for the store nor for a search.
class RoomExchange: SessionRequest {
    let room: RoomName
    private var question: RequestID?

    init(_ room: RoomName, _ connection: HTTPConnection, _ session: RequestSession) {
        self.room = room
        super.init(connection, session)
    }

    /// Asks how far the room is.
    final func find() {
        let request = session.nextRequest()
        question = request
        session.link.send(
            .readItems(ReadItems(request: request, room: room, RoomExchange.nothing)))
    }

    private static let nothing = ItemQuery(.these([]), limit: 1)

    /// A revision with the room's identity. If the room has not reached it, the request is refused.
    ///
    /// - Parameter revision: `nil` is the newest one.
    /// - Returns: `nil` if it is refused.
    final func tag(of revision: Revision?, in newest: RevisionTag) -> RevisionTag? {
        guard let revision else { return newest }
        guard revision <= newest.revision else {
            refuse(ErrorMessage(.badRevision, "the room is at revision \(newest.revision)"))
            return nil
        }
        return RevisionTag(newest.origin, revision)
    }

    /// There is such a room, and this is its newest revision.
    func didFind(_ newest: RevisionTag) {}
    /// There is no such room.
    func didNotFind(_ error: ErrorMessage) { end(error) }
    /// A message that is no answer to the question.
    func receiveInside(_ message: ServerMessage) {}

    final override func receive(_ message: ServerMessage) {
        switch message {
        case .items(let items) where items.request == question:
            question = nil
            guard let origin = items.origin else {
                return end(ErrorMessage(.internalError, "the room does not say which one it is"))
            }
            didFind(RevisionTag(origin, items.revision))
        case .error(let error): receive(error)
        default: receiveInside(message)
        }
    }

    private func receive(_ error: ErrorMessage) {
        guard let question, error.subject == .request(question) else {
            return receiveInside(.error(error))
        }
        self.question = nil
        if error.code == .roomNotFound { didNotFind(error) } else { end(error) }
    }
}

extension RequestHead {
    /// Whether the client has a revision of a room. An older one may not be kept any more, so what
    /// means any representation that there is may not mean it.
    func hasNoneMatch(_ tag: RevisionTag, newest: RevisionTag) -> Bool {
        fields.hasNoneMatch(tag.entityTag, exists: tag == newest)
    }
}
