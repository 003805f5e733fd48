package import SyncModel

/// The items that were pasted from a clipboard.
package struct PastedLine: Sendable, Equatable {
    /// Their ids, in order.
    package var ids: [Identifier]
    /// The revision that has them at their new places.
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
        enum Key: JSONName, CaseIterable { case ids, revision }
        for member in try members() {
            switch try member.key(Key.self) {
            case .ids: ids = try member.node.identifiers()
            case .revision: revision = try member.node.wholeNumber()
            }
        }
        return PastedLine(ids: ids, revision: try required(revision, "revision"))
    }
}
