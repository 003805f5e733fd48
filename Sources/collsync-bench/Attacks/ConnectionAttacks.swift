import SyncLayout
import SyncModel
import SyncWire

/// Connections that use up what others need.
struct ConnectionAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "rooms", what: "one address opens all rooms that there may be",
                options: ["--trusted", "none"], prepare: rooms),
            Attack(
                name: "connections", what: "one address opens all connections that there may be",
                options: ["--trusted", "none"], prepare: connections),
            Attack(
                name: "silent", what: "views that nobody reads", options: ["--heartbeat", "1s"],
                prepare: silent),
            Attack(
                name: "unfinished", what: "frames that are never finished",
                options: ["--heartbeat", "1s"], prepare: unfinished),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    private func rooms(_ scene: AttackScene) throws -> () throws -> Void {
        {
            for connection in 0..<count(157) {
                let stranger = try scene.gang.add()
                for room in 0..<64 {
                    try stranger.join(
                        try AttackScene.room("r-\(connection)-\(room)"), as: "stranger")
                }
            }
            try scene.gang.run(seconds: 5)
            let opened = scene.gang.strangers.reduce(0) { $0 + $1.answers.handles.count }
            scene.remarks.append("\(opened) rooms opened")
            let honest = try scene.gang.add(from: 1)
            try honest.join(try AttackScene.room("honest"), as: "honest")
            let isIn = try scene.gang.run(seconds: 5) { !honest.answers.handles.isEmpty }
            if !isIn { scene.failures.append("others can't join") }
        }
    }

    private func connections(_ scene: AttackScene) throws -> () throws -> Void {
        {
            for number in 1...count(15_000) {
                // The server may close it before the handshake is over.
                _ = try? scene.gang.add()
                if number % 100 == 0 { try scene.gang.run(seconds: 0.01) }
            }
            try scene.gang.run(seconds: 2)
            let open = scene.gang.strangers.count { !$0.isClosed && $0.answers.welcomes > 0 }
            scene.remarks.append("\(open) connections open")
            let honest = try scene.gang.add(from: 1)
            let isIn = try scene.gang.run(seconds: 5) { honest.answers.welcomes > 0 }
            if !isIn { scene.failures.append("others can't connect") }
        }
    }

    private func silent(_ scene: AttackScene) throws -> () throws -> Void {
        _ = try ViewedRoom(.waterfall, items: 100_000).fill(by: try scene.talk())
        let strangers = try scene.gang.enter(
            try ViewedRoom.name(), count: count(64), viewOnly: true)
        return {
            for stranger in strangers {
                stranger.reads = false
                for view in 1...ViewNumber(16) {
                    stranger.send(
                        .view(
                            ViewRequest(
                                room: stranger.answers.handles[0], view: view,
                                layout: ViewLayout(.waterfall) { $0.columnCount = 40 },
                                bounds: ListRect(width: 4000, height: 5000))))
                }
            }
            // They send heartbeats for as long as the server reads.
            for _ in 0..<20 {
                for stranger in strangers { stranger.send(.heartbeat(Heartbeat())) }
                try scene.gang.run(seconds: 0.5)
            }
            for stranger in strangers { stranger.reads = true }
            try scene.gang.run(seconds: 2)
        }
    }

    private func unfinished(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.enter(try AttackScene.room("any"), count: count(64))
        let almost = [UInt8](repeating: 0, count: 4 << 20)
        return {
            for stranger in strangers {
                // A frame of 4 MiB and 1,000 bytes.
                stranger.send(bytes: [0xE8, 0x87, 0x80, 0x02])
                stranger.send(bytes: almost)
            }
            for _ in 0..<40 {
                try scene.gang.run(seconds: 0.5)
                for stranger in strangers { stranger.send(bytes: [0]) }
            }
        }
    }
}
