package import SyncModel

/// Where the items of a clipboard are now.
package struct PastedLine: Sendable, Equatable {
    /// Their ids, in order.
    package var ids: [Identifier]
    /// The revision that has them there.
    package var revision: Revision

    package init(ids: [Identifier], revision: Revision) {
        self.ids = ids
        self.revision = revision
    }
}

extension JSONWriter {
    mutating func write(_ line: PastedLine) {
        beginObject()
        list("ids", line.ids) { $0.write(text: $1.text) }
        member("revision", line.revision)
        endObject()
    }
}

extension JSONNode {
    func pastedLine() throws(JSONError) -> PastedLine {
        var ids: [Identifier] = []
        var revision: Revision?
        for member in try members() {
            switch member.key {
            case "ids": ids = try member.node.identifiers()
            case "revision": revision = try member.node.wholeNumber()
            default: throw member.unknownKey
            }
        }
        return PastedLine(ids: ids, revision: try required(revision, "revision"))
    }
}
