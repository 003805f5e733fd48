import SyncBytes
package import SyncModel

/// A batch, or a piece of one that is too large for a message.
///
/// The pieces of a batch come in order on their channel. Their stages and counts are concatenated.
/// With ``isContinued``, the first stage of a piece is the rest of the last stage before it.
package struct BatchMessage: Sendable, Equatable {
    package var channel: Channel
    /// The batch, with the stages and counts of this message only.
    package var batch: Batch
    /// The first stage continues the last one of the message before.
    package var isContinued: Bool
    /// The batch continues in the next message.
    package var hasMore: Bool

    package init(
        channel: Channel, batch: Batch, isContinued: Bool = false, hasMore: Bool = false
    ) {
        self.channel = channel
        self.batch = batch
        self.isContinued = isContinued
        self.hasMore = hasMore
    }
}

extension BatchMessage {
    enum Number {
        static let room = 1
        static let request = 2
        static let from = 3
        static let to = 4
        static let sections = 5
        static let continued = 6
        static let stages = 7
        static let counts = 8
        static let more = 9
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var channel: Channel?
        self.init(channel: .room(0), batch: Batch(from: 0, to: 0, sections: 0))
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: channel = .room(try reader.uint32())
            case Number.request: channel = .request(try reader.uint32())
            case Number.from: batch.from = try reader.number()
            case Number.to: batch.to = try reader.number()
            case Number.sections: batch.sections = try reader.index()
            case Number.continued: isContinued = try reader.bool()
            case Number.stages: batch.stages.append(try Stage(fields: try reader.body()))
            case Number.counts: batch.counts.append(try SectionCount(fields: try reader.body()))
            case Number.more: hasMore = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let channel else { throw .malformed }
        self.channel = channel
    }

    func write(to writer: inout ByteWriter) {
        writeHead(to: &writer)
        for stage in batch.stages {
            writer.write(message: Number.stages) { writer in stage.write(to: &writer) }
        }
        for count in batch.counts {
            writer.write(message: Number.counts) { writer in count.write(to: &writer) }
        }
        writer.write(Number.more, true: hasMore)
    }

    /// Writes the fields before the stages.
    func writeHead(to writer: inout ByteWriter) {
        writer.write(channel, room: Number.room, request: Number.request)
        writer.write(Number.from, nonzero: batch.from)
        writer.write(Number.to, nonzero: batch.to)
        writer.write(Number.sections, index: batch.sections)
        writer.write(Number.continued, true: isContinued)
    }
}
