import Glibc
import ModelSupport
import SeededRandom
import SyncClient
import SyncJSON
import SyncModel
import SyncTerminal
import SyncWire
import Testing

@testable import CollSync
@testable import collsync_cli

/// A terminal gets only plain text, whatever a room, a name or a server contains.
@Suite struct TerminalTextTests {
    @Test func onlyWhatStandsInTheSourceIsTakenAsItIs() {
        let foreign = "a\u{1B}[2J\nb\u{202E}c"
        let text: TerminalText = "one\n\(foreign)\ttwo \(7)\n"
        #expect(text.text == "one\na\u{FFFD}[2J bc\ttwo 7\n")
        #expect(("\(text)!" as TerminalText).text == text.text + "!")
        #expect(TerminalText(foreign).text == "a\u{FFFD}[2J bc")
        #expect(
            TerminalText(lines: "Error: \u{7}\nUsage\u{9B}").text
                == "Error: \u{FFFD}\nUsage\u{FFFD}")
    }

    @Test func aLongTextIsCut() {
        let exact = String(repeating: "x", count: 1_024)
        #expect(TerminalText(exact).text == exact)
        #expect(TerminalText(exact + "y").text == exact + "…")
    }

    /// Everything that `join` and `tail` print on a terminal for a room in which every text is
    /// hostile.
    @Test(arguments: 0..<40)
    func nothingThatIsPrintedControlsTheTerminal(seed: UInt64) throws {
        var hostile = HostileText(seed: seed)
        let folder = try TemporaryFolder()
        let file = open(folder.path("output"), O_CREAT | O_RDWR, 0o600)
        defer { close(file) }
        let console = PlainConsole(output: Output(descriptor: file)) { id("new") }
        try console.show(try hostile.events())
        try console.show(hostile.presence())
        let clipboard = Clipboard(room: hostile.text(), items: [], isCut: true)
        try console.show(
            Pasted(ids: [], revision: 1, leftBehind: hostile.error()), of: clipboard)
        let lines = ["list", "who", "help", hostile.text(), "edit 99 " + hostile.text()]
        for (number, line) in lines.enumerated() {
            guard case .reply(let reply) = console.read(.text(Array(line.utf8)), number: number)
            else {
                continue
            }
            try console.answer(reply)
        }
        for reply in [
            ConsoleReply.unreadable(hostile.text()), .unsupported(hostile.text()),
            .failed(ServerLine.Failure(code: "x", message: hostile.text())),
        ] {
            try console.answer(reply)
        }
        try Output(descriptor: file).write(
            text: Facts([("room", .text(hostile.text())), ("n", .count(7))]).text)
        expectNoCommands(in: try folder.text(at: folder.path("output")), seed: seed)
    }

    /// After the message that the connection is lost comes one that it is back.
    @Test func aConnectionThatIsBackIsSaid() throws {
        var hostile = HostileText(seed: 1)
        let folder = try TemporaryFolder()
        let file = open(folder.path("output"), O_CREAT | O_RDWR, 0o600)
        defer { close(file) }
        let console = PlainConsole(output: Output(descriptor: file)) { id("new") }
        let joined = try #require(try hostile.events().first)
        try console.show([joined])
        #expect(try folder.text(at: folder.path("output")).hasPrefix("You are "))
        try console.show([joined])
        #expect(try folder.text(at: folder.path("output")).hasSuffix("\nConnected again.\n"))
    }

    /// Lines of JSON contain no control characters either, and can be read back unchanged.
    @Test(arguments: 0..<40)
    func linesOfJSONControlNothing(seed: UInt64) throws {
        var hostile = HostileText(seed: seed)
        let folder = try TemporaryFolder()
        let file = open(folder.path("output"), O_CREAT | O_RDWR, 0o600)
        defer { close(file) }
        let console = JSONConsole(room: hostile.text(), output: Output(descriptor: file))
        try console.show(try hostile.events())
        try console.show(hostile.presence())
        try console.answer(.unreadable(hostile.text()))
        let text = try folder.text(at: folder.path("output"))
        expectNoCommands(in: text, seed: seed)
        #expect(!text.contains("\u{FFFD}"), "a text has changed")
    }
}
