import Glibc
import SyncModel
import SyncWire

/// How long the first to join a large stored room waits.
struct OpeningBenchmark {
    private let programs: Programs
    private let data: String
    private let room: RoomName

    /// Has a server store a room of so many items, and end.
    init(_ programs: Programs, folder: String, items: Int) throws {
        guard let room = RoomName("large") else { throw BenchError("a room has a name") }
        self.programs = programs
        self.room = room
        data = "\(folder)/large"
        let server = try programs.startServer(data: data)
        let talk = Talk(try Socket(port: server.port))
        try talk.hello()
        _ = try talk.fill(room, items: items)
        try server.end()
    }

    /// Seconds from asking a new server for the room to being in it.
    func seconds() throws -> Double {
        let server = try programs.startServer(data: data)
        let talk = Talk(try Socket(port: server.port))
        try talk.hello()
        let watch = Stopwatch()
        _ = try talk.join(room, as: "first")
        return watch.seconds
    }
}
