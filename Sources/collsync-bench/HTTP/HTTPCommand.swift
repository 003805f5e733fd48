import ArgumentParser
import Foundation

/// `collsync-bench http`
struct HTTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "The server's WebSockets, beside plain connections.",
        discussion: """
            Two servers have the same load by turns, one of them by WebSocket. Server and generator have a core \
            each. The exit code is 1 if a figure does not reach its goal.
            """)

    /// What can be measured.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case rate, latency, idle
    }

    @Argument(help: "What to measure; everything, if nothing is named.")
    var parts: [Part] = []

    @Option(help: "How many members the room has.")
    var members = 100

    @Option(help: "How many of them write.")
    var writers = 10

    @Option(help: "How many edits of a writer are under way at once.")
    var window = 1000

    @Option(help: "How many items the room has.")
    var items = 10_000

    @Option(help: "How many rounds each side has.")
    var rounds = 21

    @Option(help: "How many seconds a round takes.")
    var seconds = 2.0

    @Option(help: "How many connections are idle.")
    var connections = 10_000

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    private static let leastShare = 0.8
    private static let mostLatency = 1.2
    private static let idleBytes = 8 << 10

    func run() throws {
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        let scratch = try ScratchFolder(in: folder)
        Report.say(
            """
            Loopback TCP, \(cores.areApart ? "a core each for" : "one core for") server and generator.

            """)
        var report = Report()
        if measures(.rate) || measures(.latency) { try addRoom(&report, programs, scratch) }
        if measures(.idle) { try addIdle(&report, programs, scratch) }
        report.print()
        guard report.missed.isEmpty else {
            throw BenchError("not reached: " + report.missed.joined(separator: "; "))
        }
    }

    private func measures(_ part: Part) -> Bool {
        parts.isEmpty || parts.contains(part)
    }

    private func addRoom(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let (sockets, port) = (WebSocketSockets(), try MeasuredProcess.freePort())
        let way = StreamDuel.Way(
            options: ["--http", "127.0.0.1:\(port)"], port: port, connect: sockets.connect)
        let duel = try StreamDuel(
            programs, folder: scratch.path, way, members: members, writers: writers,
            items: items)
        if measures(.rate) {
            let rounds = try duel.play(.rate(seconds: seconds, window: window), rounds: rounds)
            report.addRates(
                "WebSocket: edits, \(members) members, \(writers) writers, \(window) under way each",
                rounds, members: members, least: HTTPCommand.leastShare)
            report.add("  members that were sent the room instead", "\(duel.snapshots)", "", nil)
        }
        if measures(.latency) {
            let edits = max(10, Int(seconds * 1000))
            let rounds = try duel.play(.latency(edits: edits), rounds: rounds)
            report.addLatencies(
                "WebSocket: one edit to the last of \(members) members, median", rounds,
                most: HTTPCommand.mostLatency)
        }
    }

    private func addIdle(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let sockets = WebSocketSockets()
        let plain = try IdleBenchmark.bytesPerConnection(
            programs, folder: scratch.path, count: connections)
        let port = try MeasuredProcess.freePort()
        let server = try programs.startServer(
            data: "\(scratch.path)/idle-websocket", ["--http", "127.0.0.1:\(port)"])
        let other = try IdleBenchmark.bytes(
            of: server, connections, connect: { _ in try sockets.connect(to: port) },
            { talk, _ in try talk.hello() })
        report.add(
            "an idle WebSocket, of \(connections)", "\(Int(other)) bytes",
            "≤ \(HTTPCommand.idleBytes) bytes", "plain \(Int(plain)) bytes",
            isReached: Int(other) <= HTTPCommand.idleBytes)
    }
}
