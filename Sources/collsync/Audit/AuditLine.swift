import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A line of an audit trail: a JSON object whose members are texts.
struct AuditLine: Equatable {
    private(set) var members: [String: String]

    subscript(_ name: String) -> String { members[name] ?? "" }

    /// Whether a member has these bytes.
    func has(_ value: String, as name: String) -> Bool {
        self[name].utf8.elementsEqual(value.utf8)
    }

    /// All names, in the order in which they are written.
    static let names = [
        "time", "kind", "address", "user", "sharer", "token", "room", "code", "detail", "leftOut",
    ]

    /// The kind of a line that says how many others could not be written.
    static let lost = "lost"

    init(_ event: AuditEvent, withAddress: Bool) {
        members = [
            "time": UTCTime.text(milliseconds: event.time), "kind": event.kind.rawValue,
            "address": withAddress ? event.address : "", "user": event.user.text,
            "sharer": event.sharer.text, "token": event.token?.text ?? "",
            "room": event.room?.text ?? "",
            "code": event.code?.rawValue ?? "", "detail": event.detail,
            "leftOut": event.leftOut > 0 ? "\(event.leftOut)" : "",
        ]
    }

    /// A line that says how many others could not be written before it.
    init(lost count: Int, at now: UInt64) {
        members = [
            "time": UTCTime.text(milliseconds: now), "kind": AuditLine.lost, "leftOut": "\(count)",
        ]
    }

    /// The line, without its end. Members that are empty are left out.
    var text: String {
        let parts = AuditLine.names.compactMap { name -> String? in
            guard let value = members[name], !value.isEmpty else { return nil }
            return "\"\(name)\":\(LineLogHandler.quoted(value))"
        }
        return "{\(parts.joined(separator: ","))}"
    }
}

extension AuditLine {
    /// Reads a line; `nil` if it is torn, or none of a trail.
    init?(_ line: ArraySlice<UInt8>) {
        guard let text = String(validating: line, as: UTF8.self),
            let tree = try? JSONTree(parsing: text)
        else { return nil }
        members = [:]
        for name in AuditLine.names { members[name] = tree[name]?.string }
        guard members["time"] != nil, members["kind"] != nil else { return nil }
    }

    var withoutAddress: AuditLine {
        var line = self
        line.members["address"] = nil
        return line
    }
}
