/// A room's identity: 16 random bytes from the room's creation. A room that is deleted and made
/// again under the same name has another id.
package struct RoomID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package static let byteCount = 16

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hexadecimal, 32 digits.
    package var description: String { high.hexadecimal + low.hexadecimal }
}

/// The identity of an epoch: 8 random bytes.
package struct EpochID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
    package let value: UInt64

    package static let byteCount = 8

    package init(value: UInt64) {
        self.value = value
    }

    /// Hexadecimal, 16 digits.
    package var description: String { value.hexadecimal }
}

/// A stretch of a room's history that one opening of the room wrote.
package struct Epoch: Hashable, Sendable {
    package var id: EpochID
    /// The room's revision when the epoch began. The epoch's own revisions are above it.
    package var first: Revision

    package init(_ id: EpochID, first: Revision) {
        self.id = id
        self.first = first
    }
}

/// The room and the epoch of a revision. It travels with every revision that a client sends back,
/// since a number alone means another state in another room or after a restored backup.
package struct Origin: Hashable, Sendable, BitwiseCopyable {
    package var room: RoomID
    package var epoch: EpochID

    package init(room: RoomID, epoch: EpochID) {
        self.room = room
        self.epoch = epoch
    }
}

/// A room's id and its epochs, oldest first.
///
/// The room's history is one line. An epoch stands for that line as the process that began the
/// epoch knew it. Revisions of an epoch are valid up to the first revision of the next epoch. The
/// process may have written more, but the store lost that, so it is not part of the line.
///
/// Invariants:
/// 1. There is at least one epoch, and no id occurs twice.
/// 2. First revisions never decrease.
package struct RoomIdentity: Hashable, Sendable {
    package let id: RoomID
    package internal(set) var epochs: [Epoch]

    /// How many epochs a room remembers. Each opening that writes adds one; a client whose epoch
    /// was dropped gets a snapshot. So many take 4 KiB in an image.
    package static let maximumEpochs = 256
    /// How many of the newest epochs a client gets: one for what is durable, and one for what
    /// follows.
    package static let epochsForClients = 2

    package init(_ id: RoomID, _ epoch: Epoch) {
        self.id = id
        epochs = [epoch]
    }

    /// The epoch that new revisions are of.
    package var newestEpoch: EpochID { epochs[epochs.count - 1].id }

    /// Begins an epoch; beyond ``maximumEpochs`` the oldest one is dropped.
    package mutating func begin(_ epoch: Epoch) {
        precondition(epoch.first >= (epochs.last?.first ?? 0), "epochs begin in order")
        epochs.append(epoch)
        if epochs.count > RoomIdentity.maximumEpochs { epochs.removeFirst() }
    }

    /// The origin of a revision, as far as the epochs here say: the last epoch that begins below
    /// it, or the oldest one.
    package func origin(of revision: Revision) -> Origin {
        let epoch = epochs.last { $0.first < revision } ?? epochs[0]
        return Origin(room: id, epoch: epoch.id)
    }

    /// Whether a revision of that origin is part of this history.
    package func includes(_ revision: Revision, of origin: Origin) -> Bool {
        guard origin.room == id,
            let index = epochs.lastIndex(where: { $0.id == origin.epoch })
        else { return false }
        return index + 1 == epochs.count || revision <= epochs[index + 1].first
    }

    /// The part that a client gets: the newest epochs.
    package var forClients: RoomIdentity {
        var identity = self
        identity.epochs = epochs.suffix(RoomIdentity.epochsForClients)
        return identity
    }
}

extension UInt64 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
