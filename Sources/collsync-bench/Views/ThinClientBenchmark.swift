import SyncEngine

/// What one who only views a large stored room waits for, and gets.
struct ThinClientBenchmark {
    struct Figures {
        /// From the join to a whole screen.
        var bytes: Int
        /// From asking for the view to the screen, where nobody has viewed the room so.
        var first: Double
        /// The same where somebody does.
        var second: Double
        /// From asking for the next screen to having it.
        var scrolls: Spread
    }

    private let programs: Programs
    private let data: String
    private let room: ViewedRoom

    /// Has a server store the room, and end.
    init(_ programs: Programs, folder: String, _ room: ViewedRoom) throws {
        self.programs = programs
        self.room = room
        data = "\(folder)/stored"
        let server = try programs.startServer(data: data)
        _ = try room.fill(on: server.port)
        try server.end()
    }

    /// Measures at a new server, scrolling so often.
    func figures(scrolls count: Int = 1000) throws -> Figures {
        let server = try programs.startServer(data: data)
        let (first, bytes, seconds) = try enter(server, as: "first")
        let (_, _, again) = try enter(server, as: "second")
        let scrolls = try (0..<count).map { _ in
            let watch = Stopwatch()
            try first.scroll(by: ViewedRoom.viewport.height)
            return watch.seconds
        }
        return Figures(bytes: bytes, first: seconds, second: again, scrolls: Spread(scrolls))
    }

    private func enter(
        _ server: MeasuredProcess, as client: String
    ) throws -> (view: TalkView, bytes: Int, seconds: Double) {
        let talk = Talk(try Socket(port: server.port))
        try talk.hello()
        let before = talk.receivedBytes
        let view = try TalkView(talk, as: client)
        let watch = Stopwatch()
        try view.open(room.layout)
        return (view, talk.receivedBytes - before, watch.seconds)
    }
}
