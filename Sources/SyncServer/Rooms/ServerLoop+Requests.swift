import SyncRoom
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
        guard let host = makeDeletingHost(name) else { return answer(.unavailable) }
        host.whenDeleted.append(answer)
        host.beginDeleting()
    }
}
