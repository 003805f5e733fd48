import SyncAccess
import SyncHTTP
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore

/// The machine with the disk: the shipping server runs there, dies, and is started again.
final class ServerMachine {
    static let host = "server"
    static let address = SocketAddress(host: "127.0.0.1", port: 7420)
    static let webAddress = SocketAddress(host: "127.0.0.1", port: 7421)

    let disk: SimulatedDisk
    private let simulation: Simulation
    private let evidence: Evidence
    private let configuration: ServerConfiguration
    private let canary: Canary?
    /// Watches the connections, if the server asks for tokens.
    private let observer: AccessObserver?
    private let rooms: [RoomName]
    private let desk: RevocationDesk?
    /// Whether it has only memory.
    private let keepsNothing: Bool
    private let hasWebSockets: Bool
    private var platform: SimulatedPlatform?
    private var server: Server?
    /// All servers that were started, for ``end()``.
    private var servers: [Server] = []
    private let report = Report()
    private var starts: UInt64 = 0

    /// State that is shared with callbacks that must be `Sendable`; a simulation has one thread.
    private final class Report: @unchecked Sendable {
        var isReady = false
        var failure: IOError?
    }

    init(
        _ simulation: Simulation, _ disk: SimulatedDisk, _ evidence: Evidence,
        _ configuration: ServerConfiguration, keepsNothing: Bool, hasWebSockets: Bool,
        _ canary: Canary?, _ observer: AccessObserver?, rooms: [RoomName]
    ) {
        self.hasWebSockets = hasWebSockets
        self.observer = observer
        desk = observer.map { RevocationDesk(simulation, $0) }
        self.rooms = rooms
        self.keepsNothing = keepsNothing
        self.simulation = simulation
        self.disk = disk
        self.evidence = evidence
        self.configuration = configuration
        self.canary = canary
    }

    var isUp: Bool { platform != nil }

    /// The figures of the server's turns and memory; `nil` without a server.
    var turns: TurnFigures? { server?.turns }
    var memory: MemoryFigures? { server?.memory }

    /// Whether it has connections, or answers that were not read yet.
    var isBusy: Bool {
        guard let server else { return false }
        return server.unreadAnswerBytes > 0 || server.connectionCounts.contains { $0 > 0 }
    }

    /// Starts a server with the data on the disk.
    func start() throws {
        let platform = simulation.makePlatform(named: ServerMachine.host)
        // The wall clock jumps forwards and backwards, unless it says when tokens expire.
        starts += 1
        if observer == nil {
            platform.wallClockLeadMilliseconds = starts &* 7_919_000 % 600_000
        }
        let storage = SimulatedStorage(on: disk, for: platform)
        let damaged: any Storage & Sendable = canary?.damaged(storage) ?? storage
        let store = WorkerStore(damaged, worker: try platform.startWorker(named: "store"))
        var configuration = configuration
        configuration.address = ServerMachine.address
        canary?.damage(&configuration)
        if let desk {
            observer?.serverWillBegin()
            configuration.revocation.revoked = desk.revocations
            configuration.revocation.log = desk
        }
        report.isReady = false
        let server = try Server.start(
            on: observed(platform, &configuration), store: store, configuration: configuration,
            log: Silence(),
            gateways: hasWebSockets ? [HTTPGateway(at: ServerMachine.webAddress)] : []
        ) { [report] result in
            if case .failure(let error) = result { report.failure = error }
            report.isReady = true
        }
        self.server = server
        servers.append(server)
        self.platform = platform
        evidence.note("the server starts")
    }

    /// The platform, with the connections that the canary damages or the observer watches.
    private func observed(
        _ platform: SimulatedPlatform, _ configuration: inout ServerConfiguration
    ) -> any Platform {
        guard let observer else { return canary?.damaged(platform) ?? platform }
        let rooms = rooms
        let observe: @Sendable () -> ObservedConnection = {
            ObservedConnection(observer, rooms: rooms)
        }
        if let security = configuration.security {
            configuration.security = ObservedSecurity(security, observe)
            return platform
        }
        return DamagedPlatform(platform) { ObservedStream($0, $1, observe()) }
    }

