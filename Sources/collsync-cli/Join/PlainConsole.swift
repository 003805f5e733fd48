import CollSync
import SyncClient
import SyncIO
import SyncJSON
import SyncModel
import SyncTerminal

/// Shows a room to a person: a few commands in lines, and a line for each change.
final class PlainConsole: RoomConsole {
    static let help: TerminalText = """
        list                      what is here: items by their numbers, sections by [theirs]
        add TEXT                  a new item at the end of the last section
        add [S] TEXT              a new item at the end of section S
        edit N TEXT               give item N another title
        move N M                  put item N where item M is now: before it, or behind it if N
                                  comes first
        move N [S]                put item N at the end of section S
        delete N …                take these items away
        section add TEXT          a new section at the end
        section edit N TEXT       give section N another title
        section move N M          put section N where section M is
        section delete N          take section N away, with its items
        copy N …                  copy these items; cut N … moves them when they are pasted
        paste N                   put them before item N; paste [S] at the end of section S,
                                  paste alone at the end of the last one
        who                       who else is here, and what they have selected
        select N …                show the others that you have selected these items
        quit                      leave

        """

    private let output: any TextOutput
    private let makeID: @Sendable () -> Identifier
    /// The room as it was shown last, for the numbers of items and sections.
    private let replica = Monitor(Replica())
    private let others = Monitor(PlainOthers())
    private let hasJoined = Monitor(false)
    private let isInterrupted = Monitor(false)

    init(output: any TextOutput, makeID: @escaping @Sendable () -> Identifier) {
        self.output = output
        self.makeID = makeID
    }

    func show(_ events: [RoomEvent]) throws {
        for event in events { try output.write(text: text(for: event)) }
    }

    private func text(for event: RoomEvent) -> TerminalText {
        switch event {
        case .interrupted:
            isInterrupted.withLock { $0 = true }
            return PlainText.describe(event)
        case .joined(let welcome):
            isInterrupted.withLock { $0 = false }
            let isBack = hasJoined.withLock { hasJoined in
                defer { hasJoined = true }
                return hasJoined
            }
            let text = PlainText.describe(event)
            guard isBack else { return text + "Type help for the commands.\n" }
            return welcome.isChanged ? "Connected again. \(text)" : "Connected again.\n"
        case .snapshot(let snapshot):
            replica.withLock { $0.load(snapshot) }
            return PlainText.describe(event)
        case .batch(let batch):
            return replica.withLock { PlainChanges(of: batch, applyingTo: &$0).text }
        default: return PlainText.describe(event)
        }
    }

    func show(_ changes: [PresenceChange]) throws {
        let replica = replica.withLock { $0 }
        try output.write(text: others.withLock { $0.describe(changes, in: replica) })
    }

    func show(_ clipboard: Clipboard) throws {
        let done: TerminalText = clipboard.isCut ? "cut; paste moves them" : "copied"
        try output.write(text: "\(counted(clipboard.items.count, "item")) \(done).\n")
    }

    func show(_ pasted: Pasted, of clipboard: Clipboard) throws {
        guard let reason = pasted.leftBehind else { return }
        try output.write(text: "They are still in \(clipboard.room), too: \(reason.message)\n")
    }

    func answer(_ reply: ConsoleReply) throws {
        switch reply {
        case .unreadable(let text), .unsupported(let text): try output.write(text: "\(text)\n")
        case .failed(let failure): try output.write(text: "\(failure.message)\n")
        case .text(let text): try output.write(text: text)
        }
    }

    func read(_ line: LineReader.Line, number: Int) -> ConsoleCommand {
        guard case .text(let bytes) = line, let text = String(validating: bytes, as: UTF8.self)
        else { return .reply(.unreadable("that is no line of text")) }
        do throws(PlainMistake) {
            let line = try PlainCommand(text)
            let shown = replica.withLock { $0 }
            let command = self.command(for: line, in: shown)
            explain(command, PlainConsole.place(meantBy: line, in: shown))
            return command
        } catch {
            return .reply(.text(error.message))
        }
    }

    /// Says which place a command means, and whether it has to wait. An error means that the
    /// terminal is gone, which the next event finds out.
    private func explain(_ command: ConsoleCommand, _ place: TerminalText?) {
        let isSent =
            switch command {
            case .transaction, .clipboard(.paste): true
            default: false
            }
        guard isSent else { return }
        if let place { try? output.write(text: place) }
        if isInterrupted.withLock({ $0 }) {
            try? output.write(text: "Waiting for the server; this is sent when it is back.\n")
        }
    }

