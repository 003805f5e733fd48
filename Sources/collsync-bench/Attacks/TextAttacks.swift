import SyncBytes
import SyncLayout
import SyncModel
import SyncWire

/// Texts of very many combining marks: to compare them as people read them takes time that grows
/// with the square of their length.
struct TextAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "hellos", what: "first and second hellos that are nothing but marks",
                prepare: hellos),
            Attack(
                name: "choices", what: "kinds, names and titles over HTTP that are marks",
                mostGrowthBytes: 256 << 20, prepare: choices),
            Attack(
                name: "kinds", what: "views whose layouts have kinds of marks", prepare: kinds),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// A letter with marks of two classes by turns, in so many bytes.
    static func marks(bytes: Int) -> String {
        "e" + String(repeating: "\u{301}\u{327}", count: max(1, (bytes - 1) / 4))
    }

    private static func hello(ofBytes bytes: Int) throws -> [UInt8] {
        var inner = ByteWriter()
        // A hello whose magic is the text.
        inner.write(message: 16) { $0.write(field: 1, utf8Of: marks(bytes: bytes)) }
        return try RequestAttacks.deflatedFrame(inner)
    }

    private func hellos(_ scene: AttackScene) throws -> () throws -> Void {
        let (first, second) = (
            try Self.hello(ofBytes: 60 << 10), try Self.hello(ofBytes: 4_000_000)
        )
        scene.remarks.append("\(first.count) and \(second.count) bytes")
        return { [self] in
            for _ in 0..<count(200) {
                try scene.gang.knock(first, afterHello: false)
                try scene.gang.knock(second, afterHello: true)
                try scene.gang.run(seconds: 0.02)
            }
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    private func choices(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("titles")
        let maker = try scene.gang.enter(room, count: 1)[0]
        let words = (0..<40).map { _ in Self.marks(bytes: 100) }.joined(separator: " ")
        let title = Field(name: Identifier("title"), value: .text(words))
        try maker.submit(
            try (0..<count(1000)).map {
                .insert(
                    Item(
                        id: try Identifier("i\($0)"),
                        content: try ItemContent(fields: [title])),
                    to: Placement(section: Identifier("main")))
            }, base: 0, counter: 1)
        try scene.waitForAnswers(1, of: [maker])
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let long = Self.marks(bytes: 100_000)
            let bodies = [
                #"{"layout":{"kind":"\#(long)"},"bounds":{"width":100,"height":100},"sections":[]}"#,
                #"{"\#(long)":1}"#, #"{"layout":{"kind":"flow"},"\#(long)":[]}"#,
            ].map { Array($0.utf8) }
            for (number, stranger) in strangers.enumerated() {
                let request =
                    number % 2 == 0
                    ? stranger.request("POST", "/v1/layout", body: bodies[number / 2 % 3])
                    : stranger.request(
                        "GET",
                        "/v1/rooms/titles/layout.svg?kind=flow&width=2000&height=2000&title=title")
                stranger.goOn = { _ in request }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    private func kinds(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("kinds")
        let maker = try scene.gang.enter(room, count: 1)[0]
        try maker.submit(
            try (0..<count(3000)).map {
                .insert(
                    Item(id: try Identifier("i\($0)")), to: Placement(section: Identifier("main")))
            }, base: 0, counter: 1)
        try scene.waitForAnswers(1, of: [maker])
        let decorations = try (0..<8).map { number in
            Decoration(kind: try Identifier("\(number)" + Self.marks(bytes: 120)))
        }
        let layout = ViewLayout(.flow) { layout in
            layout.itemSize = ListSize(width: 20, height: 20)
            layout.decorations = decorations
        }
        return { [self] in
            let strangers = try scene.gang.enter(room, count: 8, viewOnly: true)
            for turn in 0..<count(100) {
                for stranger in strangers {
                    stranger.send(
                        .view(
                            ViewRequest(
                                room: stranger.answers.handles[0], view: ViewNumber(turn % 8 + 1),
                                layout: layout,
                                bounds: ListRect(
                                    width: Double(600 + turn % 50), height: 1500))))
                }
                try scene.gang.run(seconds: 0.05)
            }
        }
    }
}
