import SeededRandom
import SyncBytes
import SyncModel
import SyncWire

/// Viewers of one room, each with a viewport of its own, and one editor with a steady rate: the
/// load, on one thread.
final class Audience {
    /// The result of some seconds.
    struct Outcome {
        var edits: Int
        var updates: Int
        /// For each update, the time since the first edit was sent that the update before did not
        /// have. This is the longest time that a viewer waited for an edit of the update.
        var waits: Spread
        /// The longest time that a viewer lacked an edit after its author knew that it is durable.
        var longestLag: Double
        /// The longest time from sending an edit to its answer.
        var longestAnswer: Double
        /// The longest time between two checks of the sockets by this program.
        var longestAbsence: Double
    }

    private var viewers: [Viewer]
    private let editor: PacedEditor
    private let sockets = SocketSet()
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private let watch = Stopwatch()
    private let heartbeat = MessageEncoder().encode(.heartbeat(Heartbeat())).plain

    /// Connects all, one after the other.
    init(
        _ room: ViewedRoom, viewers count: Int, editsPerSecond: Double, port: UInt16, seed: UInt64
    ) throws {
        IdleBenchmark.allowOpenFiles(count + 100)
        var random = SplitMix64(seed: seed)
        let talk = Talk(try Socket(port: port))
        try talk.hello()
        let scout = try TalkView(talk, as: "scout")
        try scout.open(room.layout)
        let screens = Int(scout.contentSize.height / ViewedRoom.viewport.height)
        viewers = try (0..<count).map { number in
            let y = Double(random.below(max(screens, 1))) * ViewedRoom.viewport.height
            return try Viewer(
                entering: try Socket(port: port), number: number, layout: room.layout, at: y)
        }
        editor = try PacedEditor(
            entering: try Socket(port: port), EditScript(items: room.items, seed: seed),
            perSecond: editsPerSecond)
        for (index, socket) in (viewers.map(\.socket) + [editor.socket]).enumerated() {
            socket.stopWaiting()
            try sockets.add(socket, as: index)
        }
    }

    deinit {
        memory.deallocate()
    }

    /// Whether all edits are answered, and all viewers have them.
    var isSettled: Bool {
        editor.isAnswered && viewers.allSatisfy { $0.revision == editor.revision }
    }

    /// Lets the editor edit for a number of seconds, and waits until everybody has all of it. So
    /// the time between two rounds, in which nobody reads, is in no wait.
    func run(seconds: Double) throws -> Outcome {
        let (start, before) = (watch.seconds, editor.edits)
        var waits: [Double] = []
        var longestLag = 0.0
        var longestAbsence = 0.0
        var last = start
        func receive() throws {
            try self.receive(&waits, &longestLag)
            let now = watch.seconds
            longestAbsence = max(longestAbsence, now - last)
            last = now
        }
        editor.longestAnswer = 0
        try beginRound(at: start)
        while last - start < seconds {
            try editor.send(at: watch.seconds)
            try receive()
        }
        let end = last
        try editor.sendToAll(at: watch.seconds)
        while !isSettled {
            try receive()
            guard last - end < Double(Socket.patienceSeconds) else {
                throw BenchError("viewers do not get what was edited")
            }
        }
        guard !waits.isEmpty else { throw BenchError("no viewer was told anything") }
        return Outcome(
            edits: editor.edits - before, updates: waits.count, waits: Spread(waits),
            longestLag: longestLag, longestAnswer: editor.longestAnswer,
            longestAbsence: longestAbsence)
    }

    /// Begins the editor's pace, and keeps the server from giving up clients that only read.
    private func beginRound(at seconds: Double) throws {
        try editor.begin(at: seconds)
        for viewer in viewers { try heartbeat.withBytes { try viewer.socket.send($0) } }
    }

    private func receive(_ waits: inout [Double], _ longestLag: inout Double) throws {
        try sockets.wait(milliseconds: 1) { index in
            guard index < viewers.count else {
                let bytes = try editor.socket.receive(into: memory)
                return try editor.receive(bytes, at: watch.seconds)
            }
            let bytes = try viewers[index].socket.receive(into: memory)
            let now = watch.seconds
            try viewers[index].receive(bytes) { from, _ in
                if let sent = editor.timeSent(of: from + 1) { waits.append(now - sent) }
                if let answered = editor.timeAnswered(of: from + 1) {
                    longestLag = max(longestLag, now - answered)
                }
            }
        }
    }
}
