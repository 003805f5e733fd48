import SyncModel

/// Measures how long a client waits that only views a large stored room, and how much it receives.
struct ThinClientBenchmark {
    struct Figures {
        /// The bytes from the join to a whole screen.
        var bytes: Int
        /// The seconds from the request for the view to the screen, if nobody has viewed the room
        /// with this layout.
        var first: Double
        /// The same if somebody is viewing it.
        var second: Double
        /// The times from the request for the next screen to the screen.
        var scrolls: Spread
        /// The times from sending a few bytes to receiving them back from a server that does
        /// nothing else, by turns with the screens.
        var bareTrips: Spread
    }

    private let programs: Programs
    private let data: String
    private let room: ViewedRoom
    private let echo: MeasuredProcess

    /// Lets a server store the room, and ends it.
    init(_ programs: Programs, folder: String, _ room: ViewedRoom) throws {
        self.programs = programs
        self.room = room
        data = "\(folder)/stored"
        echo = try programs.startBroadcaster()
        let server = try programs.startServer(data: data)
        _ = try room.fill(on: server.port)
        try server.end()
    }

    /// Measures at a new server, with `count` scrolls.
    func figures(scrolls count: Int = 10_000) throws -> Figures {
        let server = try programs.startServer(data: data)
        let (first, bytes, seconds) = try enter(server, as: "first")
        let (_, _, again) = try enter(server, as: "second")
        var bare = try BroadcastMember(
            entering: try Socket(port: echo.port), number: 0, of: 1)
        try bare.settle()
        var (scrolls, bareTrips): ([Double], [Double]) = ([], [])
        for _ in 0..<count {
            var watch = Stopwatch()
            try first.scroll(by: ViewedRoom.viewport.height)
            scrolls.append(watch.seconds)
            watch = Stopwatch()
            try bare.takeTrip()
            bareTrips.append(watch.seconds)
        }
        return Figures(
            bytes: bytes, first: seconds, second: again, scrolls: Spread(scrolls),
            bareTrips: Spread(bareTrips))
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
