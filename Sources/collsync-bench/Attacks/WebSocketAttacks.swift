/// WebSockets whose frames carry little, and lines that need long answers.
struct WebSocketAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "fragments", what: "messages of WebSockets in fragments of a byte or none",
                mostGrowthBytes: 64 << 20, prepare: fragments),
            Attack(
                name: "controls", what: "control frames of WebSockets without end",
                mostGrowthBytes: 64 << 20, prepare: controls),
            Attack(
                name: "lines", what: "short lines of WebSockets that are all wrong",
                mostGrowthBytes: 64 << 20, prepare: lines),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// A frame, masked with zeros.
    private static func frame(_ head: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        [head, 0x80 | UInt8(data.count), 0, 0, 0, 0] + data
    }

    private static func repeated(_ frames: [UInt8], bytes: Int = 64 << 10) -> [UInt8] {
        [UInt8]((0..<bytes / frames.count).map { _ in frames }.joined())
    }

    /// Attackers open WebSockets, then send each of the floods by turns, and take the answers or do
    /// not.
    private func flood(
        _ scene: AttackScene, _ kinds: [String], _ floods: [(first: [UInt8], again: [UInt8])]
    ) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        for (number, stranger) in strangers.enumerated() {
            let kind = kinds[number % kinds.count]
            stranger.send(
                stranger.head(
                    "GET", "/v1/ws?room=flood",
                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Protocol: \(kind)\r\n"))
        }
        try scene.gang.wait(for: "WebSockets") {
            strangers.allSatisfy { $0.statuses[101] == 1 }
        }
        return { [self] in
            for (number, stranger) in strangers.enumerated() {
                let flood = floods[number / 2 % floods.count]
                stranger.send(bytes: flood.first)
                stranger.goOn = { _ in flood.again }
                if number % 4 > 1 { stranger.reads = 0 }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    private func fragments(_ scene: AttackScene) throws -> () throws -> Void {
        let (text, binary) = (Self.frame(0x01), Self.frame(0x02))
        return try flood(
            scene, ["collsync.v1.json", "collsync.v1"],
            [
                (text, Self.repeated(Self.frame(0, [0x20]))),
                (binary, Self.repeated(Self.frame(0, [0]))),
                ([], Self.repeated(Self.frame(0x81))), ([], Self.repeated(Self.frame(0x82))),
                (text, Self.repeated(Self.frame(0))), (binary, Self.repeated(Self.frame(0))),
            ])
    }

    private func controls(_ scene: AttackScene) throws -> () throws -> Void {
        let full = [UInt8](repeating: 0x61, count: 125)
        return try flood(
            scene, ["collsync.v1.json", "collsync.v1"],
            [
                ([], Self.repeated(Self.frame(0x89))),
                ([], Self.repeated(Self.frame(0x89, full))),
                ([], Self.repeated(Self.frame(0x8A, full))),
                // Lines between them, so that the pings are no more than the messages.
                (
                    [],
                    Self.repeated(
                        Self.frame(0x81, [0x20]) + Self.frame(0x89, full))
                ),
            ])
    }

    private func lines(_ scene: AttackScene) throws -> () throws -> Void {
        func line(_ text: String) -> [UInt8] { Self.frame(0x81, Array(text.utf8)) }
        return try flood(
            scene, ["collsync.v1.json"],
            [
                ([], Self.repeated(line("x"))),
                ([], Self.repeated(line(#"{"undo":{}}"#))),
                ([], Self.repeated(line(#"{"drag":{"end":{}}}"#))),
                ([], Self.repeated(line(#"{"ops":[],"tx":9007199254740991}"#))),
                ([], Self.repeated(line("[[[[[[[["))),
            ])
    }
}
