import Glibc
import SyncLayout
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// All memory that strangers make a server use is in its accounts, and is freed when they
    /// leave.
    @Suite struct AccountTests {
        private static let items = Program.isSanitized ? 5_000 : 50_000

        private func text(_ number: Int, bytes: Int) throws -> Field {
            Field(
                name: Identifier("text"),
                value: .text("\(number) " + String(repeating: "x", count: bytes)))
        }

        /// A room of many items.
        private func fill(_ server: ServerProcess, textBytes: Int = 100) throws -> RoomWriter {
            let writer = try RoomWriter("room1", at: server)
            let place = Placement(section: Identifier("main"))
            try writer.submit(0..<AccountTests.items / 500) { number in
                try (number * 500..<(number + 1) * 500).map { item in
                    .insert(
                        Item(
                            id: try Identifier("item-\(item)"),
                            content: try ItemContent(fields: [text(item, bytes: textBytes)])),
                        to: place)
                }
            }
            return writer
        }

        /// Checks the memory during a flood, and after the flooding clients have left.
        private func check(
            _ what: String, _ server: ServerProcess, of strangers: [WireConnection],
            _ flood: ([WireConnection]) throws -> Void
        ) throws {
            let watcher = try WireConnection(port: server.port, features: [])
            try server.expectMemoryWithinAccounts("\(what), before", "room1", by: watcher)
            try flood(strangers)
            for _ in 0..<5 {
                usleep(200_000)
                try server.expectMemoryWithinAccounts(what, "room1", by: watcher)
            }
        }

        private func strangers(_ count: Int, at server: ServerProcess) throws -> [WireConnection] {
            try (0..<count).map { _ in
                try WireConnection(port: server.port, features: [], receiveBufferBytes: 4096)
            }
        }

        private func checkAfterwards(_ what: String, _ server: ServerProcess) throws {
            usleep(1_500_000)
            let watcher = try WireConnection(port: server.port, features: [])
            try server.expectMemoryWithinAccounts("\(what), after", "room1", by: watcher)
        }

        @Test func growth() throws {
            let server = try ServerProcess()
            let writer = try RoomWriter("room1", at: server)
            let item = Identifier("item")
            try writer.submit(0..<1) { _ in
                [.insert(Item(id: item), to: Placement(section: Identifier("main")))]
            }
            try check("growth", server, of: []) { _ in
                try writer.submit(0..<1000) { number in
                    [.update(item, ItemPatch(set: [try text(number, bytes: 200_000)]))]
                }
            }
        }

        @Test func snapshotsAndThePast() throws {
            let server = try ServerProcess(
                ["--heartbeat", "10m", "--horizon", "20", "--horizon-max", "20"])
            _ = try fill(server)
            do {
                let strangers = try strangers(4, at: server)
                let room = try RoomName(named: "room1")
                try check("snapshots", server, of: strangers) { strangers in
                    for (number, stranger) in strangers.enumerated() {
                        for request in 1...16 as ClosedRange<RequestID> {
                            let revision = UInt64(request % 3) + UInt64(10 * number + 60)
                            try stranger.send(
                                .readSnapshot(
                                    ReadSnapshot(request: request, room: room, revision: revision)))
                        }
                        for request in 17...32 as ClosedRange<RequestID> {
                            try stranger.send(
                                .readHistory(
                                    ReadHistory(
                                        request: request, room: room, from: 1,
                                        everyRevision: true)))
                        }
                    }
                }
            }
            try checkAfterwards("snapshots", server)
        }

        @Test func viewsThatNobodyReads() throws {
            let server = try ServerProcess(["--heartbeat", "10m"])
            _ = try fill(server)
            do {
                let strangers = try strangers(8, at: server)
                var handles: [RoomHandle] = []
                for (number, stranger) in strangers.enumerated() {
                    handles.append(
                        try stranger.join(
                            "room1", as: "c-\(number)", secret: [1], viewOnly: true
                        ).handle)
                }
                try check("views", server, of: strangers) { strangers in
                    for (number, stranger) in strangers.enumerated() {
                        for view in 1...ViewNumber(8) {
                            let width = Double(1000 + 8 * number) + Double(view)
                            try stranger.send(
                                .view(
                                    ViewRequest(
                                        room: handles[number], view: view,
                                        layout: ViewLayout(.waterfall) {
                                            $0.columnCount = 40
                                        },
                                        bounds: ListRect(width: width, height: 5000))))
                        }
                    }
                }
            }
            try checkAfterwards("views", server)
        }

        @Test func unfinishedFrames() throws {
            let server = try ServerProcess()
            _ = try RoomWriter("room1", at: server).submitOnce()
            do {
                let strangers = try strangers(32, at: server)
                try check("unfinished frames", server, of: strangers) { strangers in
                    for stranger in strangers {
                        // The length of a frame of 4 MiB and 1,000 bytes.
                        try stranger.send(bytes: [0xE8, 0x87, 0x80, 0x02])
                        try stranger.send(bytes: [UInt8](repeating: 0, count: 4 << 20))
                    }
                }
            }
            try checkAfterwards("unfinished frames", server)
        }

        @Test func roomsThatAreOpened() throws {
            let server = try ServerProcess(["--idle-unload", "100ms"])
            let writer = try fill(server)
            try server.kill()
            try server.restart()
            withExtendedLifetime(writer) {}
            let watcher = try WireConnection(port: server.port, features: [])
            _ = try watcher.join("room1", as: "c-watcher", secret: [1], viewOnly: true)
            try server.expectMemoryWithinAccounts("opened", "room1", by: watcher)
            for number in 0..<60 {
                _ = try watcher.join("small-\(number)", as: "c-w", secret: [1], viewOnly: true)
            }
            try server.expectMemoryWithinAccounts("sixty rooms", "room1", by: watcher)
        }
    }
}
