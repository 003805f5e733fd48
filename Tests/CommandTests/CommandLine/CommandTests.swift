import ArgumentParser
import CollSync
import Glibc
import ModelSupport
import SyncJSON
import SyncModel
import SyncTerminal
import Testing

@testable import collsync_cli

@Suite struct CommandTests {
    private func parse<Command>(_ arguments: [String], as type: Command.Type) throws -> Command {
        try #require(try CollSyncCLI.parseAsRoot(arguments) as? Command)
    }

    @Test func sharedOptionsStandBeforeOrBehind() throws {
        let behind = try parse(["rooms", "--server", "h:1", "--json"], as: Rooms.self)
        let before = try parse(["--server", "h:1", "--json", "rooms"], as: Rooms.self)
        let expected = ResolvedOptions(server: "h:1", printsJSON: true)
        #expect(behind.options.resolved(behind.parent.options) == expected)
        #expect(before.options.resolved(before.parent.options) == expected)
        let both = try parse(["--server", "h:1", "rooms", "--server", "h:2"], as: Rooms.self)
        #expect(both.options.resolved(both.parent.options).server == "h:2")
    }

    /// Where TLS's options are split, none of them is dropped.
    @Test func securityStandsBeforeOrBehind() throws {
        func settings(_ arguments: String...) throws -> TLSSettings? {
            let command = try parse(arguments, as: Rooms.self)
            return command.options.resolved(command.parent.options).tls
        }
        #expect(try settings("rooms") == nil)
        #expect(try settings("--tls", "rooms") == TLSSettings())
        #expect(try settings("rooms", "--tls") == TLSSettings())
        #expect(
            try settings("--tls-ca", "a", "--tls-cert", "c", "rooms", "--tls-name", "n")
                == TLSSettings(trusted: "a", serverName: "n", certificate: "c"))
        #expect(
            try settings("--tls-cert", "c", "rooms", "--tls-ca", "a", "--tls-cert", "d")
                == TLSSettings(trusted: "a", certificate: "d"))
        #expect(
            try settings("--tls-cert", "c", "--tls-key", "k", "rooms")
                == TLSSettings(certificate: "c", key: "k"))
    }

    @Test func viewsOnlyAreAskedFor() throws {
        #expect(try !parse(["join", "r"], as: Join.self).viewOnly)
        #expect(try parse(["join", "r", "--view-only", "--json"], as: Join.self).viewOnly)
    }

    @Test func tailChecksItsRange() throws {
        let tail = try parse(
            ["tail", "r", "--from", "3", "--until", "9", "--every-revision"], as: Tail.self)
        #expect(tail.from == 3)
        #expect(tail.until == 9)
        #expect(tail.everyRevision)
        #expect(throws: (any Error).self) {
            try CollSyncCLI.parseAsRoot(["tail", "r", "--from", "3", "--until", "2"])
        }
        #expect(throws: (any Error).self) {
            try CollSyncCLI.parseAsRoot(["tail", "r", "--from", "-1"])
        }
    }

    @Test func usageErrorsAre64() {
        for arguments in [
            ["join"], ["nonsense"], ["export", "r", "--revision", "x"], ["join", "a", "b"],
        ] {
            do {
                _ = try CollSyncCLI.parseAsRoot(arguments)
                Issue.record("\(arguments) is accepted")
            } catch {
                #expect(CollSyncCLI.exitCode(for: error).rawValue == Failure.usage)
            }
        }
    }

    @Test func theNearestCommandIsNamed() {
        func message(_ arguments: String...) -> String? {
            CollSyncCLI.unknownCommand(in: arguments)
        }
        #expect(message("jion", "r") == "there is no command 'jion', did you mean 'join'?")
        #expect(
            message("--json", "--server", "h:1", "delete-rom")
                == "there is no command 'delete-rom', did you mean 'delete-room'?")
        #expect(
            message("nonsense") == "there is no command 'nonsense'; --help names them all")
        let secured = ["--tls", "--tls-ca", "a", "--tls-name", "b", "--tls-cert", "c"]
        for fine in [
            [], ["help"], ["--help"], ["join"], ["--server", "jion", "rooms"],
            secured + ["--tls-key", "d", "rooms"], ["--token-file", "t", "rooms"],
            ["--token-file=t", "--token-in-clear", "rooms"],
        ] {
            #expect(CollSyncCLI.unknownCommand(in: fine) == nil)
        }
    }

    /// None of them turns the check of the server's certificate off.
    @Test func flagsOfTLSAreFew() {
        let known: Set = ["--tls", "--tls-ca", "--tls-name", "--tls-cert", "--tls-key"]
        func flags(_ help: String) -> Set<String> {
            Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        }
        #expect(
            flags(TLSOptions.helpMessage()).subtracting(["--help"]).isSubset(
                of: known.union(["--server"])))
        for command in [CollSyncCLI.self] + CollSyncCLI.configuration.subcommands {
            let all = flags(command.helpMessage()).filter {
                $0.contains("tls") || $0.contains("secure") || $0.contains("verify")
                    || $0.contains("certificate") || $0.contains("trust")
            }
            #expect(all.isSubset(of: known), "\(command)")
        }
        #expect(flags(CollSyncCLI.helpMessage()).isSuperset(of: known))
    }

    @Test func helpNamesEveryCommand() {
        let help = CollSyncCLI.helpMessage()
        let names = [
            "join", "view", "tail", "export", "import", "layout", "render", "rooms", "stats",
            "delete-room",
        ]
        for name in names {
            #expect(help.contains("\n  \(name) "), "\(name) is missing")
        }
    }
}

