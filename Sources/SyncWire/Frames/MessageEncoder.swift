package import SyncBytes
package import SyncModel

/// Makes frames of messages. One serves a loop: it reuses its buffer.
package final class MessageEncoder {
    /// Snapshots and batches are cut into parts of about this many bytes.
    package static let partBytes = 256 << 10

    private var writer = ByteWriter(capacity: 4096)

    package init() {}

    /// A server's message as a frame.
    package func encode(_ message: ServerMessage) -> EncodedFrame {
        writer.reset()
        writer.writeFrame(message)
        guard case .viewUpdate(let update) = message else { return EncodedFrame(writer.bytes) }
        return EncodedFrame(writer.bytes, headCount: update.head.fieldCount)
    }

    /// A client's message as a frame.
    ///
    /// - Parameter join: the request of the room's join, if the message names the room by that and
    ///   not by its handle.
    package func encode(_ message: ClientMessage, naming join: RequestID? = nil) -> EncodedFrame {
        writer.reset()
        writer.writeFrame(message, naming: join)
        return EncodedFrame(writer.bytes)
    }

    /// A batch as one frame, or as several if it is large.
    package func encode(
        _ batch: Batch, on channel: Channel, partBytes: Int = MessageEncoder.partBytes
    ) -> [EncodedFrame] {
        var encoder = BatchEncoder(channel: channel, batch: batch, partBytes: partBytes)
        return encoder.encode()
    }

    /// A snapshot as frames.
    package func encode(
        _ snapshot: Snapshot, on channel: Channel, partBytes: Int = MessageEncoder.partBytes
    ) -> [EncodedFrame] {
        let total = snapshot.sections.reduce(0) { $0 + $1.items.count }
        var encoder = SnapshotEncoder(
            channel: channel, revision: snapshot.revision, totalItems: UInt64(total),
            partBytes: partBytes)
        var frames: [EncodedFrame] = []
        for state in snapshot.sections {
            if encoder.isPartFull { frames.append(encoder.takePart()) }
            encoder.append(state.section)
            for item in state.items {
                if encoder.isPartFull { frames.append(encoder.takePart()) }
                encoder.append(item)
            }
        }
        frames.append(encoder.finish())
        return frames
    }

    /// A list of rooms as frames, which are readdressed for each request.
    package func encode(
        _ rooms: [RoomList.Entry], partBytes: Int = MessageEncoder.partBytes
    ) -> [EncodedFrame] {
        var frames: [EncodedFrame] = []
        var rest = rooms[...]
        repeat {
            var bytes = 0
            let part = rest.prefix { room in
                defer { bytes += room.name.text.utf8.count + RoomList.Entry.numberBytes }
                return bytes < partBytes
            }
            rest = rest.dropFirst(part.count)
            let list = RoomList(request: 0, rooms: Array(part), hasMore: !rest.isEmpty)
            frames.append(encode(.roomList(list)))
        } while !rest.isEmpty
        return frames
    }
}

extension ByteWriter {
    /// Adds a frame, length included.
    package mutating func writeFrame(_ message: ServerMessage) {
        let mark = beginLengthDelimited()
        message.write(to: &self)
        endLengthDelimited(mark)
    }

    /// Adds the frame of an ``Ack`` without superseded operations, length included: most
    /// transactions get one.
    package mutating func writeAckFrame(
        room: RoomHandle, counter: UInt64, revision: Revision
    ) {
        let mark = beginLengthDelimited()
        write(message: FrameNumber.ack) { writer in
            Ack.write(room: room, counter: counter, revision: revision, to: &writer)
        }
        endLengthDelimited(mark)
    }

    /// Adds a frame, length included.
    package mutating func writeFrame(_ message: ClientMessage, naming join: RequestID? = nil) {
        let mark = beginLengthDelimited()
        message.write(to: &self)
        if let join { write(field: FrameNumber.joinRequest, varint: UInt64(join)) }
        endLengthDelimited(mark)
    }
}

extension EncodedFrame {
    /// Copies one frame, length included.
    ///
    /// - Parameter headCount: how many bytes at the start of the message `Frame` say for whom it
    ///   is.
    convenience init(_ bytes: UnsafeRawBufferPointer, headCount: Int = 0) {
        // The length is a varint, so its last byte is the first one below 0x80.
        let lengthCount = (bytes.firstIndex { $0 < 0x80 } ?? 0) + 1
        self.init(
            plain: SharedBytes(copying: bytes), bodyCount: bytes.count - lengthCount,
            headCount: headCount)
    }
}
