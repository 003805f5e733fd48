import ArgumentParser
import SyncLayout

/// `collsync-bench views`
struct ViewsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "views", abstract: "Views of rooms, over loopback.",
        discussion: """
            Every viewer has a connection of its own, receives only its view, and sees 375 × 667 points of the \
            same layout. One client edits at a steady rate: most edits set a field; a quarter insert, delete and \
            move by turns, at random places; one of sixteen makes the content longer, so that every viewer has an \
            update. For each update, the wait is the time since the first edit was sent that the viewer's update \
            before did not have, even if that edit is off its screen. The report also has the longest time that a \
            viewer lacked an acknowledged edit, that the disk took, and that the generator did not read. A round \
            ends when everybody has everything. Server and generator have a core each. The exit code is 1 if a \
            figure of any round does not reach its goal. The goal of the waits is for 1000 edits a second or \
            more: with fewer, it takes longer until there is one that every viewer sees.
            """)

    /// What can be measured.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case audience, thin, memory
    }

    @Argument(help: "What to measure; everything, if nothing is named.")
    var parts: [Part] = []

    @Option(help: "How the room is laid out: waterfall, flow, and so on.")
    var layout = "waterfall"

    @Option(help: "How many viewers the audience has.")
    var viewers = 1000

    @Option(help: "How many edits there are in a second.")
    var edits = 1000.0

    @Option(help: "How many items their room has.")
    var items = 100_000

    @Option(help: "How many seconds a round takes.")
    var seconds = 3.0

    @Option(help: "How many rounds there are.")
    var rounds = 10

    @Option(help: "How many items the stored room has.")
    var stored = 1_000_000

    @Option(help: "How many connections the memory is measured over.")
    var connections = 2000

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    func validate() throws {
        guard LayoutSpec.Kind(rawValue: layout) != nil else {
            throw ValidationError("--layout is the name of a layout")
        }
        guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
        guard items > 0, stored > 0, viewers > 0, connections > 0 else {
            throw ValidationError("--items, --stored, --viewers and --connections are at least 1")
        }
    }

    func run() throws {
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        let scratch = try ScratchFolder(in: folder)
        Report.say(
            """
            Loopback TCP, \(cores.areApart ? "a core each for" : "one core for") server and generator; \
            \(layout), seed \(seed), \(rounds) rounds.

            """)
        var report = Report()
        if measures(.audience) { try addAudience(&report, programs, scratch) }
        if measures(.thin) { try addThinClient(&report, programs, scratch) }
        if measures(.memory) { try addMemory(&report, programs, scratch) }
        report.print()
        guard report.missed.isEmpty else {
            throw BenchError("not reached: " + report.missed.joined(separator: "; "))
        }
    }

    private func measures(_ part: Part) -> Bool {
        parts.isEmpty || parts.contains(part)
    }

    private func room(items: Int) -> ViewedRoom {
        ViewedRoom(LayoutSpec.Kind(rawValue: layout) ?? .waterfall, items: items)
    }

    private func addAudience(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let server = try programs.startServer(data: "\(scratch.path)/audience")
        let room = room(items: items)
        _ = try room.fill(on: server.port)
        let audience = try Audience(
            room, viewers: viewers, editsPerSecond: edits, port: server.port, seed: seed)
        // The first edits find cold caches, so they are not measured.
        _ = try audience.run(seconds: 1)
        for round in 1...rounds {
            let run = try server.watched { try audience.run(seconds: seconds) }
            let updates = Double(run.outcome.updates)
            report.add(
                "\(viewers) viewers, \(items) items, \(Int(edits)) edits a second: core of the server",
                Report.percent(run.serverShare), "< 100 %",
                "round \(round): \(Report.thousands(updates / run.seconds)) updates, "
                    + "\(Int(run.serverShare * run.seconds / updates * 1e6)) µs each; generator "
                    + Report.percent(run.generatorShare),
                isReached: run.serverShare < 1)
            let waits = run.outcome.waits
            report.add(
                "  the longest wait for an edit, round \(round)", Report.milliseconds(waits.worst),
                "≤ 50 ms",
                "median \(Report.milliseconds(waits.median)), 99 % "
                    + "\(Report.milliseconds(waits.quantile(0.99))), 99.9 % "
                    + Report.milliseconds(waits.quantile(0.999)),
                isReached: waits.worst <= ViewsCommand.longestWait)
            report.add(
                "  from when it was acknowledged", Report.milliseconds(run.outcome.longestLag), "",
                "until then at most \(Report.milliseconds(run.outcome.longestAnswer)); the generator "
                    + "itself was away \(Report.milliseconds(run.outcome.longestAbsence))")
        }
    }

    private func addThinClient(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let benchmark = try ThinClientBenchmark(
            programs, folder: scratch.path, room(items: stored))
        for round in 1...rounds {
            let figures = try benchmark.figures()
            report.add(
                "first screen of a stored room of \(stored) items", "\(figures.bytes) bytes",
                "≤ 65536 bytes", "round \(round)", isReached: figures.bytes <= 1 << 16)
            report.add(
                "  from asking for it", Report.milliseconds(figures.first), "≤ 50 ms",
                "where somebody views it so already \(Report.milliseconds(figures.second))",
                isReached: figures.first <= ViewsCommand.longestWait)
            let (scrolls, bare) = (figures.scrolls, figures.bareTrips)
            report.add(
                "  one screen on, at most, in 99.9 %", Report.milliseconds(scrolls.quantile(0.999)),
                "≤ 1 ms",
                "median \(Report.milliseconds(scrolls.median)), 99 % "
                    + "\(Report.milliseconds(scrolls.quantile(0.99))), the longest "
                    + "\(Report.milliseconds(scrolls.worst)); a bare round trip: 99.9 % "
                    + "\(Report.milliseconds(bare.quantile(0.999))), the longest "
                    + Report.milliseconds(bare.worst),
                isReached: scrolls.quantile(0.999) <= 0.001)
        }
    }

    private func addMemory(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        for round in 1...rounds {
            let server = try programs.startServer(data: "\(scratch.path)/memory-\(round)")
            let room = room(items: 1000)
            _ = try room.fill(on: server.port)
            var elements = 0
            let bytes = try IdleBenchmark.bytes(of: server, connections) { talk, number in
                try talk.hello()
                let view = try TalkView(talk, as: "viewer-\(number)")
                try view.open(room.layout, at: 5000, overscan: ViewsCommand.overscan)
                elements = view.elementCount
            }
            report.add(
                "a view's connection, of \(connections)", "\(Int(bytes)) bytes", "≤ 16384 bytes",
                "round \(round): \(elements) elements", isReached: bytes <= 16_384)
        }
    }

    /// How many seconds anybody may wait for a screen, or for what has changed on it.
    private static let longestWait = 0.05
    /// With this overscan, about 50 items are in a view.
    private static let overscan = 1200.0
}
