import ArgumentParser

/// `collsync-bench rivals`
struct RivalsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rivals", abstract: "The server beside others that can be installed by name.",
        discussion: """
            Each rival gets the work that is most similar to collsync's: edits of about 60 bytes \
            from some of a room's members, until every member has every edit. The report lists the \
            differences. Libraries without a server only merge in memory. Server and load generator \
            have a core each. Rivals that are not installed are listed as absent.
            """)

    @Option(help: "How many members there are.")
    var members = 100

    @Option(help: "How many of them write.")
    var writers = 10

    @Option(help: "How many edits of a writer are under way at once.")
    var window = 100

    @Option(help: "For how many seconds the writers of each write.")
    var seconds = 2.0

    @Option(help: "Where the servers keep their files; a temporary folder, if none is named.")
    var folder: String?

    func run() throws {
        let programs = try Programs.besideThis(cores: .apart)
        let scratch = try ScratchFolder(in: folder)
        Report.say("\(members) members, \(writers) writers, \(window) edits of each under way.\n")
        let speed = "edits a second (core of server / generator)"
        var report = Report(["who", speed, "one edit to the last", "what is measured"])
        try addCollsync(&report, programs, scratch)
        for rival in RivalServer.allCases {
            guard rival.isThere else {
                report.add(rival.rawValue, "absent", "", rival.package)
                continue
            }
            do {
                try add(rival, &report, programs, scratch)
            } catch {
                report.add(rival.rawValue, "failed", "", "\(error)")
            }
        }
        for library in RivalLibrary.all {
            let rate = library.figures().first.map { Report.thousands($0.perSecond) }
            report.add(
                library.name, rate ?? "absent", "", rate == nil ? library.package : library.work)
        }
        report.print()
    }

    private func addCollsync(
        _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let server = try programs.startServer(data: "\(scratch.path)/data")
        let room = try CollsyncMember.Room(filledWith: 10_000, on: server.port)
        let crowd = try Crowd(members: members, writers: writers, port: server.port) {
            try CollsyncMember(entering: $0, number: $1, room: room)
        }
        try add(
            crowd, of: server, as: "collsync", "merged, synced to SQLite; a batch for every member",
            &report)
        let broadcaster = try programs.startBroadcaster(log: "\(scratch.path)/log")
        let listeners = try Crowd(members: members, writers: writers, port: broadcaster.port) {
            try BroadcastMember(entering: $0, number: $1, of: members)
        }
        try add(
            listeners, of: broadcaster, as: "bare broadcaster",
            "not merged, synced; the bytes to every member", &report)
    }

    private func add(
        _ rival: RivalServer, _ report: inout Report, _ programs: Programs, _ scratch: ScratchFolder
    ) throws {
        let server = try rival.start(folder: scratch.path, on: programs.cores)
        switch rival {
        case .redis:
            // Writers are additional, because they can't read.
            let crowd = try Crowd(members: members + writers, writers: writers, port: server.port) {
                try RedisMember(entering: $0, reads: $1 >= writers)
            }
            try add(crowd, of: server, as: rival.rawValue, rival.work, &report)
        case .nats:
            let setup = try Socket(port: server.port)
            try NatsMember.makeStream(on: setup)
            let crowd = try Crowd(members: members, writers: writers, port: server.port) {
                try NatsMember(entering: $0, number: $1)
            }
            try add(crowd, of: server, as: rival.rawValue, rival.work, &report)
        case .yWebsocket, .pycrdtWebsocket:
            let crowd = try Crowd(members: members, writers: writers, port: server.port) {
                try YjsMember(entering: $0, number: $1)
            }
            try add(crowd, of: server, as: rival.rawValue, rival.work, &report)
        }
    }

    private func add<Member: CrowdMember>(
        _ crowd: Crowd<Member>, of server: MeasuredProcess, as name: String, _ work: String,
        _ report: inout Report
    ) throws {
        let latencies = try crowd.latencies(edits: 51).sorted()
        let run = try server.watched {
            try crowd.run(.init(window: window, seconds: seconds)).perSecond
        }
        report.add(
            name,
            "\(Report.thousands(run.outcome)) (\(Report.percent(run.serverShare)) / "
                + "\(Report.percent(run.generatorShare)))",
            Report.milliseconds(latencies[latencies.count / 2]), work)
    }
}
