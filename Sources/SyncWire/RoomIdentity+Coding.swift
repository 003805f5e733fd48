import SyncBytes
import SyncModel

// The messages `Origin` and `RoomIdentity`.

extension Origin {
    private enum Number {
        static let room = 1
        static let epoch = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var room: RoomID?
        var epoch: EpochID?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = RoomID(bytes: try reader.body())
            case Number.epoch: epoch = EpochID(bytes: try reader.body())
            default: try reader.skip()
            }
        }
        // An invalid id belongs to no room. The check of the origin answers that, so the connection
        // need not be closed.
        if let room, let epoch { self.init(room: room, epoch: epoch) } else { self = .nowhere }
    }

    func write(_ field: Int, to writer: inout ByteWriter) {
        writer.write(message: field) { writer in
            writer.write(message: Number.room) { writer in room.write(to: &writer) }
            writer.write(message: Number.epoch) { writer in epoch.write(to: &writer) }
        }
    }
}

extension RoomIdentity {
    private enum Number {
        static let room = 1
        static let epochs = 2
        static let id = 1
        static let first = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var room: RoomID?
        var epochs: [Epoch] = []
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = RoomID(bytes: try reader.body())
            case Number.epochs:
                guard epochs.count < RoomIdentity.maximumEpochs else { throw .malformed }
                epochs.append(try RoomIdentity.readEpoch(try reader.body()))
            default: try reader.skip()
            }
        }
        guard let room, let oldest = epochs.first else { throw .malformed }
        self.init(room, oldest)
        for epoch in epochs.dropFirst() where !add(epoch) { throw .malformed }
    }

    private static func readEpoch(_ bytes: UnsafeRawBufferPointer) throws(FieldError) -> Epoch {
        var id: EpochID?
        var first: Revision = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.id: id = EpochID(bytes: try reader.body())
            case Number.first: first = try reader.number()
            default: try reader.skip()
            }
        }
        guard let id else { throw .malformed }
        return Epoch(id, first: first)
    }

    func write(_ field: Int, to writer: inout ByteWriter) {
        writer.write(message: field) { writer in
            writer.write(message: Number.room) { writer in id.write(to: &writer) }
            for epoch in epochs {
                writer.write(message: Number.epochs) { writer in
                    writer.write(message: Number.id) { writer in epoch.id.write(to: &writer) }
                    writer.write(Number.first, nonzero: epoch.first)
                }
            }
        }
    }
}