    private func command(for command: PlainCommand, in replica: Replica) -> ConsoleCommand {
        switch command {
        case .nothing: .nothing
        case .help: .reply(.text(PlainConsole.help))
        case .list: .reply(.text(PlainConsole.list(replica)))
        case .who: .reply(.text(others.withLock { $0.list(in: replica) }))
        case .select(let numbers):
            withItems(numbers, in: replica) { .presence(PresenceCommand(selected: $0)) }
        case .copy(let numbers): withItems(numbers, in: replica) { .clipboard(.copy($0)) }
        case .cut(let numbers): withItems(numbers, in: replica) { .clipboard(.cut($0)) }
        case .paste(nil): pasteCommand(intoSection: replica.sectionCount, in: replica)
        case .paste(let number?): pasteCommand(before: number, in: replica)
        case .pasteInto(let section): pasteCommand(intoSection: section, in: replica)
        case .quit: .quit
        case .item(let edit): itemCommand(edit, in: replica)
        case .section(let edit): sectionCommand(edit, in: replica)
        }
    }

    // MARK: Items

    private func itemCommand(_ edit: PlainCommand.Edit, in replica: Replica) -> ConsoleCommand {
        switch edit {
        case .add(let title, let number):
            guard let section = PlainConsole.section(number, in: replica) else {
                return .noSection(number)
            }
            return PlainConsole.transaction { fields throws(ModelError) in
                let item = Item(id: makeID(), content: try ItemContent(fields: fields))
                return .insert(item, to: Placement(section: section.id))
            } titled: {
                title
            }
        case .edit(let number, let title):
            guard let item = PlainConsole.item(number, in: replica) else { return .noItem(number) }
            return PlainConsole.transaction { fields in
                .update(item.item.id, ItemPatch(set: fields))
            } titled: {
                title
            }
        case .move(let number, let target):
            guard let item = PlainConsole.item(number, in: replica) else { return .noItem(number) }
            guard let other = PlainConsole.item(target, in: replica) else { return .noItem(target) }
            let id = other.item.id
            let place = Placement(
                section: other.section, position: number < target ? .after(id) : .before(id))
            return .transaction([.move(item.item.id, to: place)], base: nil, number: nil)
        case .moveInto(let number, let sectionNumber):
            guard let item = PlainConsole.item(number, in: replica) else { return .noItem(number) }
            guard let section = PlainConsole.section(sectionNumber, in: replica) else {
                return .noSection(sectionNumber)
            }
            let place = Placement(section: section.id)
            return .transaction([.move(item.item.id, to: place)], base: nil, number: nil)
        case .delete(let numbers):
            return withItems(numbers, in: replica) { ids in
                .transaction(ids.map { .delete($0) }, base: nil, number: nil)
            }
        }
    }

    /// The command for the items of these numbers.
    private func withItems(
        _ numbers: [Int], in replica: Replica, _ command: ([Identifier]) -> ConsoleCommand
    ) -> ConsoleCommand {
        var ids: [Identifier] = []
        for number in numbers {
            guard let item = PlainConsole.item(number, in: replica) else { return .noItem(number) }
            ids.append(item.item.id)
        }
        return command(ids)
    }

    private func pasteCommand(intoSection number: Int, in replica: Replica) -> ConsoleCommand {
        guard let section = PlainConsole.section(number, in: replica) else {
            return .noSection(number)
        }
        return .clipboard(.paste(nil, to: Placement(section: section.id)))
    }

    private func pasteCommand(before number: Int, in replica: Replica) -> ConsoleCommand {
        guard let item = PlainConsole.item(number, in: replica) else { return .noItem(number) }
        let place = Placement(section: item.section, position: .before(item.item.id))
        return .clipboard(.paste(nil, to: place))
    }

    /// The section with a number; the last one without a number.
    private static func section(_ number: Int?, in replica: Replica) -> ListSection? {
        replica.section(at: (number ?? replica.sectionCount) - 1)
    }

    /// The item with a number, counted from 1 over all sections.
    private static func item(
        _ number: Int, in replica: Replica
    ) -> (item: Item, section: Identifier)? {
        var rest = number - 1
        for index in 0..<replica.sectionCount {
            let count = replica.itemCount(inSection: index)
            if rest >= 0, rest < count, let section = replica.section(at: index),
                let item = replica.item(at: ItemPath(section: index, item: rest))
            {
                return (item, section.id)
            }
            rest -= count
        }
        return nil
    }

    // MARK: Sections

