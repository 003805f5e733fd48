import CollSync
import SyncModel
import SyncTerminal

/// Texts for people about the events of a room.
enum PlainText {
    /// The most changes of a batch that are listed; more are only counted.
    static let longestList = 20

    /// The name for people: the title or name, else the id.
    static func name(of item: Item) -> String {
        name(item.content.fields) ?? item.id.text
    }

    static func name(of section: ListSection) -> String {
        name(section.content.fields) ?? section.id.text
    }

    /// An item's line in a list.
    static func label(of item: Item, number: Int) -> TerminalText {
        "\(number). \(name(of: item))"
    }

    /// A section's line in a list.
    static func label(of section: ListSection, number: Int) -> TerminalText {
        "[\(number)] \(name(of: section))"
    }

    private static func name(_ fields: [Field]) -> String? {
        for wanted: Identifier in ["title", "name"] {
            for field in fields where field.name == wanted {
                if case .text(let text) = field.value, !text.isEmpty { return text }
            }
        }
        return nil
    }

    /// The paragraph for an event.
    static func describe(_ event: RoomEvent) -> TerminalText {
        switch event {
        case .joined(let welcome) where welcome.isChanged:
            "\(welcome.room) is another room than it was, or has lost changes.\n"
        case .joined(let welcome): "You are \(welcome.client) in \(welcome.room).\n"
        case .snapshot(let snapshot):
            "Revision \(snapshot.revision): \(count(snapshot)).\n"
        case .authors: ""
        case .batch(let batch): describe(batch)
        case .acknowledged(_, let commit):
            commit.superseded.map { "That was overtaken (\($0.reason.name)).\n" as TerminalText }
                .joined()
        case .rejected(let number, let rejection):
            "Refused, number \(number): \(rejection.message)\n"
        case .nearLimit(let use): "\(describe(use))\n"
        case .interrupted(let error, _): "Connection lost (\(error.message)); trying again.\n"
        case .ended(let error): error.code == "closed" ? "" : "\(error.message)\n"
        }
    }

    /// The sentence for a quota that is nearly used up.
    static func describe(_ use: QuotaUse) -> TerminalText {
        let (whose, what): (TerminalText, TerminalText) =
            switch use.quota {
            case .bytes: ("The room", "bytes in the server's memory")
            case .items: ("The room", "items")
            case .sections: ("The room", "sections")
            case .members: ("The room", "members")
            case .disk: ("The room", "bytes on disk")
            case .transactions: ("The room", "transactions a second")
            case .logBytes: ("The room", "bytes of log a second")
            case .connections: ("Your user or address", "connections")
            case .rooms: ("Your user or address", "rooms")
            case .ownTransactions: ("Your user or address", "transactions a second")
            case .ownLogBytes: ("Your user or address", "bytes of transactions a second")
            case .unknown: ("The room", "")
            }
        return "\(whose) is near a limit: \(use.used) of \(use.limit) \(what)."
    }

    private static func count(_ snapshot: Snapshot) -> TerminalText {
        let items = snapshot.sections.reduce(0) { $0 + $1.items.count }
        return "\(counted(items, "item")) in \(counted(snapshot.sections.count, "section"))"
    }

    /// The text of a batch alone; ``PlainChanges`` uses the room too.
    private static func describe(_ batch: Batch) -> TerminalText {
        var lines: [TerminalText] = []
        for stage in batch.stages {
            lines += stage.reloads.map { "  ~ \(name(of: $0.item))" }
            lines += stage.changedSections.map { "  ~ section \(name(of: $0.section))" }
            lines += stage.insertSections.map { "  + section \(name(of: $0.section))" }
            lines += stage.moveSections.map { "  > section \($0.from + 1) is now \($0.to + 1)" }
            lines += stage.deletes.map { "  - item \($0.item + 1) of section \($0.section + 1)" }
            lines += stage.inserts.map { "  + \(name(of: $0.item))" }
            lines += stage.moves.map {
                """
                  > item \($0.from.item + 1) of section \($0.from.section + 1) is now item \
                \($0.to.item + 1) of section \($0.to.section + 1)
                """
            }
            lines += stage.deleteSections.map { "  - section \($0 + 1)" }
        }
        return paragraph(lines, revision: batch.to)
    }

    /// The changes of a revision, one in each line.
    static func paragraph(_ lines: [TerminalText], revision: Revision) -> TerminalText {
        let head: TerminalText = "Revision \(revision):"
        if lines.isEmpty { return "\(head) nothing differs\n" }
        if lines.count > longestList { return "\(head) \(lines.count) changes\n" }
        return ([head] + lines).joined(separator: "\n") + "\n"
    }
}
