import SyncBytes
package import SyncModel
import SyncWire

/// A hash of client id and secret, with the room's id as key. A room keeps it instead of the
/// secret.
///
/// So neither the log nor memory has the secret. The same secret has another hash for another
/// client, for another user or in another room, so no user can use the client id of another. It is
/// computed once for each join.
package struct SecretHash: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package static let byteCount = 16

    /// - Parameter user: the user whose client it is; empty if nobody has signed in.
    package init(
        of secret: [UInt8], client: Identifier, user: UserName, in room: RoomID
    ) {
        let hash = SHA256.authenticate(
            SecretHash.prefix(user) + SecretHash.text(client.text) + secret, key: room.bytes)
        (high, low) = (SecretHash.number(hash[..<8]), SecretHash.number(hash[8..<16]))
    }

    /// No client's name is empty, so a message that begins with an empty name has a user.
    private static func prefix(_ user: UserName) -> [UInt8] {
        user.isNobody ? [] : text("") + text(user.text)
    }

    /// A name behind its length, which is one byte. So no two messages are the same.
    private static func text(_ name: String) -> [UInt8] {
        let bytes = Array(name.utf8.prefix(Int(UInt8.max)))
        return [UInt8(bytes.count)] + bytes
    }

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// The hash of a free slot.
    static let none = SecretHash(high: 0, low: 0)

    /// Reads it from the log or an image.
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == SecretHash.byteCount else { return nil }
        (high, low) = (SecretHash.number(bytes[..<8]), SecretHash.number(bytes[8...]))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(fixed64: high.byteSwapped)
        writer.write(fixed64: low.byteSwapped)
    }

    package static func == (left: SecretHash, right: SecretHash) -> Bool { left.matches(right) }

    /// Half of it suffices, as it is a hash already.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(low)
    }

    /// Whether it is the same. The time does not depend on where they differ.
    func matches(_ other: SecretHash) -> Bool {
        (high ^ other.high) | (low ^ other.low) == 0
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension RoomID {
    var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }
}