    private struct Silence: ServerLog {
        func log(
            _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
        ) {}
    }

    /// Takes access back, as the operator of the machine does with the file of revocations.
    func takeBack(_ taken: TakenBack) {
        guard let observer else { return }
        observer.office.willTakeBack(taken)
        guard let server, report.isReady else { return }
        if canary == .believesRevocations { return observer.didTakeBack(taken) }
        var revocations = Revocations()
        revocations.insert(taken.revocation)
        server.revoke(revocations) { observer.didTakeBack(taken) }
    }

    // MARK: The end

    /// Releases everything; called after the simulation has ended.
    func end() {
        for server in servers { server.join() }
    }

    /// Dies after this number of writes, and comes back after a while.
    func doom(_ death: Fault.Death, afterActs count: Int, downMilliseconds: UInt64) {
        // In one of three cases between a write and its sync, where a loss of power loses the
        // write.
        platform?.doom(afterActs: count, atSync: count % 3 == 0) { [self] in
            evidence.didSuffer(death == .killed ? .serverKilled : .serverPowerless)
            die(death)
            simulation.after(milliseconds: downMilliseconds) { [self] in comeBack() }
        }
    }

    /// Cancels a death that has not happened yet.
    func pardon() {
        platform?.pardon()
    }

    func die(_ death: Fault.Death) {
        guard let platform else { return }
        evidence.note("the server is \(death.rawValue)")
        if death == .powerless {
            for connection in simulation.network.connections {
                connection.cut(heardBy: [])
            }
        }
        platform.kill()
        observer?.serverDidEnd(losing: false)
        if death == .powerless { disk.losePower() }
        self.platform = nil
        server = nil
        forgetIfNothingIsKept()
    }

    /// Restores the store to a copy, between two processes of the server.
    func putBack(to copy: SimulatedDisk.Copy, downMilliseconds: UInt64) {
        if isUp { die(.killed) }
        evidence.note("the store is put back to a copy")
        evidence.didSuffer(.storePutBack)
        disk.putBack(to: copy)
        observer?.serverDidEnd(losing: true)
        simulation.after(milliseconds: downMilliseconds) { [self] in comeBack() }
    }

    private func forgetIfNothingIsKept() {
        guard keepsNothing else { return }
        disk.putBack(to: .empty)
        evidence.didSuffer(.memoryLost)
    }

    /// Ends the server in order, and then starts it again.
    func drain(downMilliseconds: UInt64) {
        guard let platform, let server, report.isReady else { return }
        evidence.note("the server is told to end")
        server.drain()
        awaitEnd(of: platform, server, downMilliseconds: downMilliseconds)
    }

    private func awaitEnd(
        of platform: SimulatedPlatform, _ server: Server, downMilliseconds: UInt64
    ) {
        simulation.after(milliseconds: 1) { [self] in
            guard !platform.isKilled else { return }
            guard platform.hasEnded else {
                return awaitEnd(of: platform, server, downMilliseconds: downMilliseconds)
            }
            server.join()
            evidence.note("the server has ended")
            observer?.serverDidEnd(losing: false)
            evidence.didSuffer(.serverEnded)
            self.platform = nil
            self.server = nil
            forgetIfNothingIsKept()
            simulation.after(milliseconds: downMilliseconds) { [self] in comeBack() }
        }
    }

    private func comeBack() {
        do {
            if !isUp { try start() }
        } catch {
            evidence.accuse(.unsettled, "the server can't be started: \(error)")
        }
    }

    /// The open port, for tests that stop it from accepting.
    var listener: SimulatedListener? {
        simulation.network.listener(at: ServerMachine.address)
    }
}
