import Foundation

/// Requests over HTTP that come slowly, never end, or are more than anyone needs.
struct HTTPAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "heads", what: "heads of requests that come a byte at a time",
                mostGrowthBytes: 64 << 20, prepare: heads),
            Attack(
                name: "bodies", what: "bodies of requests that come a byte at a time",
                mostGrowthBytes: 64 << 20, prepare: bodies),
            Attack(
                name: "pipelines", what: "requests follow one another without end",
                mostGrowthBytes: 128 << 20, prepare: pipelines),
            Attack(
                name: "chunks", what: "bodies in chunks of a byte", mostGrowthBytes: 64 << 20,
                prepare: chunks),
            Attack(
                name: "fields", what: "heads as large as they may be, and larger",
                mostGrowthBytes: 64 << 20, prepare: fields),
            Attack(
                name: "nested", what: "bodies of JSON that is deep, wide or escaped",
                mostGrowthBytes: 256 << 20, prepare: nested),
            Attack(
                name: "keys", what: "each transaction has an idempotency key of its own",
                mostGrowthBytes: 128 << 20, prepare: keys),
            Attack(
                name: "imports", what: "imports that stop in the middle",
                mostGrowthBytes: 256 << 20, prepare: imports),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// Between two pieces of what comes slowly.
    private var pause: Double { max(0.01, 0.5 * scale) }

    /// Has attackers send some bytes, one each half of a second, for longer than a request may
    /// take.
    private func drip(_ strangers: [WebStranger], in scene: AttackScene) throws {
        for _ in 0..<count(40) {
            for stranger in strangers { stranger.send(bytes: [0x61]) }
            try scene.gang.run(seconds: pause)
        }
        try scene.expectHTTP()
        try scene.gang.run(seconds: 5 * scale)
        let open = strangers.count { !$0.isClosed }
        if scale == 1, open > 0 { scene.failures.append("\(open) attackers are never closed") }
    }

    private func heads(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(1000))
        return { [self] in
            for stranger in strangers {
                stranger.send("GET /healthz HTTP/1.1\r\n\(stranger.fields)X: ")
            }
            try drip(strangers, in: scene)
        }
    }

    private func bodies(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(1000))
        let targets = [
            "/v1/layout", "/v1/rooms/slow/transactions", "/v1/rooms/slow/import",
            "/v1/rooms/slow/view", "/v1/cookie", "/v1/nothing",
        ]
        return { [self] in
            for (number, stranger) in strangers.enumerated() {
                let target = targets[number % targets.count]
                stranger.send(stranger.head("POST", target, "Content-Length: 100000\r\n"))
            }
            try drip(strangers, in: scene)
        }
    }

    private func pipelines(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(500))
        return { [self] in
            let edit = Array(
                #"{"ops":[{"insertSection":{"section":{"id":"main"}}}]}"#.utf8)
            for (number, stranger) in strangers.enumerated() {
                let requests =
                    switch number % 5 {
                    case 0: stranger.request("GET", "/healthz")
                    case 1: stranger.request("GET", "/v1/rooms?limit=1000")
                    case 2: stranger.request("GET", "/v1/nothing")
                    case 3:
                        stranger.request("POST", "/v1/rooms/pipeline/transactions", body: edit)
                    default:
                        stranger.request("GET", "/v1/openapi.json", "Accept-Encoding: gzip\r\n")
                    }
                let many = [UInt8]((0..<100).map { _ in requests }.joined())
                stranger.goOn = { _ in many }
                // A half takes no answers.
                if number % 2 == 1 { stranger.reads = 0 }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
            let answers = strangers.reduce(0) { $0 + $1.answers }
            scene.remarks.append("\(answers) answers to attackers")
        }
    }

    private func chunks(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let chunks = [UInt8]((0..<10_000).map { _ in Array("1\r\n \r\n".utf8) }.joined())
            for (number, stranger) in strangers.enumerated() {
                let target =
                    ["/v1/rooms/chunks/import", "/v1/layout", "/v1/nothing"][number % 3]
                let head = Array(
                    stranger.head("POST", target, "Transfer-Encoding: chunked\r\n").utf8)
                var hasBegun = false
                stranger.goOn = { _ in
                    defer { hasBegun = true }
                    return hasBegun ? chunks : head + chunks
                }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    private func fields(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        let gang = scene.gang
        return { [self] in
            let many = (0..<90).map { "x\($0): \(String(repeating: "a, ", count: 45))\r\n" }
            let lists = ["Connection", "Accept-Encoding", "Cookie", "If-None-Match", "Expect"]
            let long = String(repeating: "a,", count: 6000)
            for (number, stranger) in strangers.enumerated() {
                let field = lists[number % lists.count]
                let requests =
                    switch number % 3 {
                    case 0: stranger.request("GET", "/v1/rooms", many.joined())
                    case 1: stranger.request("GET", "/v1/rooms", "\(field): \(long)\r\n")
                    default: Array("GET /\(String(repeating: "%41", count: 2700)) HT".utf8)
                    }
                stranger.goOn = { _ in requests }
            }
            for _ in 0..<count(20) {
                try gang.run(seconds: pause)
                // Those whose head was too large come again.
                for stranger in strangers where stranger.isClosed {
                    guard let again = try gang.visit(count: 1).first else { continue }
                    again.goOn = stranger.goOn
                    stranger.goOn = nil
                }
            }
            try scene.expectHTTP()
        }
    }

    private func nested(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let bodies = HTTPAttacks.bodies.map { Array($0.utf8) }
            let targets =
                ["transactions", "view"].map { "/v1/rooms/nested/\($0)" } + ["/v1/layout"]
            for (number, stranger) in strangers.enumerated() {
                // Others take no long ones, and close the connection.
                let target = targets[number % targets.count]
                let fitting = bodies.filter { number % targets.count == 0 || $0.count < 128 << 10 }
                var turn = number
                stranger.goOn = { stranger in
                    turn += 1
                    return stranger.request("POST", target, body: fitting[turn % fitting.count])
                }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
        }
    }

    /// JSON that takes the most to read for its length. The longest is a transaction at most.
    private static let bodies: [String] = [8000, 120_000, 4_000_000].flatMap { bodies(ofBytes: $0) }

    private static func bodies(ofBytes bytes: Int) -> [String] {
        func many(_ text: String, _ bytes: Int) -> String {
            String(repeating: text, count: bytes / text.utf8.count)
        }
        func update(_ value: String) -> String {
            #"{"ops":[{"update":{"id":"a","set":{"f":"# + value + "}}}]}"
        }
        let left = bytes - 100
        let keys = (0..<left / 12).map { number in "\"k\(number)\":1" }
        let deletions = many(#"{"delete":{"id":"a"}},"#, left)
        return [
            many("[", bytes), many(#"{"a":"#, bytes),
            update(many("[", 2000) + many("]", 2000)), update("[" + many("1e9,", left) + "0]"),
            update("[" + many("{},", left) + "0]"), update("\"" + many(#"\u00e9"#, left) + "\""),
            update("{" + keys.joined(separator: ",") + "}"),
            #"{"ops":["# + deletions + #"{"delete":{"id":"b"}}]}"#,
        ]
    }

    private func keys(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let edit = Array(#"{"ops":[]}"#.utf8)
            var key = 0
            for stranger in strangers {
                stranger.goOn = { stranger in
                    [UInt8](
                        (0..<16).map { _ in
                            key += 1
                            return stranger.request(
                                "POST", "/v1/rooms/keys/transactions",
                                "Idempotency-Key: key-\(key)\r\n", body: edit)
                        }.joined())
                }
            }
            try scene.gang.run(seconds: 20 * scale)
            try scene.expectHTTP()
            let committed = strangers.reduce(0) { $0 + ($1.statuses[200] ?? 0) }
            scene.remarks.append("\(committed) keys of \(key)")
        }
    }

    private func imports(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.visit(count: count(64))
        return { [self] in
            let begin = #"{"sections":[{"id":"main","items":["#
            let items = (0..<2000).map { #"{"id":"i\#($0)","fields":{"title":"\#($0)"}}"# }
            let text = begin + items.joined(separator: ",")
            for (number, stranger) in strangers.enumerated() {
                let target = "/v1/rooms/import-\(number)/import"
                stranger.send(
                    stranger.head("POST", target, "Content-Length: 100000000\r\n") + text)
            }
            for _ in 0..<count(20) {
                // As much as keeps them alive.
                for stranger in strangers where stranger.hasSentAll {
                    stranger.send(String(repeating: " ", count: 16 << 10))
                }
                try scene.gang.run(seconds: pause)
            }
            try scene.expectHTTP()
        }
    }
}
