import SyncBytes
import SyncHTTPCodec
import SyncModel

/// A room's revision with its identity, as text: `ROOM-EPOCH.REVISION`, in hexadecimal but for the
/// revision. The number alone means another state in another room, or after a restored backup.
struct RevisionTag: Equatable {
    let origin: Origin
    let revision: Revision

    init(_ origin: Origin, _ revision: Revision) {
        self.origin = origin
        self.revision = revision
    }

    var text: String { "\(RevisionTag.text(of: origin)).\(revision)" }

    static func text(of origin: Origin) -> String { "\(origin.room)-\(origin.epoch)" }

    /// It as an entity tag (RFC 9110, 8.8.3).
    var entityTag: String { "\"\(text)\"" }

    /// More bytes than any has.
    private static let mostBytes = 128

    init?(_ text: ForeignText) {
        guard text.byteCount <= RevisionTag.mostBytes else { return nil }
        let parts = text.parts(between: ".")
        guard parts.count == 2, let revision = Revision(parts[1].shown) else { return nil }
        let names = parts[0].parts(between: "-")
        guard names.count == 2 else { return nil }
        self.init(
            Origin(RoomOrigin(id: names[0].shown, epoch: names[1].shown)), revision)
        // There is one form for each.
        guard text.isSame(as: self.text) else { return nil }
    }
}
