import SyncModel

// What of a guarded item or section has changed: `{"content":true,"fields":[0]}`.

extension JSONWriter {
    /// Writes it as the member `changed`; nothing if nothing has changed.
    mutating func write(changed: GuardedChanges) {
        if changed.isEmpty { return }
        key("changed")
        beginObject()
        for (name, part) in GuardedChanges.named where changed.contains(part) {
            key(name)
            write(bool: true)
        }
        list("fields", changed.fields) { $0.write(integer: $1) }
        endObject()
    }
}

extension JSONNode {
    func guardedChanges() throws(JSONError) -> GuardedChanges {
        var changed: GuardedChanges = []
        for member in try members() {
            let node = member.node
            if let part = GuardedChanges.named.first(where: { member.isNamed(JSONName($0.name)) }) {
                if try node.bool() { changed.insert(part.part) }
                continue
            }
            guard member.isNamed("fields") else {
                throw member.unknownKey(
                    among: GuardedChanges.named.map { JSONName($0.name) } + ["fields"])
            }
            for position in try node.elements({ node throws(JSONError) in try node.count() }) {
                guard position < Guard.maximumFields else {
                    throw node.error("must be positions below \(Guard.maximumFields)")
                }
                changed.insert(.field(at: position))
            }
        }
        return changed
    }
}
