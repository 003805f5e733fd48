import SyncModel
import SyncWire

/// A join of a connection that is not answered yet.
struct JoinUnderWay {
    let request: RequestID
    let room: RoomName
}

/// A message that names a room by its join, and waits until the join is answered. It is rare, and
/// every connection has a field for one, so it is a separate object.
final class EarlyMessage {
    enum Content {
        case message(ClientMessage)
        /// A frame that can't be decoded.
        case error(WireError)
    }

    let join: RequestID
    let content: Content
    /// How long its frame was.
    let bytes: Int

    init(join: RequestID, content: Content, bytes: Int) {
        self.join = join
        self.content = content
        self.bytes = bytes
    }
}

// Messages that name a room by the request of its join, as the client does not know the handle yet.
extension Session {
    /// The handle of a join's room. If the join is in flight, the content is buffered until its
    /// answer. If it was refused, or the connection has left the room, the content is dropped.
    ///
    /// - Returns: `nil` if there is nothing to do now.
    private func handle(
        of join: RequestID, _ input: borrowing FrameRun,
        orBuffer content: () -> EarlyMessage.Content
    ) -> RoomHandle? {
        if joining.contains(where: { $0.request == join }) {
            inbox.early = EarlyMessage(join: join, content: content(), bytes: input.frameBytes)
            return nil
        }
        return membership(ofJoin: join)
    }

    private func membership(ofJoin join: RequestID) -> RoomHandle? {
        memberships.last { $0.join == join }?.handle
    }

    /// A transaction with its room's handle; `nil` if there is nothing to do now.
    @inline(__always)
    func named(_ submit: SubmitView, _ input: borrowing FrameRun) -> SubmitView? {
        guard let join = input.join else { return submit }
        return handle(of: join, input, orBuffer: { .message(.submit(Submit(submit))) })
            .map(submit.readdressed)
    }

    /// A message with its room's handle; `nil` if there is nothing to do now.
    func named(_ message: ClientMessage, _ input: borrowing FrameRun) -> ClientMessage? {
        guard phase == .open, let join = input.join, message.isAboutRoom else { return message }
        var message = message
        if let handle = handle(of: join, input, orBuffer: { .message(message) }) {
            message.readdress(to: handle)
            return message
        }
        if inbox.early == nil { refuseUnnamed(message) }
        return nil
    }

    /// A frame's error with its room's handle; `nil` if there is nothing to do now.
    func named(_ error: WireError, _ input: borrowing FrameRun) -> WireError? {
        guard phase == .open, let join = input.join, error.isAboutRoom else { return error }
        return handle(of: join, input, orBuffer: { .error(error) }).map(error.readdressed)
    }

    /// Handles the message that has waited for a join, as the join is answered.
    func takeEarly(_ join: RequestID) {
        guard let early = inbox.early, early.join == join else { return }
        inbox.early = nil
        guard phase == .open else { return }
        loop.flush(self)
        guard let handle = membership(ofJoin: join) else {
            if case .message(let message) = early.content { refuseUnnamed(message) }
            return
        }
        do throws(WireError) {
            switch early.content {
            case .error(let error):
                try refuse(error.readdressed(to: handle), bytes: early.bytes)
            case .message(.submit(let submit)):
                submit.withView { post($0.readdressed(to: handle), bytes: early.bytes) }
            case .message(var message):
                message.readdress(to: handle)
                self.handle(message)
            }
        } catch {
            fail(error)
        }
    }

    /// Answers a request whose room is not known, as all requests are answered. Other messages are
    /// dropped.
    private func refuseUnnamed(_ message: ClientMessage) {
        guard case .leave(let leave) = message else { return }
        refuse(.request(leave.request), .unknownRoom)
    }
}
