import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// Views in lines: those that lines of `join` open, and the one of `view`.
    @Suite struct ViewLinesTests {
        /// A room of fifty items, 100 wide and 10 high, and its writer.
        private func largeRoom(at server: ServerProcess) throws -> JoinProcess {
            let client = try JoinProcess("writer", room: "room1", at: server.address)
            try client.submit((0..<50).map { insert("i\($0)") })
            try client.readUntilAnswered()
            return client
        }

        private func insert(_ identifier: String, at index: Int? = nil) -> JSON {
            var place: [String: JSON] = ["section": "main"]
            if let index { place["index"] = .number(Double(index)) }
            let size: JSON = ["width": 100, "height": 10]
            return [
                "insert": ["item": ["id": .text(identifier), "size": size], "to": .object(place)]
            ]
        }

        private func read(
            _ process: ChildProcess, into screen: inout PrintedScreen,
            until holds: (PrintedScreen) -> Bool
        ) throws {
            while !holds(screen) {
                guard let line = try process.output.next() else {
                    throw TestFailure("the program has ended: \(process.transcript)")
                }
                let isOfRoom = line.hasPrefix(#"{"snapshot":"#) || line.hasPrefix(#"{"batch":"#)
                #expect(!isOfRoom, "\(line)")
                try screen.take(line)
            }
        }

        @Test func viewGoesOnUntilItIsInterrupted() throws {
            let server = try ServerProcess()
            let writer = try largeRoom(at: server)
            let viewer = try ChildProcess(
                Program.client,
                [
                    "--server", server.address, "view", "room1", "--layout", "flow", "--width",
                    "100", "--height", "20", "--spec", #"{"minimumLineSpacing":0}"#, "--json",
                ])
            var screen = PrintedScreen("v1")
            try read(viewer, into: &screen) { $0.items == ["i0", "i1"] }
            #expect(screen.contentSize == ["width": 100, "height": 500])
            try writer.submit([["delete": ["id": "i0"]]])
            try read(viewer, into: &screen) { $0.items == ["i1", "i2"] }
            #expect(screen.contentSize == ["width": 100, "height": 490])
            viewer.send(signal: SIGINT)
            #expect(try viewer.wait() == .exit(0), "\(viewer.transcript)")
        }

        /// In a pipe it ends when its reader does, though nothing changes, as `head` does.
        @Test func viewEndsWithItsReader() throws {
            let server = try ServerProcess()
            _ = try largeRoom(at: server)
            let client = try Program.client.path
            let shell = try ChildProcess(
                URL(filePath: "/bin/sh"),
                ["-c", "'\(client)' --server \(server.address) view room1 --json | head -n 1"])
            #expect(try shell.wait() == .exit(0), "\(shell.transcript)")
            let lines = try shell.output.all()
            #expect(lines.count == 1 && lines[0].hasPrefix(#"{"viewUpdate":"#), "\(lines)")
        }

        /// Without `--x` and `--y` it begins where the content does, and says where that is.
        @Test func viewBeginsAtTheBeginning() throws {
            let server = try ServerProcess()
            _ = try largeRoom(at: server)
            let spec =
                #"{"scrollDirection":"horizontal","rtl":true,"minimumLineSpacing":0,"#
                + #""fit":"plain"}"#
            func first(_ options: String...) throws -> (line: String?, viewer: ChildProcess) {
                let viewer = try ChildProcess(
                    Program.client,
                    [
                        "--server", server.address, "view", "room1", "--layout", "flow", "--width",
                        "200", "--height", "10", "--spec", spec, "--json",
                    ] + options)
                let line = try viewer.output.next()
                viewer.send(signal: SIGINT)
                #expect(try viewer.wait() == .exit(0), "\(viewer.transcript)")
                return (line, viewer)
            }
            let beginning = try first()
            #expect(beginning.line?.contains(#""offset":{"x":4800,"y":0}"#) == true)
            #expect(beginning.line?.contains(#""id":"i1""#) == true)
            #expect(
                beginning.viewer.transcript.contains("warning: --spec: flow does not use fit"))
            let end = try first("--x", "0").line
            #expect(end?.contains(#""offset""#) == false && end?.contains(#""id":"i49""#) == true)
        }

        @Test func linesOpenAndChangeViews() throws {
            let server = try ServerProcess()
            _ = try largeRoom(at: server)
            let client = try ChildProcess(
                Program.client, ["--server", server.address, "join", "room1", "--view-only"])
            func say(_ members: String) throws {
                try client.write(#"{"view":{"id":"v1",\#(members)}}"# + "\n")
            }
            var screen = PrintedScreen("v1")
            let flow = #""layout":{"kind":"flow","minimumLineSpacing":0}"#
            try say(#"\#(flow),"bounds":{"width":100,"height":20}"#)
            try read(client, into: &screen) { $0.items == ["i0", "i1"] }
            try say(#""bounds":{"y":40,"width":100,"height":20}"#)
            try read(client, into: &screen) { $0.items == ["i4", "i5"] }
            try say(#""overscan":10"#)
            try read(client, into: &screen) { $0.items == ["i3", "i4", "i5", "i6"] }
            try client.write(#"{"ops":[{"delete":{"id":"i5"}}]}"# + "\n")
            try read(client, into: &screen) { $0.items == ["i3", "i4", "i6", "i7"] }
            #expect(screen.transitionCount == 0)
            try say(#""layout":{"kind":"circle"},"bounds":{"width":100,"height":100}"#)
            try read(client, into: &screen) { $0.items.count == 49 }
            #expect(screen.transitionCount > 0)
            try say(#""close":true"#)
            client.closeInput()
            #expect(try client.wait() == .exit(0), "\(client.transcript)")
        }

        @Test func whatIsSaidOfViewsIsShownBeforeTheEnd() throws {
            let server = try ServerProcess()
            _ = try largeRoom(at: server)
            let client = try ChildProcess(
                Program.client, ["--server", server.address, "join", "room1", "--view-only"])
            let flow = #""layout":{"kind":"flow","minimumLineSpacing":0}"#
            try client.write(
                #"{"view":{"id":"v1",\#(flow),"bounds":{"width":100,"height":20}}}"# + "\n")
            var screen = PrintedScreen("v1")
            try read(client, into: &screen) { $0.items == ["i0", "i1"] }
            let lines = [
                #"{"view":{"id":"v1","bounds":{"y":40,"width":100,"height":20}}}"#,
                #"{"view":{"id":"v1","overscan":10}}"#,
            ]
            try client.write(lines.map { $0 + "\n" }.joined())
            client.closeInput()
            try read(client, into: &screen) { $0.items == ["i3", "i4", "i5", "i6"] }
            #expect(try client.wait() == .exit(0), "\(client.transcript)")
        }

        @Test func aViewIsRefusedWithItsName() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            try client.write(line: #"{"view":{"id":"v1","bounds":{}}}"#)
            try client.read(until: "the error") { !$0.errors.isEmpty }
            #expect(client.errors.first?["code"] == "badView")
            #expect(client.errors.first?["message"]?.text?.contains("v1") == true)
            #expect(try client.finish() == .exit(0))
        }
    }
}
