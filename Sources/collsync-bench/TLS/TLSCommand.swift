import ArgumentParser
import Foundation
import TLSSupport

/// `collsync-bench tls`
struct TLSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls",
        abstract: "The server with TLS, beside the same without, and its handshakes.",
        discussion: """
            Two servers have the same load by turns, one with TLS 1.3; the load generator encrypts and \
            decrypts all of it. Handshakes are measured beside `openssl s_server`. Keys and certificates are \
            ECDSA with P-256. Server and generator have a core each. Where the generator is the limit, \
            the server's processor time for each piece of work says what TLS costs the server. The exit code \
            is 1 if a figure does not reach its goal.
            """)

    /// What can be measured.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case rate, latency, idle, handshakes
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

    func run() throws {
        let cores = Cores.apart
        let programs = try Programs.besideThis(cores: cores)
        let scratch = try ScratchFolder(in: folder)
        let authority = try TestAuthority(keys: .p256)
        let issued = try authority.issue("server", for: TestAuthority.hosts)
        Report.say(
            """
            Loopback TCP, \(cores.areApart ? "a core each for" : "one core for") server and generator.

            """)
        var report = Report()
        if measures(.rate) || measures(.latency) {
            try addRoom(&report, programs, scratch, issued)
        }
        if measures(.idle) { try addIdle(&report, programs, scratch, issued) }
        if measures(.handshakes) { try addHandshakes(&report, programs, scratch, issued) }
        report.print()
        guard report.missed.isEmpty else {
            throw BenchError("not reached: " + report.missed.joined(separator: "; "))
        }
    }

    private func measures(_ part: Part) -> Bool {
        parts.isEmpty || parts.contains(part)
    }

    private func addRoom(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder,
        _ issued: TestAuthority.Issued
    ) throws {
        let sockets = try SecuredSockets()
        let duel = try StreamDuel(
            programs, folder: scratch.path,
            ServerDoor(options: issued.serverOptions, connect: sockets.connect),
            members: members, writers: writers, items: items)
        if measures(.rate) {
            let rounds = try duel.play(.rate(seconds: seconds, window: window), rounds: rounds)
            report.addRates(
                "edits, \(members) members, \(writers) writers, \(window) under way each", rounds,
                members: members, least: TLSCommand.leastShare)
            report.add(
                "  members that were sent the room instead", "\(duel.other.crowd.snapshots)", "",
                nil)
        }
        if measures(.latency) {
            let edits = max(10, Int(seconds * 1000))
            let rounds = try duel.play(.latency(edits: edits), rounds: rounds)
            report.addLatencies("one edit to the last of \(members) members, median", rounds)
        }
    }

    private func addIdle(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder,
        _ issued: TestAuthority.Issued
    ) throws {
        let sockets = try SecuredSockets()
        let plain = try IdleBenchmark.bytesPerConnection(
            programs, folder: scratch.path, count: connections)
        let server = try programs.startServer(
            data: "\(scratch.path)/idle-secured", issued.serverOptions)
        let secured = try IdleBenchmark.bytes(
            of: server, connections, connect: sockets.connect
        ) { talk, _ in try talk.hello() }
        report.add(
            "an idle connection, of \(connections)", "\(Int(secured)) bytes",
            "≤ \(TLSCommand.idleBytes) bytes", "plain \(Int(plain)) bytes",
            isReached: Int(secured) <= TLSCommand.idleBytes)
    }

    private static let idleBytes = 24 << 10
    /// The least part of the plain server's rate.
    fileprivate static let leastShare = 0.75

    private func addHandshakes(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder,
        _ issued: TestAuthority.Issued
    ) throws {
        let duel = try HandshakeDuel(programs, folder: scratch.path, issued)
        for isResumed in [false, true] {
            let rounds = try duel.play(resumed: isResumed, seconds: seconds, rounds: rounds)
            report.addHandshakes(isResumed ? "resumed handshakes" : "full handshakes", rounds)
        }
    }
}

extension Report {
    fileprivate mutating func addHandshakes(_ what: String, _ rounds: [HandshakeDuel.Round]) {
        let round = rounds[rounds.count / 2]
        func rate(_ figure: HandshakeDuel.Figure) -> String {
            Report.thousands(figure.perSecond)
        }
        add(
            what, rate(round.collsync), "",
            "s_server \(rate(round.rival)): " + Report.times(round.ratio)
                + Report.span(rounds.map(\.ratio), Report.times))
        let costs = rounds.map { $0.collsync.serverMicroseconds / $0.rival.serverMicroseconds }
            .sorted()
        add(
            "  the server's processor time for one",
            String(format: "%.0f µs", round.collsync.serverMicroseconds), "",
            String(format: "s_server %.0f µs: ", round.rival.serverMicroseconds)
                + Report.times(costs[costs.count / 2]) + Report.span(costs, Report.times))
        add(
            "  core of the generator", Report.percent(round.collsync.generatorShare), "",
            Report.percent(round.rival.generatorShare))
    }
}