@Suite struct PlainCommandTests {
    @Test(arguments: [
        ("", PlainCommand.nothing), ("  ", .nothing), ("help", .help), ("list", .list),
        ("add  Oat milk ", .item(.add("Oat milk"))),
        ("edit 2 Rye bread", .item(.edit(2, "Rye bread"))),
        ("move 3 1", .item(.move(3, 1))), ("delete 4", .item(.delete([4]))),
        ("delete 4  1", .item(.delete([4, 1]))),
        ("section add Done", .section(.add("Done"))), ("section move 1 2", .section(.move(1, 2))),
        ("section delete 2 1", .section(.delete([2, 1]))), ("quit", .quit), ("who", .who),
        ("select 2  1", .select([2, 1])), ("select", .select([])), ("copy 3 1", .copy([3, 1])),
        ("cut 2", .cut([2])), ("paste", .paste(nil)), ("paste 4", .paste(4)),
        ("paste [2]", .pasteInto(section: 2)), ("move 3 [1]", .item(.moveInto(3, section: 1))),
        ("add [2]  Oat milk", .item(.add("Oat milk", section: 2))),
        ("add [2]", .item(.add("[2]"))), ("add [x] y", .item(.add("[x] y"))),
        ("section add [1] Fruit", .section(.add("[1] Fruit"))),
    ])
    func reads(line: String, command: PlainCommand) throws {
        #expect(try PlainCommand(line) == command)
    }

    @Test(arguments: [
        "add", "edit 2", "edit x y", "move 1", "move 1 b", "delete", "delete 1 x", "delete 0",
        "delete -9223372036854775808", "section", "hello", "select x", "select 1 0",
        "copy", "cut", "cut 1 x", "paste x", "paste 1 2", "paste [0]", "move [1] 2", "move 1 [x]",
    ])
    func refuses(line: String) {
        #expect(throws: PlainMistake.self) { try PlainCommand(line) }
    }

    @Test(arguments: [
        ("move 1", "move takes two numbers"), ("add", "add takes a text"),
        ("section move 1 x", "section move takes two numbers"),
        ("section mvoe 1 2", "section takes add, edit, move or delete"),
        ("jion", "There is no command 'jion'; help names them all."),
        ("lsit", "There is no command 'lsit'; did you mean list? help names them all."),
    ])
    func saysWhatWouldBeRight(line: String, words: String) {
        do throws(PlainMistake) {
            Issue.record("it is read as \(try PlainCommand(line))")
        } catch {
            #expect(error.message.text.hasPrefix(words))
        }
    }
}

