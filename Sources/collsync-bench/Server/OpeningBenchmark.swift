import Glibc
import SyncModel
import SyncWire

/// Measures how long the first client waits that joins a large stored room.
struct OpeningBenchmark {
    private let programs: Programs
    private let data: String
    private let room: RoomName

    /// Lets a server store a room of `items` items, and ends it.
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

    /// Seconds from the request for the room at a new server until the room is joined.
    func seconds() throws -> Double {
        let server = try programs.startServer(data: data)
        let talk = Talk(try Socket(port: server.port))
        try talk.hello()
        let watch = Stopwatch()
        _ = try talk.join(room, as: "first")
        return watch.seconds
    }
}
