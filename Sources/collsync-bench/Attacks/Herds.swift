import Glibc
import SyncBytes
import SyncModel
import SyncWire

/// Many well-behaved clients that come at once, after a restart.
struct Herds {
    let scale: Double

    static let names: Set<String> = ["herd", "reopening"]
    /// The time, in seconds, in which all must be served.
    private static let mostSeconds = 30.0

    var all: [Attack] {
        [
            Attack(
                name: "herd",
                what: "after a restart 10,000 members of a room come back, half need a snapshot",
                mostGrowthBytes: 300 << 20,
                store: { programs, data in
                    let server = try programs.startServer(data: data)
                    let talk = Talk(try Socket(port: server.port))
                    try talk.hello()
                    _ = try talk.fill(try AttackScene.room("herd"), items: count(100_000))
                    try server.end()
                }, prepare: comeBack),
            Attack(
                name: "reopening", what: "1,000 stored rooms are opened at once",
                store: { programs, data in
                    let server = try programs.startServer(data: data)
                    for number in 0..<count(1000) {
                        let talk = Talk(try Socket(port: server.port))
                        try talk.hello()
                        _ = try talk.fill(try AttackScene.room("room-\(number)"), items: 1000)
                    }
                    try server.end()
                }, prepare: reopen),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// The number of bytes that a joining connection receives, and the answer to its join.
    private func probe(
        _ room: RoomName, _ scene: AttackScene, from revision: Revision? = nil,
        of origin: Origin? = nil
    ) throws -> (bytes: Int, joined: Joined) {
        let talk = try scene.talk(.deflate)
        let joined = try talk.join(room, as: "probe", from: revision, origin: origin)
        guard joined.resumed == (revision != nil) else { throw BenchError("a join is not resumed") }
        while revision == nil {
            if case .snapshot(let part) = try talk.receive(), part.isLast { break }
        }
        if revision != nil { while case .batch = try talk.receive() { break } }
        return (talk.receivedBytes, joined)
    }

    private func comeBack(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("herd")
        let whole = try probe(room, scene)
        let former = whole.joined.revision - 1
        let origin = whole.joined.identity.origin(of: former)
        let resumed = try probe(room, scene, from: former, of: origin)
        let members = count(10_000)
        return {
            let herd = Herd(scene.entrance)
            for number in 0..<members {
                let holds = number % 2 == 0
                let join = Join(
                    request: 1, room: room, client: try Identifier("member-\(number)"),
                    from: holds ? former : nil, origin: holds ? origin : nil)
                try herd.add(
                    host: UInt8(2 + number % 200), join,
                    wanted: holds ? resumed.bytes : whole.bytes)
            }
            let seconds = try herd.run(seconds: 120)
            note("half with \(whole.bytes >> 10) KiB", herd, members, seconds, in: scene)
        }
    }

    private func reopen(_ scene: AttackScene) throws -> () throws -> Void {
        let whole = try probe(try AttackScene.room("room-0"), scene)
        let rooms = count(1000)
        return {
            let herd = Herd(scene.entrance)
            for number in 0..<rooms {
                let join = Join(
                    request: 1, room: try AttackScene.room("room-\(number)"),
                    client: Identifier("member"))
                try herd.add(
                    host: UInt8(2 + number % 200), join, wanted: whole.bytes)
            }
            let seconds = try herd.run(seconds: 120)
            note("\(whole.bytes >> 10) KiB each", herd, rooms, seconds, in: scene)
        }
    }

    private func note(
        _ what: String, _ herd: Herd, _ count: Int, _ seconds: Double, in scene: AttackScene
    ) {
        let text =
            "\(herd.served) of \(count) served in \(Report.milliseconds(seconds)), \(what)"
        if herd.served == count, seconds <= Herds.mostSeconds {
            scene.remarks.append(text)
        } else {
            scene.failures.append(text)
        }
    }
}

/// Connections that all send hello and join at once, and then count the bytes that arrive.
private final class Herd {
    private struct Member {
        let socket: Socket
        var wanted: Int
    }

    private let entrance: Entrance
    private var members: [Member] = []
    private(set) var served = 0
    private let sockets = SocketSet()
    private let encoder = MessageEncoder()
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(_ entrance: Entrance) {
        self.entrance = entrance
    }

    deinit {
        memory.deallocate()
    }

    /// Connects one more member and sends its requests.
    ///
    /// - Parameter wanted: how many bytes it is to receive.
    func add(host: UInt8, _ join: Join, wanted: Int) throws {
        let socket = try entrance.socket(from: host)
        let hello = Hello(
            features: .deflate, token: entrance.door.token(of: members.count), agent: "herd")
        for message in [ClientMessage.hello(hello), .join(join)] {
            try encoder.encode(message).plain.withBytes { try socket.send($0) }
        }
        socket.stopWaiting()
        try sockets.add(socket, as: members.count)
        members.append(Member(socket: socket, wanted: wanted))
    }

    /// Reads until all are served, or for `seconds`.
    ///
    /// - Returns: the time it took, in seconds.
    func run(seconds: Double) throws -> Double {
        let watch = Stopwatch()
        while served < members.count, watch.seconds < seconds {
            try sockets.wait(milliseconds: 100) { number in
                let count = try members[number].socket.receive(into: memory).count
                let wanted = members[number].wanted
                members[number].wanted -= count
                if wanted > 0, members[number].wanted <= 0 { served += 1 }
            }
        }
        return watch.seconds
    }
}
