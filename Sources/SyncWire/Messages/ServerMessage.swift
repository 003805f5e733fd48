package import SyncBytes

/// A server's message to a client.
package enum ServerMessage: Sendable, Equatable {
    case welcome(Welcome)
    case renewed(Renewed)
    case joined(Joined)
    case snapshot(SnapshotPart)
    case ack(Ack)
    case reject(Reject)
    case batch(BatchMessage)
    /// Comes before the batches that it is about.
    case authors(BatchAuthors)
    case heartbeat(Heartbeat)
    case roomList(RoomList)
    case stats(Stats)
    case items(Items)
    case done(Done)
    case error(ErrorMessage)
    case viewUpdate(ViewUpdate)
    case presenceUpdate(PresenceUpdate)
    case dragTarget(DragTarget)
    case nearLimit(NearLimit)
}

extension ServerMessage {
    /// Reads the field `number` of a `Frame`; `nil` if that is no message of a server. An update of
    /// a view has no head yet: that is another field.
    package init?(_ number: Int, _ bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(FieldError) {
            switch number {
            case FrameNumber.welcome: self = .welcome(try Welcome(parsing: bytes))
            case FrameNumber.renewed: self = .renewed(try Renewed(parsing: bytes))
            case FrameNumber.joined: self = .joined(try Joined(parsing: bytes))
            case FrameNumber.snapshot: self = .snapshot(try SnapshotPart(parsing: bytes))
            case FrameNumber.ack: self = .ack(try Ack(parsing: bytes))
            case FrameNumber.reject: self = .reject(try Reject(parsing: bytes))
            case FrameNumber.batch: self = .batch(try BatchMessage(parsing: bytes))
            case FrameNumber.authors: self = .authors(try BatchAuthors(parsing: bytes))
            case FrameNumber.heartbeat:
                self = .heartbeat(
                    try Heartbeat(parsing: bytes, maximumRooms: WireLimits().rooms))
            case FrameNumber.roomList: self = .roomList(try RoomList(parsing: bytes))
            case FrameNumber.stats: self = .stats(try Stats(parsing: bytes))
            case FrameNumber.items: self = .items(try Items(parsing: bytes))
            case FrameNumber.done: self = .done(try Done(parsing: bytes))
            case FrameNumber.error: self = .error(try ErrorMessage(parsing: bytes))
            case FrameNumber.viewUpdate: self = .viewUpdate(try ViewUpdate(parsing: bytes))
            case FrameNumber.presenceUpdate:
                self = .presenceUpdate(try PresenceUpdate(parsing: bytes))
            case FrameNumber.dragTarget: self = .dragTarget(try DragTarget(parsing: bytes))
            case FrameNumber.nearLimit: self = .nearLimit(try NearLimit(parsing: bytes))
            default: return nil
            }
        } catch {
            throw WireError(error)
        }
    }

    /// Sets the receiver that the frame names, whatever the message itself names. So many receivers
    /// can share the same bytes.
    mutating func readdress(to address: FrameAddress?) throws(WireError) {
        switch (self, address) {
        case (.viewUpdate(var update), .view(let head)):
            update.head = head
            self = .viewUpdate(update)
        case (.viewUpdate, _):
            throw .broken(.badMessage, "an update of a view does not say of which one")
        case (_, nil): break
        case (.snapshot(var part), .request(let request)):
            part.channel = .request(request)
            self = .snapshot(part)
        case (.batch(var batch), .request(let request)):
            batch.channel = .request(request)
            self = .batch(batch)
        case (.roomList(var list), .request(let request)):
            list.request = request
            self = .roomList(list)
        case (.items(var items), .request(let request)):
            items.request = request
            self = .items(items)
        case (_, .request):
            throw .broken(.badMessage, "a frame names a request that it can't answer")
        case (_, .view):
            throw .broken(.badMessage, "a frame names a view of which it is no update")
        case (_, .join):
            throw .broken(.badMessage, "a server names a join")
        }
    }

    /// Writes the message `Frame` that contains this one, without a length.
    package func write(to writer: inout ByteWriter) {
        switch self {
        case .welcome(let welcome):
            writer.write(message: FrameNumber.welcome) { writer in welcome.write(to: &writer) }
        case .renewed(let renewed):
            writer.write(message: FrameNumber.renewed) { writer in renewed.write(to: &writer) }
        case .joined(let joined):
            writer.write(message: FrameNumber.joined) { writer in joined.write(to: &writer) }
        case .snapshot(let part):
            writer.write(message: FrameNumber.snapshot) { writer in part.write(to: &writer) }
        case .ack(let ack):
            writer.write(message: FrameNumber.ack) { writer in ack.write(to: &writer) }
        case .reject(let reject):
            writer.write(message: FrameNumber.reject) { writer in reject.write(to: &writer) }
        case .batch(let batch):
            writer.write(message: FrameNumber.batch) { writer in batch.write(to: &writer) }
        case .authors(let authors):
            writer.write(message: FrameNumber.authors) { writer in authors.write(to: &writer) }
        case .heartbeat(let beat):
            writer.write(message: FrameNumber.heartbeat) { writer in beat.write(to: &writer) }
        case .roomList(let list):
            writer.write(message: FrameNumber.roomList) { writer in list.write(to: &writer) }
        case .stats(let stats):
            writer.write(message: FrameNumber.stats) { writer in stats.write(to: &writer) }
        case .items(let items):
            writer.write(message: FrameNumber.items) { writer in items.write(to: &writer) }
        case .done(let done):
            writer.write(message: FrameNumber.done) { writer in done.write(to: &writer) }
        case .error(let error):
            writer.write(message: FrameNumber.error) { writer in error.write(to: &writer) }
        case .viewUpdate(let update):
            writer.write(message: FrameNumber.viewHead) { writer in update.head.write(to: &writer) }
            writer.write(message: FrameNumber.viewUpdate) { writer in update.write(to: &writer) }
        case .presenceUpdate(let update):
            writer.write(message: FrameNumber.presenceUpdate) { writer in
                update.write(to: &writer)
            }
        case .dragTarget(let target):
            writer.write(message: FrameNumber.dragTarget) { writer in target.write(to: &writer) }
        case .nearLimit(let near):
            writer.write(message: FrameNumber.nearLimit) { writer in near.write(to: &writer) }
        }
    }
}

/// The receiver that a frame names outside its message, so that many receivers can share the
/// message, deflated or not.
enum FrameAddress {
    case request(RequestID)
    case view(ViewUpdate.Head)
    /// In a client's frame: the request of the join by which it names the room.
    case join(RequestID)

    /// Reads the reader's current field of a frame; `nil` if it is the message.
    @inline(__always)
    init?(_ field: Int, _ reader: inout FieldReader) throws(FieldError) {
        switch field {
        case FrameNumber.request: self = .request(try reader.uint32())
        case FrameNumber.viewHead: self = .view(try ViewUpdate.Head(parsing: try reader.body()))
        case FrameNumber.joinRequest: self = .join(try reader.uint32())
        default: return nil
        }
    }
}
