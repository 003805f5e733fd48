import CollSync
import SyncClient
import SyncModel
import SyncTerminal

/// The other members of a room, as they were last shown to a person.
struct PlainOthers {
    private var others: [Identifier: MemberPresence] = [:]

    /// A line for each member that joins, leaves or selects other items.
    ///
    /// - Parameter replica: has the names of the items.
    mutating func describe(_ changes: [PresenceChange], in replica: Replica) -> TerminalText {
        let names = PlainOthers.names(of: changes.compactMap(\.member), in: replica)
        return changes.map { change -> TerminalText in
            switch change {
            case .shows(let member):
                let former = others.updateValue(member, forKey: member.client)
                return describe(member, since: former, names)
            case .left(let client):
                let former = others.removeValue(forKey: client)
                return "\(former.map(PlainOthers.name) ?? client.text) is gone.\n"
            }
        }.joined()
    }

    private func describe(
        _ member: MemberPresence, since former: MemberPresence?, _ names: [Identifier: String]
    ) -> TerminalText {
        let name = PlainOthers.name(of: member)
        let selected = PlainOthers.list(member.selected, names)
        guard let former else {
            return member.selected.isEmpty
                ? "\(name) is here.\n" : "\(name) is here and has selected \(selected).\n"
        }
        guard member.selected != former.selected else { return "" }
        return member.selected.isEmpty
            ? "\(name) has nothing selected.\n" : "\(name) has selected \(selected).\n"
    }

    /// The list of all other members.
    func list(in replica: Replica) -> TerminalText {
        guard !others.isEmpty else { return "Nobody else is here.\n" }
        let members = others.values.sorted { $0.client < $1.client }
        let names = PlainOthers.names(of: members, in: replica)
        return members.map { member -> TerminalText in
            let selected = PlainOthers.list(member.selected, names)
            let what: TerminalText = selected.isEmpty ? "" : ": \(selected)"
            return "  \(PlainOthers.name(of: member))\(what)\n"
        }.joined()
    }

    private static func name(of member: MemberPresence) -> String {
        [member.displayName, member.user].first { !$0.isEmpty } ?? member.client.text
    }

    private static func list(_ ids: [Identifier], _ names: [Identifier: String]) -> String {
        ids.map { names[$0] ?? $0.text }.joined(separator: ", ")
    }

    /// The names of the items that members have selected. O(n) for a room of n items.
    private static func names(
        of members: [MemberPresence], in replica: Replica
    ) -> [Identifier: String] {
        let wanted = Set(members.flatMap(\.selected))
        var names: [Identifier: String] = [:]
        guard !wanted.isEmpty else { return names }
        replica.forEachItem { item in
            if wanted.contains(item.id) { names[item.id] = PlainText.name(of: item) }
        }
        return names
    }
}

extension PresenceChange {
    fileprivate var member: MemberPresence? {
        if case .shows(let member) = self { member } else { nil }
    }
}
