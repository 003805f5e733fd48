import SyncLayout
import SyncModel
import SyncWire

/// Resources of all clients that one client uses up.
struct ShareAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "repeats", what: "one snapshot is read thousands of times at once",
                prepare: repeats),
            Attack(
                name: "layouts", what: "a room is laid out in all ways that it may be",
                prepare: layouts),
            Attack(
                name: "hoarding",
                what: "all that may be held of answers is asked for, and not taken",
                options: ["--max-read-bytes", "67108864"], prepare: hoarding),
            Attack(
                name: "filling", what: "one address fills the server's memory with items",
                options: ["--max-memory", "134217728"], prepare: filling),
            Attack(
                name: "visits", what: "stored rooms are read until no more may be open",
                options: ["--max-rooms", "100"],
                store: { programs, data in
                    let server = try programs.startServer(data: data)
                    for number in 0..<count(1000) {
                        let talk = Talk(try Socket(port: server.port))
                        try talk.hello()
                        _ = try talk.fill(try AttackScene.room("room-\(number)"), items: 1)
                    }
                    try server.end()
                }, prepare: visits),
            Attack(
                name: "shares", what: "rooms are shared without end, and the bearers come",
                options: ["--share-rooms"], needsUsers: true, prepare: shares),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    private func shares(_ scene: AttackScene) throws -> () throws -> Void {
        _ = try scene.talk().fill(try AttackScene.room("shared"), items: 10)
        let share = #"{"room":"shared","role":"viewer"}"#
        // One user's bearers come, while the others only share.
        let sharer = try scene.talkWeb()
        let strangers = try scene.gang.visit(count: count(100))
        return { [self] in
            for stranger in strangers {
                let requests = [UInt8](
                    repeatElement(
                        stranger.request("POST", "/v1/tokens", body: Array(share.utf8)), count: 20
                    ).joined())
                stranger.goOn = { _ in requests }
            }
            try scene.gang.run(seconds: 5 * scale)
            let answer = try sharer.ask("POST", "/v1/tokens", body: share, status: 201)
            let parts = String(decoding: answer, as: UTF8.self).split(separator: "\"")
            guard let key = parts.firstIndex(of: "token"), parts.count > key + 2 else {
                throw BenchError("the answer has no token")
            }
            let token = String(parts[key + 2])
            var guests: [Talk] = []
            for _ in 0..<2000 {
                let guest = Talk(
                    try scene.entrance.socket(patienceSeconds: Innocent.patienceSeconds))
                do { try guest.hello(token: token) } catch { break }
                guests.append(guest)
            }
            try scene.expect("the sharer's own connection", within: AttackOutcome.longestWait * 2) {
                _ = try scene.talk()
            }
            try scene.gang.run(seconds: 5 * scale)
            var statuses: [Int: Int] = [:]
            for stranger in strangers { statuses.merge(stranger.statuses, uniquingKeysWith: +) }
            scene.remarks.append(
                "\(guests.count) guests, \(statuses[201] ?? 0) shares, \(statuses[429] ?? 0) refused"
            )
        }
    }

    private func repeats(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("small")
        _ = try scene.talk().fill(room, items: 10)
        let strangers = try (0..<count(250)).map { _ in try scene.gang.add() }
        return {
            for stranger in strangers {
                for _ in 0..<64 {
                    stranger.send(
                        .readSnapshot(ReadSnapshot(request: stranger.nextRequest(), room: room)))
                }
            }
            try scene.gang.wait(for: "the reads") {
                strangers.allSatisfy { $0.isClosed || $0.answers.ends + $0.answers.errors >= 64 }
            }
        }
    }

    private static func layout(columns: Int) -> ViewLayout {
        ViewLayout(.waterfall) { $0.columnCount = columns }
    }

    private func layouts(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("laid-out")
        _ = try scene.talk().fill(room, items: count(10_000))
        let strangers = try scene.gang.enter(room, count: 4, viewOnly: true)
        return {
            for (number, stranger) in strangers.enumerated() {
                for view in 1...count(16) {
                    let layout = ShareAttacks.layout(columns: 1 + number * 16 + view)
                    stranger.send(
                        .view(
                            ViewRequest(
                                room: stranger.answers.handles[0], view: ViewNumber(view),
                                layout: layout, bounds: ListRect(width: 1000, height: 200))))
                }
            }
            try scene.gang.run(seconds: 2)
            let talk = try scene.talk()
            let joined = try talk.join(room, as: "honest", viewOnly: true)
            try scene.expect("a view of the room", within: 1) {
                let layout = ShareAttacks.layout(columns: 100)
                try talk.send(
                    .view(
                        ViewRequest(
                            room: joined.handle, view: 1, layout: layout,
                            bounds: ListRect(width: 1000, height: 200))))
                while true {
                    switch try talk.receive() {
                    case .viewUpdate: return
                    case .error(let error): throw BenchError(error.text)
                    default: continue
                    }
                }
            }
        }
    }

    private func hoarding(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("large")
        let (revision, _) = try scene.talk().fill(room, items: count(300_000))
        let small = try AttackScene.room("small")
        _ = try scene.talk().fill(small, items: 10)
        return {
            for _ in 0..<6 {
                let stranger = try scene.gang.add()
                stranger.reads = false
                for number in 0..<UInt64(8) {
                    stranger.send(
                        .readSnapshot(
                            ReadSnapshot(
                                request: stranger.nextRequest(), room: room,
                                revision: revision - min(revision, number))))
                }
            }
            try scene.gang.run(seconds: 5)
            try scene.expect("a read", within: 1) {
                let talk = try scene.talk()
                try talk.send(.readSnapshot(ReadSnapshot(request: 9, room: small)))
                while true {
                    switch try talk.receive() {
                    case .done: return
                    case .error(let error): throw BenchError(error.text)
                    default: continue
                    }
                }
            }
        }
    }

    private func filling(_ scene: AttackScene) throws -> () throws -> Void {
        let stranger = try scene.gang.enter(try AttackScene.room("filled"), count: 1)[0]
        let text = String(repeating: "x", count: 200_000)
        let main = Placement(section: Identifier("main"))
        return {
            let items = count(800)
            for number in 0..<items {
                let field = Field(name: Identifier("text"), value: .text(text))
                let item = Item(
                    id: try EngineBenchmark.id(number), content: try ItemContent(fields: [field]))
                try stranger.submit(
                    [.insert(item, to: main)], base: 0, counter: UInt64(number + 1))
                try scene.gang.run(seconds: 0.005)
            }
            try scene.waitForAnswers(items, of: [stranger])
        }
    }

    private func visits(_ scene: AttackScene) throws -> () throws -> Void {
        {
            let stranger = try scene.gang.add()
            for number in 0..<count(1000) {
                stranger.send(
                    .readStats(
                        RoomRequest(
                            request: UInt32(1 + number % 60),
                            room: try AttackScene.room("room-\(number)"))))
                try scene.gang.run(seconds: 0.002)
            }
            try scene.gang.run(seconds: 1)
            try scene.expect("to open a room", within: 1) {
                _ = try scene.talk().join(try AttackScene.room("another"), as: "honest")
            }
        }
    }
}
