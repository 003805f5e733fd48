import CollSync
import CollSyncUV
import Glibc
import ServerSupport
import SyncIO
import SyncJSON
import SyncModel
import SyncTerminal
import Testing

@testable import collsync_cli

/// A joined room as its reader sees it, who answers as soon as something is printed.
@Suite struct JoinedRoomTests {
    /// Notes what a line would be based on that comes while events are shown.
    private final class PromptReader: RoomConsole {
        struct Basis: Equatable {
            var base: Revision?
            var origin: RoomOrigin?
        }

        private struct State {
            /// The room retains its console.
            weak var room: JoinedRoom?
            var welcome: RoomWelcome?
            var found: [Basis] = []
            var expected: [Basis] = []
        }

        private let console: JSONConsole
        private let state = Monitor(State())

        init(_ console: JSONConsole) {
            self.console = console
        }

        func follow(_ room: JoinedRoom) { state.withLock { $0.room = room } }

        var found: [Basis] { state.withLock { $0.found } }
        var expected: [Basis] { state.withLock { $0.expected } }

        func show(_ events: [RoomEvent]) throws {
            state.withLock { state in
                var shown: Revision?
                for event in events {
                    switch event {
                    case .joined(let welcome): state.welcome = welcome
                    case .snapshot(let snapshot): shown = snapshot.revision
                    case .batch(let batch): shown = batch.to
                    default: break
                    }
                }
                guard let shown, let basis = state.room?.basis() else { return }
                state.found.append(Basis(base: basis.base, origin: basis.origin))
                let origin = state.welcome?.origin(of: shown)
                state.expected.append(Basis(base: shown, origin: origin))
            }
            try console.show(events)
        }

        func read(_ line: LineReader.Line, number: Int) -> ConsoleCommand {
            console.read(line, number: number)
        }
        func show(_ changes: [PresenceChange]) throws { try console.show(changes) }
        func show(_ clipboard: Clipboard) throws { try console.show(clipboard) }
        func show(_ pasted: Pasted, of clipboard: Clipboard) throws {
            try console.show(pasted, of: clipboard)
        }
        func answer(_ reply: ConsoleReply) throws { try console.answer(reply) }
    }

    /// A line that answers an event is based on it, also if the line comes before the call that
    /// prints the event has returned.
    @Test func aLineIsBasedOnWhatItsAuthorHasRead() async throws {
        let folder = try TemporaryFolder()
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let input = try folder.file(
            holding: """
                {"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}
                {"ops":[{"insert":{"item":{"id":"eggs"},"to":{"section":"main"}}}]}
                """)
        let output = open(folder.path("output"), O_CREAT | O_WRONLY, 0o600)
        defer {
            close(output)
            close(input)
        }
        let room = try await client.join("room")
        let console = PromptReader(
            JSONConsole(room: "room", output: Output(descriptor: output)))
        let joined = JoinedRoom(room: room, console: console)
        console.follow(joined)
        #expect(try await joined.run(try LineReader(descriptor: input)))
        #expect(console.found == console.expected)
        #expect(console.found.first?.base == 0 && console.found.last?.base == 2)
        #expect(console.found.allSatisfy { $0.origin != nil })
    }

    @Test("a transaction after the last number of all is refused in a line that can be read")
    func noNumberIsLeft() {
        let rejection = Rejection(code: .malformed, message: "no number is left")
        #expect(
            ServerLine(.rejected(number: 1 << 53, rejection), room: "r")
                == .error(ServerLine.Failure(code: "malformed", message: "no number is left")))
        #expect(
            ServerLine(.rejected(number: (1 << 53) - 1, rejection), room: "r")
                == .reject(tx: (1 << 53) - 1, rejection))
    }
}