@Suite struct PlainConsoleTests {
    private let console: PlainConsole

    init() throws {
        console = PlainConsole(output: Output(descriptor: open("/dev/null", O_WRONLY))) {
            "new"
        }
        let sections = [("a", ["1", "2"]), ("b", ["3"])].map { name, items in
            Snapshot.SectionState(
                section: ListSection(id: id(name)),
                items: items.map { Item(id: id($0)) })
        }
        try console.show([.snapshot(Snapshot(revision: 3, sections: sections))])
    }

    private func operations(_ line: String) -> [ListOperation]? {
        guard
            case .transaction(let operations, _, _, _, _) = console.read(
                .text(Array(line.utf8)), number: 1)
        else { return nil }
        return operations
    }

    @Test func movesToWhereAnotherIs() {
        let (one, two, three) = (id("1"), id("2"), id("3"))
        let (a, b) = (id("a"), id("b"))
        #expect(
            operations("move 2 1") == [
                .move(two, to: Placement(section: a, position: .before(one)))
            ])
        #expect(
            operations("move 1 3")
                == [.move(one, to: Placement(section: b, position: .after(three)))])
        #expect(
            operations("section move 1 2")
                == [.moveSection(a, to: Placement(position: .after(b)))])
    }

    @Test func deletesSeveral() {
        #expect(operations("delete 3 1") == [.delete(id("3")), .delete(id("1"))])
        #expect(operations("section delete 2") == [.deleteSection(id("b"))])
        #expect(operations("delete 1 9") == nil && operations("section delete 1 3") == nil)
    }

    @Test func titlesHaveNoControlCharacters() {
        for title in ["a\u{1B}[2J", "a\u{0}", "\u{9B}A", "a\u{202E}b", "a\u{2028}b"] {
            #expect(operations("add \(title)") == nil, "\(title.debugDescription)")
            #expect(operations("edit 1 \(title)") == nil)
            #expect(operations("section add \(title)") == nil)
        }
    }

    @Test func addsToTheLastSection() throws {
        let title = Field(name: id("title"), value: .text("Tea"))
        let item = Item(id: id("new"), content: try ItemContent(fields: [title]))
        #expect(
            operations("add Tea") == [.insert(item, to: Placement(section: id("b")))])
    }

    @Test func placesInSections() throws {
        let (two, a) = (id("2"), id("a"))
        guard case .insert(_, let place) = operations("add [1] Tea")?.first else {
            Issue.record("nothing is inserted")
            return
        }
        #expect(place == Placement(section: a))
        #expect(
            operations("move 2 [2]") == [.move(two, to: Placement(section: id("b")))])
        #expect(
            console.read(.text(Array("paste [1]".utf8)), number: 1)
                == .clipboard(.paste(nil, to: Placement(section: a))))
    }

    @Test func copiesAndPastes() {
        func read(_ line: String) -> ConsoleCommand {
            console.read(.text(Array(line.utf8)), number: 1)
        }
        let (one, three) = (id("1"), id("3"))
        #expect(read("copy 3 1") == .clipboard(.copy([three, one])))
        #expect(read("cut 1") == .clipboard(.cut([one])))
        #expect(
            read("paste") == .clipboard(.paste(nil, to: Placement(section: id("b")))))
        let place = Placement(section: id("a"), position: .before(one))
        #expect(read("paste 1") == .clipboard(.paste(nil, to: place)))
    }

    @Test func selects() {
        let (one, three) = (id("1"), id("3"))
        #expect(
            console.read(.text(Array("select 3 1".utf8)), number: 1)
                == .presence(PresenceCommand(selected: [three, one])))
    }

    @Test(arguments: [
        "move 1 4", "delete 9223372036854775807", "section edit 3 x", "select 1 4", "cut 4",
        "paste 9", "add [3] x", "move 1 [3]", "paste [3]",
    ])
    func saysThatThereIsNone(line: String) {
        guard case .reply(.text(let text)) = console.read(.text(Array(line.utf8)), number: 1) else {
            Issue.record("it is accepted")
            return
        }
        #expect(text.text.hasPrefix("There is no"))
    }
}

