package import SyncBytes

// The bytes of identities: in messages, where ids are `bytes`, and in a room's image.

extension RoomID {
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == RoomID.byteCount else { return nil }
        self.init(high: bytes.bigEndian(at: 0), low: bytes.bigEndian(at: 8))
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(bigEndian: high)
        writer.write(bigEndian: low)
    }
}

extension EpochID {
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == EpochID.byteCount else { return nil }
        self.init(value: bytes.bigEndian(at: 0))
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(bigEndian: value)
    }
}

extension RoomIdentity {
    /// The image of an identity: the room's id, then each epoch's id and its first revision as a
    /// varint.
    package init?(image: UnsafeRawBufferPointer) {
        guard image.count > RoomID.byteCount,
            let id = RoomID(bytes: UnsafeRawBufferPointer(rebasing: image[..<RoomID.byteCount]))
        else { return nil }
        self.id = id
        epochs = []
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: image[RoomID.byteCount...]))
        while !reader.isAtEnd {
            guard let bytes = try? reader.readBytes(EpochID.byteCount),
                let epoch = EpochID(bytes: bytes), let first = try? reader.readVarint(),
                add(Epoch(epoch, first: first))
            else { return nil }
        }
    }

    package func writeImage(to writer: inout ByteWriter) {
        id.write(to: &writer)
        for epoch in epochs {
            epoch.id.write(to: &writer)
            writer.write(varint: epoch.first)
        }
    }

    /// Adds an epoch that came from outside; `false` if it does not fit behind the others.
    package mutating func add(_ epoch: Epoch) -> Bool {
        guard epochs.count < RoomIdentity.maximumEpochs, epoch.first >= epochs.last?.first ?? 0,
            !epochs.contains(where: { $0.id == epoch.id })
        else { return false }
        epochs.append(epoch)
        return true
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian(at offset: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension ByteWriter {
    fileprivate mutating func write(bigEndian value: UInt64) {
        write(fixed64: value.byteSwapped)
    }
}

extension Origin {
    /// The origin of what comes from no room: ids are random, and none is 0.
    package static let nowhere = Origin(
        room: RoomID(high: 0, low: 0), epoch: EpochID(value: 0))
}

// MARK: - Text

extension Origin {
    /// The origin that a program passes; ``nowhere`` if its text is not an origin's.
    package init(_ origin: RoomOrigin) {
        let digits = origin.id.utf8.count == 2 * RoomID.byteCount ? Substring(origin.id) : ""
        let epoch = origin.epoch.utf8.count == 2 * EpochID.byteCount ? origin.epoch : ""
        let high = UInt64(digits.prefix(RoomID.byteCount), radix: 16)
        let low = UInt64(digits.suffix(RoomID.byteCount), radix: 16)
        let value = UInt64(epoch, radix: 16)
        guard let high, let low, let value else {
            self = .nowhere
            return
        }
        self.init(room: RoomID(high: high, low: low), epoch: EpochID(value: value))
    }
}

extension RoomOrigin {
    /// The origin as programs keep it.
    package init(_ origin: Origin) {
        self.init(id: origin.room.description, epoch: origin.epoch.description)
    }
}
