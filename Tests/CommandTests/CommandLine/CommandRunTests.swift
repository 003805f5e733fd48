import CollSync
import CollSyncUV
import Glibc
import ServerSupport
import SyncModel
import SyncTerminal
import Testing

@testable import collsync_cli

/// Commands against a server, over real sockets, with files for their input and output.
@Suite struct CommandRunTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func connect(_ server: LocalServer) async throws -> CollectionClient {
        try await CollectionClient.connect(to: server.address)
    }

    private func importFile(
        _ text: String, into room: String, _ client: CollectionClient, append: Bool = false
    ) async throws -> String {
        let file = try folder.file(holding: text)
        defer { close(file) }
        let importer = try await Importer(client: client, room: room, append: append)
        return try await importer.run(SnapshotFile(descriptor: file, named: "the file"))
    }

    /// A room of 2,504 items, which need several transactions. Its section `main` is not the first.
    private static let rooms: String = {
        let sections = ["a", "main", "b"].map { section in
            let items = (0..<(section == "a" ? 2_500 : 2)).map {
                #"{"id":"\#(section)\#($0)","fields":{"n":\#($0)}}"#
            }
            return #"{"id":"\#(section)","fields":{"title":"\#(section)"},"items":["#
                + items.joined(separator: ",") + "]}"
        }
        return sections.joined(separator: ",")
    }()

    private static func snapshot(_ room: String, _ revision: Int) -> String {
        #"{"snapshot":{"room":"\#(room)","revision":\#(revision),"sections":["# + rooms + "]}}\n"
    }

    @Test func whatIsImportedIsExported() async throws {
        let server = try await LocalServer.start()
        let client = try await connect(server)
        let summary = try await importFile(Self.snapshot("other", 9), into: "room", client)
        #expect(summary == "2504 items imported")

        let path = folder.path("export")
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        let printer = SnapshotPrinter(room: "room", output: Output(descriptor: file))
        try await printer.print(try client.snapshotParts(of: "room", at: nil))
        close(file)
        #expect(try folder.text(at: path) == Self.snapshot("room", 3))
        client.close()
    }

    @Test func aRoomThatIsNotEmptyIsLeftAlone() async throws {
        let server = try await LocalServer.start()
        let client = try await connect(server)
        let one = #"{"sections":[{"id":"s","items":[{"id":"x"},{"id":"y"}]}]}"#
        _ = try await importFile(one, into: "room", client)
        await #expect {
            try await importFile(one, into: "room", client)
        } throws: { error in
            (error as? Failure)?.code == "notEmpty"
        }
        let more = #"{"sections":[{"id":"s","items":[{"id":"y"},{"id":"z"}]}]}"#
        let other = try await connect(server)
        let summary = try await importFile(more, into: "room", other, append: true)
        #expect(summary == "1 item imported, 1 was there already")
        let sections = try await other.snapshot(of: "room").sections
        #expect(sections.map(\.section.id.text) == ["s"])
        #expect(sections[0].items.map(\.id.text) == ["x", "y", "z"])
    }

    @Test func aFileThatIsCutOffSaysHowMuchWasImported() async throws {
        let server = try await LocalServer.start()
        let client = try await connect(server)
        let text = String(Self.snapshot("x", 1).dropLast(60))
        await #expect {
            try await importFile(text, into: "room", client)
        } throws: { error in
            let failure = error as? Failure
            return failure?.exitCode == Failure.badData
                && failure?.message.contains("1999 items imported before that") == true
        }
    }

    /// Every line is answered, even a bad one, and the last answer comes before the end.
    @Test func joinAnswersEveryLine() async throws {
        let server = try await LocalServer.start()
        let client = try await connect(server)
        let input = """
            {"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}
            nonsense
            {"undo":{}}
            {"ops":[{"insert":{"item":{"id":"eggs"},"to":{"before":"milk"}}}],"tx":9}
            {"ops":[{"delete":{"id":"nothing"}}]}
            """
        let path = folder.path("output")
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        let lines = try LineReader(descriptor: try folder.file(holding: input))
        let room = try await client.join("room")
        let console = JSONConsole(room: "room", output: Output(descriptor: file))
        let isAllRead = try await JoinedRoom(room: room, console: console).run(lines)
        close(file)
        #expect(!isAllRead)
        let output = try folder.text(at: path).split(separator: "\n")
        #expect(output[0].hasPrefix(#"{"welcome":{"client":"\#(client.id)""#))
        #expect(output[1].hasPrefix(#"{"snapshot":{"room":"room","revision":0"#))
        func count(_ prefix: String) -> Int { output.count { $0.hasPrefix(prefix) } }
        #expect(count(#"{"error":{"code":"malformed","message":"line 2: "#) == 1)
        #expect(count(#"{"error":{"code":"unsupported""#) == 1)
        #expect(count(#"{"ack":{"tx":1,"revision":1"#) == 1)
        #expect(count(#"{"ack":{"tx":9,"revision":2"#) == 1)
        #expect(count(#"{"reject":{"tx":10,"op":0,"code":"unknownItem""#) == 1)
        #expect(output.contains { $0.contains(#""to":2,"#) }, "own changes are missing")
    }

    @Test func writingToAClosedPipeThrows() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        #expect(throws: OutputClosed.self) {
            try Output(descriptor: ends[1]).write(text: "hello")
        }
        close(ends[1])
    }
}

/// A folder for the files of a test, which is removed with this object.
final class TemporaryFolder: Sendable {
    private let folder: String

    init() throws {
        folder = "/tmp/collsync-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try #require(mkdir(folder, 0o700) == 0)
    }

    deinit {
        for name in ["input", "output", "export", "token"] { unlink(path(name)) }
        rmdir(folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Opens a file with this text.
    func file(holding text: String) throws -> Int32 {
        let file = open(path("input"), O_CREAT | O_TRUNC | O_RDWR, 0o600)
        try #require(file >= 0)
        try Output(descriptor: file).write(bytes: Array(text.utf8))
        lseek(file, 0, SEEK_SET)
        return file
    }

    func text(at path: String) throws -> String {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return try #require(String(validating: bytes, as: UTF8.self))
    }
}