@Suite struct JSONConsoleTests {
    private func read(_ line: String) -> ConsoleCommand {
        JSONConsole(room: "r", output: Output()).read(.text(Array(line.utf8)), number: 4)
    }

    @Test func readsLines() {
        let milk = id("milk")
        #expect(
            read(#"{"ops":[{"delete":{"id":"milk"}}],"base":41,"tx":7}"#)
                == .transaction([.delete(milk)], base: 41, number: 7))
        #expect(
            read(#"{"ops":[{"delete":{"id":"milk"}}]}"#)
                == .transaction([.delete(milk)], base: nil, number: nil))
        #expect(
            read(#"{"view":{"id":"v1","close":true}}"#)
                == .view(ViewCommand(id: "v1", isClosed: true)))
        #expect(
            read(#"{"presence":{"selected":["milk"]}}"#)
                == .presence(PresenceCommand(selected: [milk])))
        #expect(read(" \r") == .nothing)
    }

    @Test func saysWhatIsWrong() {
        guard case .reply(.unreadable(let text)) = read(#"{"ops":[{"destroy":{}}]}"#) else {
            Issue.record("it is accepted")
            return
        }
        #expect(text.contains("line 4"))
        #expect(text.contains("destroy"))
        let console = JSONConsole(room: "r", output: Output())
        #expect(
            console.read(.tooLong, number: 9) == .reply(.unreadable("line 9 is longer than 16 MiB"))
        )
    }

    @Test(arguments: ["undo", "redo"])
    func whatComesLaterIsUnsupported(name: String) {
        guard case .reply(.unsupported) = read(#"{"\#(name)":{}}"#) else {
            Issue.record("it is accepted")
            return
        }
    }
}

@Suite struct LineReaderTests {
    /// Lines are the same however they are split into pieces. The last line needs no end, and long
    /// lines are skipped.
    @Test func cutsLines() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reader = try LineReader(descriptor: ends[0], maximumBytes: 8)
        for piece in ["ab", "c\nde\n\n", "12345678\n", "123456789\n", "x", "123456789012345\nlast"]
        {
            let bytes = Array(piece.utf8)
            #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        }
        close(ends[1])
        var lines: [LineReader.Line] = []
        while let more = await reader.next() { lines += more }
        let texts = lines.map { line in
            if case .text(let bytes) = line { String(decoding: bytes, as: UTF8.self) } else { "!" }
        }
        #expect(texts == ["abc", "de", "", "12345678", "!", "!", "last"])
        close(ends[0])
    }
}

@Suite struct AtomicFileTests {
    @Test func isThereWholeOrNotAtAll() throws {
        let path = "/tmp/collsync-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        do {
            let file = try AtomicFile(path: path)
            try Output(descriptor: file.descriptor).write(text: "half")
        }
        #expect(access(path, F_OK) != 0)
        do {
            let file = try AtomicFile(path: path)
            try Output(descriptor: file.descriptor).write(text: "whole")
            try file.commit()
        }
        #expect(access(path, F_OK) == 0)
        #expect(access("\(path).\(getpid()).part", F_OK) != 0)
        unlink(path)
        #expect(throws: Failure.self) { try AtomicFile(path: "/nonexistent/file") }
    }

    @Test func staysWhereTheDiskDoesNotTakeTheNewOne() throws {
        let path = "/tmp/collsync-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        let old = try AtomicFile(path: path)
        try Output(descriptor: old.descriptor).write(text: "old")
        try old.commit()
        let file = try AtomicFile(path: path)
        // A descriptor that names a place only, by O_PATH, can't be synced.
        let folder = open("/tmp", 0o1000_0000)
        #expect(dup2(folder, file.descriptor) == file.descriptor)
        close(folder)
        #expect(throws: Failure.self) { try file.commit() }
        var content = [UInt8](repeating: 0, count: 8)
        let reading = open(path, O_RDONLY)
        defer { close(reading) }
        #expect(read(reading, &content, content.count) == 3)
        #expect(content.prefix(3) == Array("old".utf8)[...])
    }
}
