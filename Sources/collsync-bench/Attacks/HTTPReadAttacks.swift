import SyncModel
import SyncWire

/// Requests over HTTP whose answers are large or expensive, or that nobody takes.
struct HTTPReadAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "listeners", what: "1,000 event streams of a busy room that nobody reads",
                mostGrowthBytes: 128 << 20, prepare: listeners),
            Attack(
                name: "trickles", what: "a large room is read compressed, a few bytes at a time",
                mostGrowthBytes: 256 << 20, prepare: trickles),
            Attack(
                name: "tables", what: "a large room is read as a table, a few bytes at a time",
                mostGrowthBytes: 256 << 20, prepare: tables),
            Attack(
                name: "pictures", what: "pictures and layouts are asked for again and again",
                mostGrowthBytes: 384 << 20, prepare: pictures),
            Attack(
                name: "searches", what: "a large room is searched for what is not in it",
                mostGrowthBytes: 128 << 20, prepare: searches),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    private func listeners(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("busy")
        _ = try scene.talk().fill(room, items: 1000)
        let strangers = try scene.gang.visit(count: count(1000))
        for (number, stranger) in strangers.enumerated() {
            stranger.reads = 0
            let form = number % 2 == 0 ? "" : "Accept-Encoding: gzip\r\n"
            stranger.send(bytes: stranger.request("GET", "/v1/rooms/busy/stream", form))
        }
        return { [self] in
            let talk = try scene.talk()
            let joined = try talk.join(room, as: "editor", viewOnly: true)
            let text = String(repeating: "x", count: 1000)
            for number in 0..<count(2000) {
                let field = Field(name: Identifier("text"), value: .text("\(number) \(text)"))
                try talk.send(
                    .submit(
                        try Submit(
                            room: joined.handle, counter: UInt64(number + 1),
                            transaction: ListTransaction(
                                base: joined.revision,
                                operations: [
                                    .update(
                                        try EngineBenchmark.id(number % 1000),
                                        ItemPatch(set: [field]))
                                ]))))
                if number % 50 == 49 {
                    _ = try talk.waitForAck(of: UInt64(number + 1))
                    try scene.gang.run(seconds: 0.02)
                }
            }
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    /// Attackers ask for something of a large room, and read slowly.
    private func readSlowly(
        _ scene: AttackScene, _ target: String, _ fields: String
    ) throws -> () throws -> Void {
        let room = try AttackScene.room("large")
        _ = try scene.talk().fill(room, items: count(500_000))
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            for stranger in strangers {
                (stranger.readBytes, stranger.reads) = (64, 1)
                stranger.send(bytes: stranger.request("GET", "/v1/rooms/large" + target, fields))
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    private func trickles(_ scene: AttackScene) throws -> () throws -> Void {
        try readSlowly(scene, "", "Accept-Encoding: gzip\r\n")
    }

    private func tables(_ scene: AttackScene) throws -> () throws -> Void {
        try readSlowly(scene, "/export.csv", "")
    }

    private func pictures(_ scene: AttackScene) throws -> () throws -> Void {
        _ = try scene.talk().fill(try AttackScene.room("large"), items: count(100_000))
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let path = "/v1/rooms/large"
            let layout =
                #"{"layout":{"kind":"waterfall","columnCount":40},"bounds":{"width":4000,"#
                + #""height":1000},"sections":[{"count":100000}],"rect":{"width":4000,"#
                + #""height":1000}}"#
            for (number, stranger) in strangers.enumerated() {
                let request =
                    switch number % 3 {
                    case 0:
                        stranger.request(
                            "GET",
                            path + "/layout.png?kind=columnFlow&width=1990&height=1990&scale=1")
                    case 1:
                        stranger.request(
                            "GET", path + "/layout.svg?kind=flow&width=2000&height=2000",
                            "Accept-Encoding: gzip\r\n")
                    default: stranger.request("POST", "/v1/layout", body: Array(layout.utf8))
                    }
                stranger.goOn = { _ in request }
            }
            try scene.gang.run(seconds: 10 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
            var statuses: [Int: Int] = [:]
            for stranger in strangers {
                statuses.merge(stranger.statuses, uniquingKeysWith: +)
            }
            scene.remarks.append("answers \(statuses.sorted { $0.key < $1.key })")
        }
    }

    private func searches(_ scene: AttackScene) throws -> () throws -> Void {
        _ = try scene.talk().fill(try AttackScene.room("large"), items: count(500_000))
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let path = "/v1/rooms/large"
            let view =
                #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"x":0,"y":0,"width":4000,"#
                + #""height":20000}}}"#
            for (number, stranger) in strangers.enumerated() {
                let request =
                    switch number % 3 {
                    case 0: stranger.request("GET", path + "/search?q=no-item-has-this")
                    case 1: stranger.request("GET", path + "/items?limit=1000")
                    default: stranger.request("POST", path + "/view", body: Array(view.utf8))
                    }
                stranger.goOn = { _ in request }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
            let answers = strangers.reduce(0) { $0 + ($1.statuses[200] ?? 0) }
            scene.remarks.append("\(answers) answers of the room")
        }
    }
}
