import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// The commands in the README and on the pages beside the code, word for word, and the script
    /// that draws the pictures.
    @Suite struct ReadmeCommandTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized

        /// In this order, because a page may need what earlier pages made.
        private static let pages = [
            "README.md", "Sources/collsync-cli/README.md", "Sources/SyncLayout/README.md",
        ]

        /// A command, and the output that the page shows below it; `…` stands for anything.
        private struct Command {
            var text: String
            var shown: [String] = []

            /// What a pipe gets of that; the rest is for a terminal.
            var printed: [String] { shown.filter { $0.hasPrefix("{") } }
        }

        /// The commands run in order against one server, in a folder like that of the built
        /// package.
        @Test func commandsDoWhatIsShown() throws {
            let server = try ServerProcess(speaksHTTP: true)
            let port = try #require(server.httpPort)
            let folder = try builtPackage()
            let commands =
                try Self.pages.flatMap(shownCommands) + Self.pages.flatMap(pictureCommands)
            #expect(commands.count > 6)
            #expect(commands.contains { $0.text.contains("--spec '") })
            #expect(commands.count { $0.text.hasPrefix("curl ") } == 2)
            for command in commands {
                // The shell waits for both programs of a pipe, but is replaced by a single one.
                let start = command.text.hasPrefix("echo ") ? "" : "exec "
                let text = command.text.replacing("127.0.0.1:7421", with: "127.0.0.1:\(port)")
                let process = try ChildProcess(
                    URL(filePath: "/bin/sh"),
                    ["-c", "cd '\(folder.url.path)' && \(start)\(text)"],
                    environment: ["COLLSYNC_SERVER": server.address])
                process.closeInput()
                if command.text.contains("collsync-cli view ") {
                    #expect(try process.output.next()?.hasPrefix(#"{"viewUpdate":"#) == true)
                    process.send(signal: SIGINT)
                }
                if text.hasPrefix("curl -N ") {
                    let event = try (0..<3).map { _ in try process.output.next() ?? "" }
                    #expect(event[0] == "event: snapshot")
                    #expect(event[1].hasPrefix("id: ") && event[1].hasSuffix(".2"), "\(event)")
                    #expect(event[2].hasPrefix(#"data: {"snapshot":{"room":"room1","#))
                    process.send(signal: SIGTERM)
                    _ = try process.wait()
                    continue
                }
                #expect(try process.wait() == .exit(0), "\(process.transcript)")
                let lines = try process.output.all()
                for line in command.printed where !line.contains("…") {
                    #expect(lines.contains(line), "\(process.transcript)")
                }
            }
            let picture = try Data(contentsOf: URL(filePath: folder.path("room1.png")))
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }

        /// A terminal of the drawing's size shows it when the third item is selected and the window
        /// is scrolled by a line.
        @Test func theViewIsDrawnAsShown() throws {
            let commands = try Self.pages.flatMap(shownCommands)
            let index = try #require(
                commands.firstIndex { $0.text.contains("collsync-cli view ") })
            let drawing = commands[index].shown
            let server = try ServerProcess()
            let folder = try builtPackage()
            defer { withExtendedLifetime(folder) {} }
            let terminal = try TmuxTerminal(columns: 90, rows: drawing.count)
            let lines = commands[index].text.replacing("\\\n", with: " ")
            try terminal.type(
                "cd '\(folder.url.path)'; export COLLSYNC_SERVER=\(server.address)")
            try terminal.type("\(commands[index - 1].text) && \(lines)")
            try terminal.read(until: "the view") { $0.last?.hasPrefix(" vermeer") == true }
            try terminal.press("Tab", "Tab", "Tab", "Down")
            try terminal.read(until: "the page's drawing:\n\(drawing.joined(separator: "\n"))") {
                $0 == drawing
            }
        }

        /// A running server's store is backed up as the page about operation shows, except for its
        /// folder.
        @Test func theBackupIsWhole() throws {
            let server = try ServerProcess()
            let writer = try JoinProcess("writer", room: "room", at: server.address)
            let item = #"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#
            try writer.submit(line: #"{"ops":[\#(item)]}"#)
            try writer.readUntilAnswered()
            let lines = try text(of: "deploy/README.md").split(separator: "\n").map(String.init)
            let block = [
                "    collsync backup /var/lib/collsync --to rooms.backup",
                "    collsync restore /var/lib/collsync-new --from rooms.backup",
            ]
            for line in block { #expect(lines.contains(line), "\(line)") }
            let script = block.joined(separator: " &&")
                .replacing("/var/lib/collsync", with: server.data)
            let programs = try Program.server.deletingLastPathComponent().path
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let folder = server.folder.url.path
            let shell = try ChildProcess(
                URL(filePath: "/bin/sh"), ["-c", "cd '\(folder)' && \(script)"],
                environment: ["PATH": "\(programs):\(path)"])
            #expect(try shell.wait() == .exit(0), "\(shell.transcript)")
            let restored = try ServerProcess(data: server.data + "-new")
            #expect(try restored.export("room").identifiers == ["milk"])
            #expect(try writer.finish() == .exit(0))
        }

        /// The script draws the stored pictures; here it writes to a copy of its folder.
        @Test func picturesAreThoseOfTheScript() throws {
            let folder = try TemporaryFolder()
            for name in ["deploy", "Protocol", "programs"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(name), withIntermediateDirectories: true)
            }
            for name in ["deploy/pictures", "Protocol/pictures"] {
                try FileManager.default.copyItem(
                    atPath: Self.root.appending(path: name).path, toPath: folder.path(name))
            }
            let pictures = try FileManager.default.contentsOfDirectory(
                atPath: folder.path("Protocol/pictures")
            ).filter { $0.hasSuffix(".svg") }
            #expect(pictures.count == 3)
            for name in pictures {
                try FileManager.default.removeItem(
                    atPath: folder.path("Protocol/pictures/\(name)"))
            }
            // Instead of a release build: the programs that were built with this test.
            let swift = try folder.write(
                """
                #!/bin/sh
                [ "$1 $2 $3 $4" = 'run -c release collsync-cli' ] || exit 64
                shift 4
                exec '\(Program.client.path)' "$@"
                """, to: "programs/swift")
            try #require(chmod(swift, 0o755) == 0)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let script = try ChildProcess(
                URL(filePath: "/bin/bash"), [folder.path("deploy/pictures")],
                environment: ["PATH": "\(folder.path("programs")):\(path)"])
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
            for name in pictures {
                let drawn = try SVG(at: URL(filePath: folder.path("Protocol/pictures/\(name)")))
                let kept = try SVG(at: Self.root.appending(path: "Protocol/pictures/\(name)"))
                // Two pictures are too long for a message.
                let isSame = drawn.isSame(as: kept)
                #expect(isSame, "deploy/pictures draws another \(name)")
            }
        }

        /// A parsed picture. A release build adds lengths in another order than a test build, so a
        /// number may be rounded to the next hundredth.
        private struct SVG {
            let text: String
            let numbers: [Double]

            init(at file: URL) throws {
                let number = /[0-9]+(\.[0-9]+)?/
                let all = try String(contentsOf: file, encoding: .utf8)
                text = all.replacing(number, with: "0")
                numbers = all.matches(of: number).compactMap { Double($0.0) }
            }

            func isSame(as other: SVG) -> Bool {
                text == other.text && numbers.count == other.numbers.count
                    && zip(numbers, other.numbers).allSatisfy { abs($0 - $1) < 0.015 }
            }
        }

        private func builtPackage() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            let files = FileManager.default
            try files.createDirectory(
                atPath: folder.path(".build"), withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: folder.path(".build/release"),
                withDestinationPath: Program.client.deletingLastPathComponent().path)
            try files.createSymbolicLink(
                atPath: folder.path("Protocol"),
                withDestinationPath: Self.root.appending(path: "Protocol").path)
            return folder
        }

        private func text(of page: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        }

        /// The commands in indented blocks, in order.
        private func shownCommands(on page: String) throws -> [Command] {
            var commands: [Command] = []
            var isContinued = false
            var isFollowed = false
            for line in try text(of: page).split(separator: "\n", omittingEmptySubsequences: false)
            {
                if line.isEmpty { continue }
                guard line.hasPrefix("    ") else {
                    isFollowed = false
                    continue
                }
                let text = String(line.dropFirst(4))
                let isFirst =
                    text.hasPrefix(".build/release/collsync-cli ")
                    || (text.hasPrefix("echo ") && text.hasSuffix("|"))
                    || text.hasPrefix("curl ")
                if isContinued {
                    commands[commands.count - 1].text += "\n" + text
                } else if isFirst {
                    commands.append(Command(text: text))
                    isFollowed = true
                } else if isFollowed {
                    commands[commands.count - 1].shown.append(text)
                }
                isContinued =
                    (isFirst || isContinued) && (text.hasSuffix("|") || text.hasSuffix("\\"))
            }
            return commands
        }

        /// The commands inside sentences that write a file.
        private func pictureCommands(on page: String) throws -> [Command] {
            try text(of: page).matches(of: /`(collsync-cli [^`]*--out [^`]*)`/)
                .map { Command(text: ".build/release/\($0.1)") }
        }
    }
}
