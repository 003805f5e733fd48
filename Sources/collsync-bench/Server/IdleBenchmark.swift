import Glibc
import SyncModel
import SyncWire

/// Measures the server's memory for a connection on which nothing happens.
struct IdleBenchmark {
    /// The first connections allocate memory that later ones share, so they are not counted.
    private static let warmUp = 64

    /// Bytes for each connection that has completed the handshake.
    static func bytesPerConnection(_ programs: Programs, folder: String, count: Int) throws
        -> Double
    {
        try bytes(programs, data: "\(folder)/idle", count) { talk, _ in try talk.hello() }
    }

    /// Bytes for each connection that has also joined a room.
    static func bytesPerMember(_ programs: Programs, folder: String, count: Int) throws -> Double {
        guard let room = RoomName("idle") else { throw BenchError("a room has a name") }
        return try bytes(programs, data: "\(folder)/members", count) { talk, number in
            try talk.hello()
            _ = try talk.join(room, as: "idle-\(number)")
        }
    }

    private static func bytes(
        _ programs: Programs, data: String, _ count: Int, _ enter: (Talk, Int) throws -> Void
    ) throws -> Double {
        try bytes(of: try programs.startServer(data: data), count, enter)
    }

    /// Bytes of a server for each connection that enters in this way.
    static func bytes(
        of server: MeasuredProcess, _ count: Int,
        connect: (UInt16) throws -> Socket = { try Socket(port: $0) },
        _ enter: (Talk, Int) throws -> Void
    ) throws -> Double {
        allowOpenFiles(count + 100)
        var sockets: [Socket] = []
        func add(_ numbers: Range<Int>) throws {
            for number in numbers {
                let socket = try connect(server.port)
                try enter(Talk(socket), number)
                sockets.append(socket)
            }
        }
        try add(0..<warmUp)
        let before = server.residentBytes
        try add(warmUp..<(warmUp + count))
        return Double(server.residentBytes - before) / Double(count)
    }

    static func allowOpenFiles(_ count: Int) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
        limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(count)), limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
