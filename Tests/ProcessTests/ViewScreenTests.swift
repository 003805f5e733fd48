import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// `view` on a terminal, as a person sees it.
    @Suite struct ViewScreenTests {
        /// A room of 200 items. Each takes 20 by 3 characters, four in a row of 80.
        private func room(at server: ServerProcess) throws -> JoinProcess {
            let client = try JoinProcess(
                "writer", room: "room1", at: server.address, mayLoseConnection: true)
            let size: JSON = ["width": 100, "height": 30]
            try client.submit(
                (0..<200).map { number in
                    let item: JSON = ["id": .text("i\(number)"), "size": size]
                    return ["insert": ["item": item, "to": ["section": "main"]]]
                })
            try client.readUntilAnswered()
            return client
        }

        /// Has the terminal show the room, and waits until it does.
        private func view(at server: ServerProcess, on terminal: TmuxTerminal) throws {
            let program = try Program.client.path
            // The program replaces the shell, so that its process id is known.
            try terminal.type(
                "sh -c 'echo $$ > \(terminal.path("pid")); exec \(program) --server "
                    + "\(server.address) view room1 --layout flow --spec \"$SPEC\"'; "
                    + "echo code $?")
            try terminal.read(until: "the room") { $0.first == fourBoxes }
        }

        private var fourBoxes: String { String(repeating: "┌──────────────────┐", count: 4) }

        /// A line with the titles of boxes.
        private func titles(_ names: String...) -> String {
            names.map { "│" + $0.padding(toLength: 18, withPad: " ", startingAt: 0) + "│" }
                .joined()
        }

        private func terminal() throws -> TmuxTerminal {
            let terminal = try TmuxTerminal(columns: 80, rows: 24)
            let spec = #"{"minimumLineSpacing":0,"minimumInteritemSpacing":0}"#
            try terminal.type("clear; export SPEC='\(spec)'; echo before")
            try terminal.read(until: "the shell") { $0.first == "before" }
            return terminal
        }

        @Test func aRoomIsDrawnScrolledAndResized() throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let terminal = try terminal()
            try view(at: server, on: terminal)
            let screen = try terminal.screen
            #expect(screen[1] == titles("i0", "i1", "i2", "i3"))
            #expect(screen[2] == fourBoxes.replacing("┌", with: "└").replacing("┐", with: "┘"))
            #expect(screen[4] == titles("i4", "i5", "i6", "i7"))
            #expect(screen.last?.hasPrefix(" room1 · flow · top") == true)

            try terminal.press("Down", "j", "j")
            try terminal.read(until: "the second row") { $0[1] == titles("i4", "i5", "i6", "i7") }
            try terminal.press("NPage")
            try terminal.read(until: "the next screen") {
                $0[0] == titles("i32", "i33", "i34", "i35")
            }
            try terminal.press("End")
            try terminal.read(until: "the end") { screen in
                screen.contains(titles("i196", "i197", "i198", "i199"))
                    && screen.last?.contains("· end") == true
            }
            try terminal.press("g")
            try terminal.read(until: "the beginning") { $0[1] == titles("i0", "i1", "i2", "i3") }

            try terminal.resize(columns: 40, rows: 12)
            try terminal.read(until: "two columns") { screen in
                screen.count == 12 && screen[1] == titles("i0", "i1")
                    && screen[4] == titles("i2", "i3") && screen[10] == titles("i6", "i7")
            }
            try terminal.press("l")
            try terminal.read(until: "a waterfall") { $0.last?.contains("· waterfall ·") == true }
        }

        /// Each layout is shown as soon as it is requested. In a line, scrolling ends with an item
        /// in the middle of the eighty columns.
        @Test func layoutsAreSwitchedAndALineSnaps() throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let terminal = try terminal()
            try view(at: server, on: terminal)
            for kind in ["waterfall", "mosaic", "columnFlow", "line"] {
                try terminal.press("l")
                try terminal.read(until: kind) { screen in
                    screen.last?.contains("· \(kind) ·") == true
                        && screen.contains { $0.contains("i0 ") }
                }
            }
            // The name of the layout is there before its screen is: that has one row of items.
            try terminal.read(until: "a single row") { screen in
                screen.count { $0.contains("│i1 ") || $0.contains("│i4 ") } == 1
            }
            /// The column in which the box with an item's title begins.
            func column(of name: String, in screen: [String]) -> Int? {
                for line in screen {
                    if let box = line.range(of: "│\(name) ") {
                        return line.distance(from: line.startIndex, to: box.lowerBound)
                    }
                }
                return nil
            }
            // The item in the middle is 130 points wide, 26 columns.
            try terminal.press("Right")
            try terminal.read(until: "i2 in the middle") { column(of: "i2", in: $0) == 27 }
            try terminal.press("Right", "Left", "Right")
            try terminal.read(until: "i3 in the middle") { column(of: "i3", in: $0) == 27 }
            // A screen less two columns further on lies between items; scrolling ends at the
            // nearest one.
            try terminal.press("NPage")
            try terminal.read(until: "i7 in the middle") { column(of: "i7", in: $0) == 27 }
        }

        @Test func itemsAreSelected() throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let terminal = try terminal()
            try view(at: server, on: terminal)
            func select(_ key: String, until name: String) throws {
                try terminal.press(key)
                try terminal.read(until: "\(name) selected") { screen in
                    screen.contains { $0.contains("┃\(name) ") }
                        && screen.last?.contains("· \(name)") == true
                }
            }
            try select("Tab", until: "i0")
            #expect(try terminal.screen.first?.hasPrefix("┏━━━━━━━━━━━━━━━━━━┓┌") == true)
            for number in 1...34 { try select("n", until: "i\(number)") }
            try select("BTab", until: "i33")
            try terminal.press("Escape")
            try terminal.read(until: "nothing selected") { screen in
                !screen.contains { $0.contains("┃") }
            }
        }

        @Test func editsAppearAlsoAfterALostConnection() throws {
            let server = try ServerProcess()
            let writer = try room(at: server)
            let terminal = try terminal()
            try view(at: server, on: terminal)
            try writer.submit([["delete": ["id": "i0"]]])
            try terminal.read(until: "one less") { $0[1] == titles("i1", "i2", "i3", "i4") }
            try writer.submit([["update": ["id": "i1", "set": ["title": "Öl 油 \u{1B}[2J\n!"]]]])
            try terminal.read(until: "a title") { screen in
                screen[1].hasPrefix("│Öl 油 �[2J !      ││i2")
            }
            try server.kill()
            try terminal.read(until: "the loss") { $0.last?.contains("connection lost") == true }
            #expect(try terminal.screen[4].contains("│i5 "))
            try server.restart()
            try terminal.read(until: "the return") { $0.last?.contains("connected again") == true }
            // The next key takes the notice away.
            try terminal.press("Up")
            try terminal.read(until: "the usual line") { $0.last?.contains("· flow ·") == true }
            try writer.submit([["delete": ["id": "i1"]]])
            try terminal.read(until: "one more less") { $0[1] == titles("i2", "i3", "i4", "i5") }
        }

        @Test func itemsAreDraggedByKeyboard() throws {
            let server = try ServerProcess()
            let writer = try room(at: server)
            let terminal = try terminal()
            try view(at: server, on: terminal)
            try terminal.press("Tab", "m")
            try terminal.read(until: "i0 held") { screen in
                screen[0].hasPrefix("╔══") && screen.last?.contains("· moving · i0") == true
            }
            try terminal.press("Right", "Right")
            try terminal.read(until: "room for i0") { $0[1].hasPrefix(titles("i1", "i2")) }
            // Nobody else sees the drag.
            #expect(try server.export("room1").identifiers.prefix(3) == ["i0", "i1", "i2"])
            try terminal.press("Escape")
            try terminal.read(until: "all as before") { screen in
                screen[1].contains("┃i0 ") && screen[1].hasSuffix(titles("i1", "i2", "i3"))
            }
            try terminal.press("m", "Right", "Down", "Enter")
            try terminal.read(until: "the move") { screen in
                screen.last?.hasPrefix(" room1 · i0 · flow ·") == true
                    && screen.contains { $0.contains("┃i0 ") }
            }
            try writer.read(untilRevision: 2)
            let order = try writer.room.identifiers
            #expect(order != (0..<200).map { "i\($0)" })
            #expect(order.filter { $0 != "i0" } == (1..<200).map { "i\($0)" })
        }

        /// However the program ends, the terminal and its keys are as before.
        @Test(arguments: ["q", "C-c", "SIGTERM"])
        func theTerminalIsGivenBack(by end: String) throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let terminal = try terminal()
            try terminal.type("stty -g > \(terminal.path("keys"))")
            try view(at: server, on: terminal)
            if end == "SIGTERM" {
                let text = try String(contentsOfFile: terminal.path("pid"), encoding: .utf8)
                let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
                kill(process, SIGTERM)
            } else {
                try terminal.press(end)
            }
            let screen = try terminal.read(until: "the shell") { screen in
                screen.contains { $0.hasSuffix("code 0") }
            }
            #expect(screen.first == "before")
            #expect(!screen.contains { $0.contains("┌") })
            try terminal.type("clear; stty -g | cmp - \(terminal.path("keys")) && echo the same")
            try terminal.read(until: "the keys as before") { screen in
                screen.contains { $0.hasSuffix("the same") }
            }
        }

        @Test func whatIsNoScreenIsRefused() throws {
            let server = try ServerProcess()
            let terminal = try terminal()
            let program = try Program.client.path
            try terminal.type(
                "TERM=dumb \(program) --server \(server.address) view r --layout flow; echo code $?"
            )
            let screen = try terminal.read(until: "the end") { screen in
                screen.contains { $0.hasSuffix("code 64") }
            }
            #expect(screen.contains { $0.contains("add --json") })
        }
    }
}
