import ArgumentParser
import Foundation

/// `collsync-bench http`
struct HTTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "The server by HTTP and WebSocket, beside plain connections and others.",
        discussion: """
            The server and its rival have the same load by turns. Server and generator have a core each. The \
            exit code is 1 if a figure does not reach its goal.
            """)

    /// What can be measured.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case rate, latency, json, events, yjs, idle, securedIdle, post, read
    }

    @Argument(help: "What to measure; everything, if nothing is named.")
    var parts: [Part] = []

    @Option(help: "How many members the room has.")
    var members = 100

    @Option(help: "How many of them write.")
    var writers = 10

    @Option(help: "How many edits of a writer are under way at once.")
    var window = 1000

    @Option(help: "How many listeners to events the room has.")
    var listeners = 1000

    @Option(help: "How many items the room has.")
    var items = 10_000

    @Option(help: "How many rounds each side has.")
    var rounds = 21

    @Option(help: "How many seconds a round takes.")
    var seconds = 2.0

    @Option(help: "How many connections are idle.")
    var connections = 10_000

    @Option(help: "How many connections send transactions by POST.")
    var posters = 64

    @Option(help: "How many items the room has that is read as JSON.")
    var largeItems = 1_000_000

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    func run() throws {
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        Report.say(
            """
            Loopback TCP, \(cores.areApart ? "a core each for" : "one core for") server and generator.

            """)
        var report = Report()
        for part in Part.allCases where parts.isEmpty || parts.contains(part) {
            // Each part has a folder of its own, whose files are gone afterwards.
            try add(
                part, to: &report, Scene(programs: programs, scratch: ScratchFolder(in: folder)))
        }
        report.print()
        guard report.missed.isEmpty else {
            throw BenchError("not reached: " + report.missed.joined(separator: "; "))
        }
    }

    /// What a part needs to start servers.
    struct Scene {
        let programs: Programs
        let scratch: ScratchFolder
        var folder: String { scratch.path }
    }

    private func add(_ part: Part, to report: inout Report, _ scene: Scene) throws {
        switch part {
        case .rate: try addRate(&report, scene)
        case .latency: try addLatency(&report, scene)
        case .json: try addJSON(&report, scene)
        case .events: try addEvents(&report, scene)
        case .yjs: try addYjs(&report, scene)
        case .idle: try addIdle(&report, scene)
        case .securedIdle: try addSecuredIdle(&report, scene)
        case .post: try addPosts(&report, scene)
        case .read: try addReadings(&report, scene)
        }
    }
}