    private func sectionCommand(_ edit: PlainCommand.Edit, in replica: Replica) -> ConsoleCommand {
        switch edit {
        case .add(let title, _):
            return PlainConsole.transaction { fields throws(ModelError) in
                let section = ListSection(id: makeID(), content: try SectionContent(fields: fields))
                return .insertSection(section, to: Placement())
            } titled: {
                title
            }
        case .edit(let number, let title):
            guard let section = replica.section(at: number - 1) else { return .noSection(number) }
            return PlainConsole.transaction { fields in
                .updateSection(section.id, SectionPatch(set: fields))
            } titled: {
                title
            }
        case .move(let number, let target):
            guard let section = replica.section(at: number - 1) else { return .noSection(number) }
            guard let other = replica.section(at: target - 1) else { return .noSection(target) }
            let place = Placement(
                position: number < target ? .after(other.id) : .before(other.id))
            return .transaction([.moveSection(section.id, to: place)], base: nil, number: nil)
        case .delete(let numbers):
            var operations: [ListOperation] = []
            for number in numbers {
                guard let section = replica.section(at: number - 1) else {
                    return .noSection(number)
                }
                operations.append(.deleteSection(section.id))
            }
            return .transaction(operations, base: nil, number: nil)
        case .moveInto(_, let number): return .noSection(number)
        }
    }

    // MARK: Helpers

    /// A transaction with one operation that needs a title.
    private static func transaction(
        _ operation: ([Field]) throws(ModelError) -> ListOperation, titled title: () -> String
    ) -> ConsoleCommand {
        let title = title()
        guard !title.unicodeScalars.contains(where: DisplayText.commandsTerminals) else {
            return .reply(.text("A title has no control characters.\n"))
        }
        do throws(ModelError) {
            let field = Field(name: Identifier("title"), value: .text(title))
            return .transaction([try operation([field])], base: nil, number: nil)
        } catch {
            return .reply(.text("That can't be a title.\n"))
        }
    }

    /// Which place a command means, in words; `nil` for one without a place.
    private static func place(
        meantBy command: PlainCommand, in replica: Replica
    ) -> TerminalText? {
        func name(_ number: Int) -> String? {
            item(number, in: replica).map { PlainText.name(of: $0.item) }
        }
        switch command {
        case .item(.move(let number, let target)):
            guard let item = name(number), let other = name(target) else { return nil }
            return "Moving \(item) \(number < target ? "behind" : "before") \(other).\n"
        case .item(.moveInto(let number, let section)):
            guard let item = name(number), let section = self.section(section, in: replica) else {
                return nil
            }
            return "Moving \(item) to the end of \(PlainText.name(of: section)).\n"
        case .section(.move(let number, let target)):
            guard let section = replica.section(at: number - 1),
                let other = replica.section(at: target - 1)
            else { return nil }
            let side: TerminalText = number < target ? "behind" : "before"
            return "Moving \(PlainText.name(of: section)) \(side) \(PlainText.name(of: other)).\n"
        case .paste(let number?): return name(number).map { "Pasting before \($0).\n" }
        case .paste(nil): return end(of: nil, in: replica)
        case .pasteInto(let section): return end(of: section, in: replica)
        default: return nil
        }
    }

    private static func end(of section: Int?, in replica: Replica) -> TerminalText? {
        self.section(section, in: replica).map {
            "Pasting at the end of \(PlainText.name(of: $0)).\n"
        }
    }

    private static func list(_ replica: Replica) -> TerminalText {
        var text: TerminalText = ""
        var number = 1
        for index in 0..<replica.sectionCount {
            guard let section = replica.section(at: index) else { continue }
            text += "\(PlainText.label(of: section, number: index + 1))\n"
            for item in 0..<replica.itemCount(inSection: index) {
                guard let item = replica.item(at: ItemPath(section: index, item: item)) else {
                    continue
                }
                text += "  \(PlainText.label(of: item, number: number))\n"
                number += 1
            }
        }
        return text
    }
}

extension ConsoleCommand {
    fileprivate static func noItem(_ number: Int) -> ConsoleCommand {
        .reply(.text("There is no item \(number); list shows what there is.\n"))
    }

    /// - Parameter number: `nil` or 0 if any section would do.
    fileprivate static func noSection(_ number: Int?) -> ConsoleCommand {
        guard let number, number > 0 else {
            return .reply(.text("There is no section; make one with section add TEXT.\n"))
        }
        return .reply(.text("There is no section \(number); list shows what there is.\n"))
    }
}
