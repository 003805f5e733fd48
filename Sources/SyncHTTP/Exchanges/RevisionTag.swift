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

    init?(_ text: String) {
        guard text.utf8.count <= RevisionTag.mostBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let revision = Revision(parts[1]), "\(revision)" == parts[1]
        else { return nil }
        let names = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard names.count == 2 else { return nil }
        self.init(
            Origin(RoomOrigin(id: String(names[0]), epoch: String(names[1]))), revision)
    }
}
