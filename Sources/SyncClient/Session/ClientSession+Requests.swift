import SyncModel
import SyncWire

// Requests, which need no membership in a room.
extension ClientSession {
    /// Asks a question. `reply` is called for each reply; the last one is `done` or `failed`.
    package func ask(_ question: Question, reply: @escaping (Reply) -> Void) {
        if case .ended(let error) = state { return reply(.failed(error)) }
        guard requests.count < options.limits.requests else {
            return reply(.failed(.exceeded(.requests, options.limits.requests)))
        }
        let id = makeRequestID()
        requests[id] = Request(
            message: question.message(id), feature: question.feature, reply: reply)
        if case .ready(let connection, let welcome, _, _) = state {
            sendRequests(on: connection, welcome)
        }
        applyPause()
    }

    /// Sends the requests that wait for a connection. Those that the server would not answer fail.
    func sendRequests(on connection: Connection, _ welcome: Welcome) {
        for (id, request) in requests.sorted(by: { $0.key < $1.key }) where !request.isSent {
            guard welcome.features.isSuperset(of: request.feature) else {
                reply(to: id, .failed(.notOffered), isLast: true)
                continue
            }
            requests[id]?.isSent = true
            connection.send(request.message)
        }
    }

    /// Delivers a reply to its request. A reply without a request is dropped.
    func reply(to id: RequestID, _ reply: Reply, isLast: Bool) {
        guard let request = requests[id] else { return }
        if isLast { requests[id] = nil }
        request.reply(reply)
        if isLast, !reply.isLast { request.reply(.done) }
        applyPause()
    }

    /// Receives a part of a list of rooms.
    func didReceive(_ list: RoomList) {
        let limit = options.limits.listBytes
        guard count(MemoryBytes.of(list.rooms), of: list.request, limit) else {
            return reply(to: list.request, .failed(.exceeded(.listBytes, limit)), isLast: true)
        }
        reply(to: list.request, .rooms(list.rooms), isLast: !list.hasMore)
    }

    /// Counts the bytes that were received for a request.
    ///
    /// - Returns: whether they are within the limit.
    private func count(_ bytes: Int, of id: RequestID, _ limit: Int) -> Bool {
        requests[id]?.receivedBytes += bytes
        return requests[id]?.receivedBytes ?? 0 <= limit
    }

    /// Adds a piece of a batch to the request that asked for it.
    func add(_ message: BatchMessage, to id: RequestID) throws(ClientError) {
        let limit = options.limits.roomBytes
        if requests[id]?.batches.isIdle == true { requests[id]?.receivedBytes = 0 }
        guard count(MemoryBytes.of(message.batch), of: id, limit) else {
            return reply(to: id, .failed(.exceeded(.roomBytes, limit)), isLast: true)
        }
        do throws(WireError) {
            guard let batch = try requests[id]?.batches.add(message) else { return }
            reply(to: id, .batch(batch), isLast: false)
        } catch {
            throw ClientError(error)
        }
    }
}

extension ClientError {
    /// The server does not have the feature that a request needs.
    fileprivate static let notOffered = ClientError.refused(
        code: ErrorCode.unsupported.rawValue, message: "the server does not answer this request")
}
