import CollSync
import CollSyncUV
import Glibc
import ServerSupport
import SyncModel
import Testing

@testable import collsync_cli

/// Views against a server, over real sockets, with files for the lines.
@Suite struct ViewRunTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A room of three items; a viewport of a hundred points shows two of them.
    private func makeRoom(_ client: CollectionClient) async throws {
        let text = """
            {"sections":[{"id":"main","items":[\
            {"id":"milk","size":{"width":100,"height":50}},\
            {"id":"eggs","size":{"width":100,"height":50}},\
            {"id":"tea","size":{"width":100,"height":50}}]}]}
            """
        let file = try folder.file(holding: text)
        defer { close(file) }
        _ = try await Importer(client: client, room: "room", append: false)
            .run(SnapshotFile(descriptor: file, named: "the file"))
    }

    /// The output for these lines of a command that joined with `client`.
    private func answers(
        to lines: String, viewOnly: Bool, _ client: CollectionClient
    ) async throws -> [Substring] {
        let path = folder.path("output")
        let output = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        let input = try folder.file(holding: lines)
        defer {
            close(output)
            close(input)
        }
        let room = try await client.join("room", options: JoinOptions(viewOnly: viewOnly))
        let console = JSONConsole(room: "room", output: Output(descriptor: output))
        let isAllRead = try await JoinedRoom(room: room, console: console, viewOnly: viewOnly)
            .run(try LineReader(descriptor: input))
        #expect(isAllRead)
        return try folder.text(at: path).split(separator: "\n")
    }

    private static let flow =
        #""layout":{"kind":"flow","minimumLineSpacing":0},"bounds":{"width":100,"height":100}"#

    /// Each opened view is printed before the end, or its error is.
    @Test(arguments: [false, true])
    func viewsAreAnswered(viewOnly: Bool) async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        try await makeRoom(client)
        let reader = try await CollectionClient.connect(to: server.address)
        let lines = """
            {"view":{"id":"v1",\(Self.flow)}}
            {"view":{"id":"v2","bounds":{}}}
            {"view":{"id":"v3","close":true}}
            {"view":{"id":"v4","layout":{"kind":"waterfall","columnCount":5000},"bounds":{}}}
            {"view":{"id":"v5",\(Self.flow)}}
            {"view":{"id":"v5","close":true}}
            """
        let answers = try await answers(to: lines, viewOnly: viewOnly, reader)
        func printed(_ prefix: String) -> [Substring] { answers.filter { $0.hasPrefix(prefix) } }
        #expect(printed(#"{"welcome":"#).count == 1)
        #expect(printed(#"{"snapshot":"#).count == (viewOnly ? 0 : 1))
        #expect(printed(#"{"batch":"#).isEmpty)

        let update = try #require(printed(#"{"viewUpdate":{"view":"v1","revision":"#).first)
        #expect(update.contains(#""contentSize":{"width":100,"height":150}"#), "\(update)")
        #expect(update.contains(#""id":"milk""#) && update.contains(#""id":"eggs""#), "\(update)")
        #expect(!update.contains("tea"), "\(update)")
        let errors = printed(#"{"error":"#)
        #expect(errors.count == 2, "\(errors)")
        #expect(errors.contains { $0.contains(#""badView","message":"view v2 "#) }, "\(errors)")
        #expect(
            errors.contains { $0.contains(#""limitExceeded","message":"view v4: "#) }, "\(errors)")
    }

    /// A client with views only may change the room, based on the revision of its views.
    @Test func changesNeedNoRoom() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        try await makeRoom(client)
        let reader = try await CollectionClient.connect(to: server.address)
        let lines = #"{"ops":[{"delete":{"id":"milk"}}]}"#
        let printed = try await answers(to: lines, viewOnly: true, reader)
        #expect(printed.count == 2, "\(printed)")
        #expect(printed.last?.hasPrefix(#"{"ack":{"tx":1,"revision":"#) == true, "\(printed)")
        #expect(
            try await client.snapshot(of: "room").sections[0].items.map(\.id.text) == [
                "eggs", "tea",
            ])
    }
}
