import Foundation
import SyncModel
import SyncRoom

/// Measures what requests over HTTP take of a server's loop, beside the steps that the loop counts
/// for them, and what they take of other threads.
struct CostOfRequests {
    /// A kind of request. Some have a number in them, so that each asks for something else.
    struct Kind: Sendable {
        let name: String
        var method = "GET"
        let target: @Sendable (Int) -> String
        var body: @Sendable (Int) -> String = { _ in "" }
    }

    /// What one request takes, in nanoseconds.
    struct Cost {
        /// Of the thread of the loop.
        let loop: Double
        /// By the steps that the loop has counted.
        let counted: Double
        /// Of workers and the store, which users and addresses have by turns.
        let aside: Double
    }

    static let kinds: [Kind] = [
        Kind(name: "health", target: { _ in "/healthz" }),
        Kind(
            name: "transaction", method: "POST", target: { _ in path("transactions") },
            body: { #"{"ops":[{"update":{"id":"i\#($0 % 100)","set":{"title":"\#($0)"}}}]}"# }),
        Kind(name: "items, 100 of them", target: { path("items?limit=100&after=i\($0 % 100)") }),
        Kind(name: "search for what is not there", target: { path("search?q=absent\($0)") }),
        Kind(name: "the room as JSON", target: { _ in "/v1/rooms/requests" }),
        Kind(
            name: "view", method: "POST", target: { _ in path("view") },
            body: {
                #"{"view":{"id":"v","layout":{"kind":"waterfall"},"bounds":{"x":0,"y":\#($0),"#
                    + #""width":375,"height":667}}}"#
            }),
        Kind(name: "picture, SVG", target: { path("layout.svg?kind=waterfall&y=\($0)") }),
        Kind(name: "picture, PNG", target: { path("layout.png?kind=waterfall&y=\($0)") }),
    ]

    private static func path(_ rest: String) -> String { "/v1/rooms/requests/\(rest)" }

    private let server: MeasuredProcess
    private let talk: WebTalk
    private let metrics: WebTalk

    /// Starts a server with a room of so many items.
    init(_ programs: Programs, items: Int, folder: String) throws {
        let (port, metricsPort) = (
            try MeasuredProcess.freePort(), try MeasuredProcess.freePort()
        )
        server = try programs.startServer(
            data: "\(folder)/requests",
            ["--http", "127.0.0.1:\(port)", "--metrics", "127.0.0.1:\(metricsPort)"])
        guard let room = RoomName("requests") else { throw BenchError("a room has a name") }
        let filler = Talk(try Socket(port: server.port))
        try filler.hello()
        _ = try filler.fill(room, items: items)
        talk = WebTalk(try Socket(port: port))
        metrics = WebTalk(try Socket(port: metricsPort))
    }

    /// The cost of one request, from so many.
    func cost(of kind: Kind, count: Int) throws -> Cost {
        try talk.ask(kind.method, kind.target(0), body: kind.body(0))
        let before = try reading()
        for start in stride(from: 0, to: count, by: CostOfRequests.together) {
            let numbers = start..<min(count, start + CostOfRequests.together)
            for number in numbers {
                try talk.send(kind.method, kind.target(number), body: kind.body(number))
            }
            for _ in numbers { _ = try talk.receive() }
        }
        let after = try reading()
        // Reading them is work of the loop, too.
        let idle = try reading()
        func one(_ value: (Reading) -> Double) -> Double {
            max(0, value(after) - value(before) - (value(idle) - value(after)))
                / Double(max(1, count))
        }
        return Cost(
            loop: one(\.loop), counted: one(\.steps) * Double(WorkCost.stepNanoseconds),
            aside: one(\.aside))
    }

    private struct Reading {
        var loop: Double
        var aside: Double
        var steps: Double
    }

    private func reading() throws -> Reading {
        // The last request may leave something behind, and the page may be some milliseconds old.
        usleep(CostOfRequests.restMicroseconds)
        let page = String(decoding: try metrics.ask("GET", "/metrics"), as: UTF8.self)
        let steps = page.split(separator: "\n")
            .filter { $0.hasPrefix("collsync_turn_steps_total{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        guard !steps.isEmpty else { throw BenchError("the metrics have no steps") }
        return Reading(
            loop: server.threadNanoseconds { $0.hasPrefix("loop") },
            aside: server.threadNanoseconds { !$0.hasPrefix("loop") },
            steps: steps.reduce(0, +))
    }

    /// How many requests follow one another at once, so that waking up is a small part of it.
    private static let together = 16
    private static let restMicroseconds: useconds_t = 300_000
}
