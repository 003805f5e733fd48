import Foundation
import ModelSupport
import SwiftProtobuf
import SyncBytes
import SyncModel
import SyncWire
import Testing

@Suite("Figures")
struct FigureTests {
    @Test("Protocol/json.md lists the figures of the tables, with their meanings")
    func documentation() throws {
        let url = protocolFolder.appending(path: "json.md")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let listed = lines.drop { $0 != "## Figures" }.prefix { $0 != "## Writing" }
            .filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(
            listed == Self.rows(of: RoomFigure.self) + Self.rows(of: AccountFigure.self)
                + Self.rows(of: ServerFigure.self))
    }

    private static func rows<Table: FigureTable>(of table: Table.Type) -> [String] {
        table.allCases.map { "| `\($0.name)` | \($0.rawValue) |" }
    }

    @Test("each figure of the table is sent and read by its name, even 0")
    func byName() throws {
        let stats = try Self.stats(Figures { $0 == .turns ? 7 : 0 })
        guard case .stats(let read) = try Self.read(MessageEncoder().encode(.stats(stats))) else {
            return #expect(Bool(false), "these are no figures")
        }
        #expect(read == stats)
        #expect(read.server[.turns] == 7 && read.server[.holds] == 0)
        #expect(read.server.all.map(\.name) == ServerFigure.allCases.map(\.name))
    }

    @Test("figures of another version are kept, and the figures it lacks are missing")
    func anotherVersion() throws {
        let frame = try Self.frame { form in
            form.server = [Self.figure("entropy", 3), Self.figure("turns", 4)]
        }
        guard case .stats(let read) = try Self.read(frame) else {
            return #expect(Bool(false), "these are no figures")
        }
        #expect(read.server.all.map(\.name) == ["entropy", "turns"])
        #expect(read.server.all.map(\.value) == [3, 4])
        #expect(read.server[.turns] == 4 && read.server[.holds] == nil)
        #expect(read.figures.all.isEmpty)
    }

    @Test("two spellings of a name are two figures")
    func spellings() throws {
        let frame = try Self.frame { form in
            form.server = Spellings.all.map { Self.figure($0, 1) }
        }
        guard case .stats(let read) = try Self.read(frame) else {
            return #expect(Bool(false), "these are no figures")
        }
        #expect(read.server.all.count == Spellings.all.count)
    }

    @Test("a server can't send endless figures, duplicate ones, or one without a name")
    func bounds() throws {
        let many = (0..<257).map { Self.figure("f\($0)", 1) }
        #expect(throws: Never.self) {
            try Self.read(try Self.frame { $0.server = Array(many.dropLast()) })
        }
        let wrong = [
            many, [Self.figure("turns", 1), Self.figure("turns", 2)], [Self.figure("", 1)],
            [Self.figure(String(repeating: "x", count: 129), 1)], [Self.figure("a\u{1B}", 1)],
        ]
        for figures in wrong {
            #expect(throws: WireError.self) {
                try Self.read(try Self.frame { $0.server = figures })
            }
            #expect(throws: WireError.self) {
                try Self.read(try Self.frame { $0.figures = figures })
            }
            #expect(throws: WireError.self) {
                try Self.read(try Self.frame { $0.account = figures })
            }
        }
    }

    // MARK: Messages

    private static func stats(_ server: Figures<ServerFigure>) throws -> Stats {
        Stats(
            request: 1, room: try #require(RoomName("room")), identity: ExampleMessages.identity,
            figures: Figures { _ in 1 }, server: server, account: Figures { _ in 2 })
    }

    private static func figure(_ name: String, _ value: UInt64) -> Collsync_V1_Figure {
        var figure = Collsync_V1_Figure()
        figure.name = name
        figure.value = value
        return figure
    }

    /// A frame from another implementation, without its length.
    private static func frame(_ change: (inout Collsync_V1_Stats) -> Void) throws -> [UInt8] {
        var form = Collsync_V1_Stats(try stats(Figures { _ in 1 }))
        (form.figures, form.server) = ([], [])
        change(&form)
        var frame = Collsync_V1_Frame()
        frame.stats = form
        return try frame.serializedBytes()
    }

    private static func read(_ frame: EncodedFrame) throws -> ServerMessage {
        var decoder = FrameDecoder()
        return try frame.plainArray.withUnsafeBytes { chunk in
            var input = chunk
            return try MessageDecoder().serverMessage(try #require(try decoder.next(&input)))
        }
    }

    private static func read(_ frame: [UInt8]) throws -> ServerMessage {
        try frame.withUnsafeBytes { try MessageDecoder().serverMessage($0) }
    }
}
