import ArgumentParser

/// `collsync-bench server`
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "The server, durable, over loopback, beside a bare broadcaster.",
        discussion: """
            The broadcaster does the least work of any server: it puts frames in order, appends and syncs \
            them, and writes those of each turn to every connection. Both serve the same load, edits of 60 \
            bytes, by turns; each figure is from the round with the median ratio. Server and generator have \
            a core each; if one of them uses nearly all of its core, it was the limit.
            """)

    /// What can be measured.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case rate, latency, crowd, idle, opening
    }

    @Argument(help: "What to measure; everything, if nothing is named.")
    var parts: [Part] = []

    @Option(help: "How many members the room has.")
    var members = 100

    @Option(help: "How many of them write.")
    var writers = 10

    @Option(help: "How many edits of a writer are under way at once.")
    var window = 1000

    @Option(help: "How many members the large crowd has, of which one writes.")
    var crowd = 1000

    @Option(help: "How many items the room has.")
    var items = 10_000

    @Option(help: "How many rounds each side has.")
    var rounds = 5

    @Option(help: "How many seconds a round takes.")
    var seconds = 2.0

    @Option(help: "How many connections are idle.")
    var idle = 10_000

    @Option(help: "How many items the stored room has.")
    var stored = 1_000_000

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    func run() throws {
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        let scratch = try ScratchFolder(in: folder)
        let sync = try Report.milliseconds(scratch.syncSeconds())
        Report.say(
            """
            Loopback TCP, \(cores.areApart ? "a core each for" : "one core for") server and generator; \
            an append of 60 bytes and its sync take \(sync) here.

            """)
        var report = Report()
        if measures(.rate) || measures(.latency) { try addRoom(&report, programs, scratch) }
        if measures(.crowd) { try addCrowd(&report, programs, scratch) }
        if measures(.idle) { try addIdle(&report, programs, scratch) }
        if measures(.opening) { try addOpening(&report, programs, scratch) }
        report.print()
    }

    private func measures(_ part: Part) -> Bool {
        parts.isEmpty || parts.contains(part)
    }

    private func addRoom(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let duel = try Duel(
            programs, folder: scratch.path, members: members, writers: writers, items: items)
        if measures(.rate) {
            let rounds = try duel.play(.rate(seconds: seconds, window: window), rounds: rounds)
            report.addRates(
                "edits, \(members) members, \(writers) writers, \(window) under way each", rounds)
            report.addSnapshots(duel.snapshots)
        }
        if measures(.latency) {
            let edits = max(10, Int(seconds * 1000))
            let rounds = try duel.play(.latency(edits: edits), rounds: rounds)
            report.addLatencies("one edit to the last of \(members) members, median", rounds)
        }
    }

    private func addCrowd(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let duel = try Duel(
            programs, folder: scratch.path, members: crowd, writers: 1, items: items)
        let rounds = try duel.play(.rate(seconds: seconds, window: window), rounds: rounds)
        report.addRates("edits, \(crowd) members, 1 writer, \(window) under way", rounds)
        report.addSnapshots(duel.snapshots)
    }

    private func addIdle(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let connection = try IdleBenchmark.bytesPerConnection(
            programs, folder: scratch.path, count: idle)
        report.add(
            "an idle connection, of \(idle)", "\(Int(connection)) bytes", "≤ 4096 bytes", nil)
        let member = try IdleBenchmark.bytesPerMember(programs, folder: scratch.path, count: idle)
        report.add("the same, in a room", "\(Int(member)) bytes", "≤ 4096 bytes", nil)
    }

    private func addOpening(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let opening = try OpeningBenchmark(programs, folder: scratch.path, items: stored)
        let times = try (0..<3).map { _ in try opening.seconds() }.sorted()
        report.add(
            "opening a stored room of \(stored) items", Report.milliseconds(times[1]), "≤ 1000 ms",
            nil)
    }
}

extension Report {
    /// Adds the rates of both sides in the round with the median ratio, and what limited them.
    fileprivate mutating func addRates(_ what: String, _ rounds: [Duel.Round]) {
        let round = rounds[rounds.count / 2]
        add(
            what, Report.thousands(round.collsync.value), "≥ 60 % of the broadcaster",
            "broadcaster \(Report.thousands(round.broadcaster.value)): "
                + Report.percent(round.ratio) + Report.span(rounds.map(\.ratio), Report.percent))
        addShares(round.collsync, beside: round.broadcaster)
    }

    fileprivate mutating func addLatencies(_ what: String, _ rounds: [Duel.Round]) {
        let round = rounds[rounds.count / 2]
        add(
            what, Report.milliseconds(round.collsync.value), "≤ 1.3 × the broadcaster",
            "broadcaster \(Report.milliseconds(round.broadcaster.value)): "
                + Report.times(round.ratio) + Report.span(rounds.map(\.ratio), Report.times))
        addShares(round.collsync, beside: round.broadcaster)
    }
}
