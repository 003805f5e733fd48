import ArgumentParser
import Glibc
import SyncAccess
import SyncIO
import SyncLoop
import SyncRoom
import SyncServer
import SyncStore
import SyncTerminal
import SyncTokens

/// `collsync serve`.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server until SIGTERM or SIGINT.",
        discussion: """
            When the server is ready, it prints a line for each of its addresses. On SIGTERM or SIGINT it \
            finishes what it has received, notifies clients, and exits with 0.
            """)

    @Option(
        help: ArgumentHelp(
            """
            A YAML file with the names of flags, without dashes, and their values, such as 'max-memory: 512M'. Flags \
            on the command line win. SIGHUP reads its limits again.
            """,
            valueName: "file"))
    var config: String?

    @Option(
        help: """
            The address to listen on, as HOST:PORT. Port 0 means any free port. A host name is looked up. \
            A socket that a service manager has opened is used in place of it.
            """)
    var listen = "127.0.0.1:7420"

    @Option(
        help: """
            The folder to keep rooms in, which is created if it does not exist (default: \(ServeCommand.usualFolder)).
            """)
    var data: String?

    @Flag(help: "Keep rooms in memory only, and lose them at the end.")
    var memory = false

    @Option(
        help: """
            How durable an edit is before it is acknowledged: 'full' survives a loss of power, 'relaxed' only \
            the end of the process.
            """)
    var sync = SyncMode.full

    @Option(
        help: """
            With 'none' everyone who reaches the server may do everything, and delete every room. Only an address of this \
            machine needs neither this nor --auth-key nor --tls-client-ca.
            """)
    var auth: Authentication?

    @Option(
        help: """
            How many threads serve connections and rooms. A room is served by one thread, and a thread serves \
            many rooms. More threads help if many rooms are busy at once.
            """)
    var threads = 1

    @Option(help: "The least important messages to log: debug, info, warning or error.")
    var logLevel = LogLevel.info

    @Option(help: "The format of the log, on standard error: text, or json with an object a line.")
    var logFormat = LogFormat.text

    @Option(
        help: """
            For how many past revisions a room remembers deleted things, if no client needs more.
            """)
    var horizon: UInt64 = 10_000

    @Option(
        help: """
            For how many past revisions it remembers them at most, for members that work on an old revision. From the \
            revision that a member was sent last they are remembered beyond that, within --max-horizon-bytes and \
            --max-dead-nodes. It is 8388608 at most, and so is --horizon.
            """)
    var horizonMax: UInt64 = 200_000

    @Option(help: "How long old revisions can be read: 'all', or a time such as 30d or 12h.")
    var history = HistoryArgument.all

    @Option(help: "How often each side of a connection sends something, at least a heartbeat.")
    var heartbeat = DurationArgument(milliseconds: 15_000)

    @Option(help: "Whether joining a room that does not exist creates it.")
    var createRooms = Switch.on

    @Option(help: "How long a room without members stays open.")
    var idleUnload = DurationArgument(milliseconds: 60_000)

    @Option(
        help:
            "A turn of a loop that takes this long is logged with its work; 0s logs and counts none."
    )
    var slow = DurationArgument(milliseconds: 50)

    @OptionGroup(title: "HTTP")
    var http: HTTPOptionGroup

    @OptionGroup(title: "Limits")
    var limits: LimitOptions

    @OptionGroup(title: "Addresses")
    var addresses: AddressOptions

    @OptionGroup(title: "Users")
    var users: UserOptions

    @OptionGroup(title: "TLS")
    var tls: TLSOptions

    @OptionGroup(title: "Tokens")
    var tokens: TokenOptions

    @OptionGroup(title: "Audit")
    var audit: AuditOptions

    private static let usualFolder = "./collsync-data"
    var folder: String { data ?? ServeCommand.usualFolder }

    /// Whether the server knows who connects, so that this can be taken back.
    var identifiesUsers: Bool { !tokens.authKey.isEmpty || tls.tlsClientCA != nil }

    func validate() throws {
        do {
            _ = try SocketAddress(parsing: listen)
        } catch {
            throw ValidationError("--listen: \(error)")
        }
        guard tokens.revocations == nil || identifiesUsers else {
            throw ValidationError("--revocations needs --auth-key or --tls-client-ca")
        }
        guard !memory || data == nil else {
            throw ValidationError("--memory uses no folder: leave --data out")
        }
        guard (1...64).contains(threads) else {
            throw ValidationError("--threads is \(threads), but must be from 1 to 64")
        }
        guard horizon >= 1, horizonMax >= horizon else {
            throw ValidationError(
                "--horizon must be at least 1, and --horizon-max at least --horizon")
        }
        let most = RoomPolicy().maximumRevisions
        guard horizonMax <= most else {
            throw ValidationError("--horizon-max is \(horizonMax), but must be at most \(most)")
        }
        guard auth == nil || tokens.authKey.isEmpty else {
            throw ValidationError("--auth none and --auth-key contradict each other")
        }
        guard (100...3_600_000).contains(heartbeat.milliseconds) else {
            throw ValidationError("--heartbeat must be from 100ms to 1h")
        }
    }

    /// Without tokens or certificates everybody who can reach the server may do everything. So an
    /// address that others can reach requires `--auth none`.
    private func checkReach(of address: SocketAddress) throws {
        guard auth != Authentication.none, tokens.authKey.isEmpty, tls.tlsClientCA == nil,
            !address.isLoopback
        else { return }
        let found: [SocketAddress]
        do throws(IOError) {
            found = try LoopPlatform.lookUp(address)
        } catch {
            throw fail("\(error)", .unavailable)
        }
        guard let reachable = found.first(where: { !$0.isLoopback }) else { return }
        let name = reachable.host == address.host ? "\(address)" : "\(address), \(reachable.host),"
        throw ValidationError(
            "\(name) can be reached by others, and there is no authentication:"
                + " ask for tokens with --auth-key, say --auth none if everyone may do everything,"
                + " or listen on 127.0.0.1")
    }

    private func inheritedPorts() throws -> InheritedPorts {
        let ports: InheritedPorts
        do throws(IOError) {
            ports = try InheritedPorts(InheritedPort.all(variable: ServiceManager.variable))
        } catch {
            throw fail("\(error)", .configuration)
        }
        guard ports.http == nil || !http.noHttp else {
            throw fail(
                "the service manager has opened a socket for HTTP, and --no-http forbids it",
                .configuration)
        }
        return ports
    }

    func run() throws {
        // `Collsync` reads the config file, if 'serve' is the first argument.
        guard config == nil else { throw ValidationError("'serve' must be the first argument") }
        try run(ServeArguments([]))
    }

    /// Runs the server.
    ///
    /// - Parameter arguments: what this command was parsed from.
    func run(_ arguments: ServeArguments) throws {
        let ports = try inheritedPorts()
        let address = try ports.clients?.address ?? SocketAddress(parsing: listen)
        try checkReach(of: address)
        if let address = try http.address(beside: address, ports) { try checkReach(of: address) }
        LoopPlatform.giveLargeBlocksBack()
        let platform = LoopPlatform()
        let log = try CommandLog(level: logLevel, format: logFormat, on: platform)
        defer { log.finish() }
        try serve(on: platform, ports, arguments, log: log)
    }

    private func serve(
        on platform: LoopPlatform, _ ports: InheritedPorts, _ arguments: ServeArguments,
        log: CommandLog
    ) throws {
        raiseLimitOfFiles(log)
        let files = try readFiles()
        let reloadedLimits = ReloadedLimits(arguments, of: self)
        let manager = ServiceManager(log: log)
        let hangUps = try platform.watch([.hangUp], named: "hang-ups") { _, _ in
            manager.reload { files.readAgain(with: reloadedLimits, log) }
        }
        defer { hangUps.finish() }
        let store = try openStore(on: platform, log)
        let (revocations, trail) = try openRecords(beside: store, on: platform, log)
        defer {
            revocations?.finish()
            trail?.finish()
        }
        let failure = Monitor<IOError?>(nil)
        let gateways = try http.gateways(
            beside: SocketAddress(parsing: listen), ports, files.security,
            isOpen: auth == Authentication.none)
        let started = Monitor<Server?>(nil)
        let ends = Monitor<SignalWatch?>(nil)
        defer { ends.withLock { $0.take() }?.finish() }
        let server: Server
        do throws(IOError) {
            server = try Server.start(
                on: platform, store: store, configuration: makeConfiguration(files, revocations),
                log: log, audit: trail, port: ports.clients, gateways: gateways,
                prepare: { server, loop in
                    let watch = end(server, onSignalsOf: platform, manager, log)
                    ends.withLock { $0 = watch }
                    started.withLock { $0 = server }
                    manager.attend(server, on: loop)
                    revocations?.watch(on: loop, for: server)
                    files.attend(server)
                    reloadedLimits.attend(server)
                    trail?.attend(on: loop)
                },
                ready: { result in
                    switch result {
                    case .success(let address):
                        manager.serverListens(on: address)
                        let others = started.withLock { $0.take() }?.addressesOfGateways ?? []
                        warnOfOpenness([address] + others.compactMap(\.self), log)
                        sayReady(
                            address,
                            http.lines(
                                for: gateways, at: others, isSecured: files.security != nil))
                    case .failure(let error): failure.withLock { $0 = error }
                    }
                })
        } catch {
            throw fail("\(String(describing: error))", .internalError)
        }
        server.join()
        if let error = failure.withLock({ $0 }) { throw fail("\(error)", .unavailable) }
    }

    private func raiseLimitOfFiles(_ log: CommandLog) {
        let openFiles = OpenFiles.raiseLimit()
        if openFiles < limits.maxConnections {
            log.log(
                .warning, "the system allows fewer open files than --max-connections",
                ["openFiles": "\(openFiles)"])
        }
    }

    /// Says where the server can be reached.
    private func sayReady(_ address: SocketAddress, _ others: [TerminalText]) {
        let line: TerminalText = "collsync \(Collsync.version) is listening on \(address)"
        for line in [line] + others { writeOutput(line, waitingMilliseconds: 1000) }
    }

    /// Ends the server on a signal. The thread that waits for it does nothing else, so the process
    /// ends in time even if all loops and workers hang. What is acknowledged is synced by then.
    private func end(
        _ server: Server, onSignalsOf platform: LoopPlatform, _ manager: ServiceManager,
        _ log: CommandLog
    ) -> SignalWatch? {
        do throws(IOError) {
            return try platform.watch([.terminate, .interrupt], named: "ends") { _, loop in
                manager.serverEnds()
                server.drain()
                let most = server.drainMilliseconds + ServeCommand.endMilliseconds
                loop.schedule(afterMilliseconds: most) {
                    log.log(.error, "the server hangs, so its process is ended", [:])
                    log.finish()
                    _exit(0)
                }
            }
        } catch {
            log.log(.error, error.description, [:])
            return nil
        }
    }

    /// How long the server may take to end once its loops have.
    private static let endMilliseconds: UInt64 = 2000

    /// Says what `--auth none` means, if others can reach the server.
    private func warnOfOpenness(_ addresses: [SocketAddress], _ log: CommandLog) {
        guard auth == Authentication.none, tls.tlsClientCA == nil,
            let address = addresses.first(where: { !$0.isLoopback })
        else { return }
        log.log(
            .warning, "everyone who can reach this server may read, change and delete every room",
            ["why": "--auth none", "listen": "\(address)"])
    }

    func makeConfiguration(
        _ files: ReloadedFiles, _ revocations: RevocationFile?
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        // Checked by `validate()`.
        if let address = try? SocketAddress(parsing: listen) { configuration.address = address }
        configuration.threads = threads
        configuration.agent = "collsync \(Collsync.version)"
        configuration.room.horizon = horizon
        configuration.room.maximumHorizon = horizonMax
        configuration.storage.historyMilliseconds = history.milliseconds
        configuration.connections.heartbeatMilliseconds = UInt32(clamping: heartbeat.milliseconds)
        configuration.storage.isInMemory = memory
        configuration.storage.maximumDiskBytes = maximumDiskBytes
        configuration.slowMilliseconds = slow.milliseconds
        configuration.security = files.security
        configuration.tokens = files.verifier.map { verifier in
            var tokens = TokenAuthentication(verifier)
            tokens.areTakenFromAnywhere = self.tokens.tlsByProxy
            if self.tokens.shareRooms { tokens.issuer = verifier }
            return tokens
        }
        if identifiesUsers {
            configuration.revocation.revoked = revocations?.known ?? Revocations()
            configuration.revocation.log = revocations ?? UnkeptRevocations()
        }
        configuration.storage.createsRooms = createRooms == .on
        configuration.storage.idleUnloadMilliseconds = idleUnload.milliseconds
        limits.apply(to: &configuration)
        addresses.apply(to: &configuration)
        users.apply(to: &configuration)
        return configuration
    }

    /// How many bytes the store may have on disk; `nil` if it is in memory, or the disk can't be
    /// measured.
    var maximumDiskBytes: UInt64? {
        if memory { return nil }
        return limits.maxDisk.map { UInt64($0.bytes) } ?? SystemDisk.mostBytes(for: folder)
    }
}

/// That users need not sign in.
enum Authentication: String, ExpressibleByArgument, CaseIterable {
    case none
}

extension SyncMode: ExpressibleByArgument {}
