import SyncAccess
import SyncHTTP
import SyncIO
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncTLS
import SyncWebSocket
import SyncWire
import TLSSupport

/// A server in simulated time, and its visitors.
final class FuzzedWorld {
    /// What the server asks of its visitors.
    struct Settings {
        var hasTokens = false
        var isSecured = false

        /// Eight to choose from. A handshake takes much of a run's time, so TLS is rare.
        static let all =
            [Settings](repeating: Settings(), count: 4)
            + [Settings](repeating: Settings(hasTokens: true), count: 3)
            + [Settings(hasTokens: true, isSecured: true)]
    }

    /// Both sides of TLS. With certificates of clients no session is resumed, so a run does not
    /// depend on those before it.
    private struct Security {
        let server: TLSServer
        let client: TLSClient

        static let shared: Security? = {
            guard let authority = try? TestAuthority(),
                let server = try? authority.makeServer(asksForCertificates: true),
                let client = try? authority.makeClient(named: "visitor")
            else { return nil }
            return Security(server: server, client: client)
        }()
    }

    let simulation: Simulation
    private let server: Server
    private let settings: Settings
    private let security: Security?
    private var visitors: [Visitor] = []
    private var webVisitors: [WebVisitor] = []
    private let address: SocketAddress

    /// - Parameter speaksHTTP: whether the server has a gateway for HTTP.
    init(seed: UInt64, _ settings: Settings, speaksHTTP: Bool = false) {
        self.settings = settings
        security = settings.isSecured ? Security.shared : nil
        expect(!settings.isSecured || security != nil, "there are no certificates")
        simulation = Simulation(seed: seed)
        let platform = simulation.makePlatform(named: "server")
        let started = Started()
        do {
            let store = WorkerStore(
                MemoryStorage(), worker: try platform.startWorker(named: "store"))
            server = try Server.start(
                on: platform, store: store,
                configuration: FuzzedWorld.configuration(settings, security), log: SilentLog(),
                gateways: speaksHTTP ? [HTTPGateway(at: FuzzedWorld.webAddress)] : [],
                ready: { started.address = try? $0.get() })
        } catch {
            finding("the server does not start: \(error)")
        }
        simulation.run(limitMilliseconds: 1000) { started.address != nil }
        guard let address = started.address else { finding("the server does not listen") }
        self.address = address
    }

    private static func configuration(
        _ settings: Settings, _ security: Security?
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.address = SocketAddress(host: "127.0.0.1", port: 7420)
        // Small enough for short inputs to reach.
        configuration.wire.frameBytes = 1 << 14
        configuration.wire.unansweredTransactions = 4
        configuration.wire.views = 2
        configuration.wire.viewElements = 40
        configuration.wire.rooms = 2
        configuration.room.horizon = 8
        configuration.security = security?.server
        if settings.hasTokens {
            configuration.tokens = TokenAuthentication(FuzzedTokens.verifier)
            configuration.tokens?.issuer = FuzzedTokens.verifier
            configuration.revocation.log = FuzzedRevocationLog()
        }
        return configuration
    }

    /// A visitor that has connected.
    ///
    /// - Parameter isTrusted: whether it may edit, whatever tokens it shows.
    func enter(isTrusted: Bool = false) -> Visitor {
        let visitor = Visitor(mayEdit: isTrusted || !settings.hasTokens)
        visitors.append(visitor)
        let platform = simulation.makePlatform(named: "visitor \(visitors.count)")
        let (address, client) = (address, security?.client)
        do {
            try platform.startLoop(named: "loop") {
                visitor.connect(to: address, on: $0, by: client)
            }
        } catch {
            finding("the visitor's loop does not start: \(error)")
        }
        expect(run { visitor.isConnected }, "the visitor can't connect")
        return visitor
    }

    private static let webAddress = SocketAddress(host: "127.0.0.1", port: 7421)

    /// A visitor that has connected to the gateway for HTTP.
    ///
    /// - Parameter door: makes the connection a WebSocket.
    func enterWeb(by door: WebSocketClient? = nil) -> WebVisitor {
        let visitor = WebVisitor()
        webVisitors.append(visitor)
        let platform = simulation.makePlatform(named: "web visitor \(webVisitors.count)")
        do {
            try platform.startLoop(named: "loop") {
                visitor.connect(to: FuzzedWorld.webAddress, on: $0, by: door)
            }
        } catch {
            finding("the visitor's loop does not start: \(error)")
        }
        expect(run { visitor.isConnected }, "the visitor can't connect")
        return visitor
    }

    /// A token of a guest who may do everything, which no stranger has taken back; empty if the
    /// server asks for none.
    var guestToken: String {
        settings.hasTokens ? FuzzedTokens.guest(after: simulation.nowMicroseconds / 1_000_000) : ""
    }

    /// Lets time pass until a condition is true.
    func run(until holds: () -> Bool) -> Bool {
        simulation.run(limitMilliseconds: 120_000, until: holds)
    }

    func end() {
        server.drain()
        server.join()
        simulation.end()
        for visitor in visitors { visitor.abandon() }
    }
}

/// Passes the address out of the loop; in a simulation everything runs on one thread.
private final class Started: @unchecked Sendable {
    var address: SocketAddress?
}

private struct SilentLog: ServerLog {
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {}
}

/// Keeps nothing, and can't keep what is about one key.
private struct FuzzedRevocationLog: RevocationLog {
    func add(
        _ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void
    ) {
        completion(revocation == .key(FuzzedTokens.unwritableKey) ? .unavailable : nil)
    }
}
