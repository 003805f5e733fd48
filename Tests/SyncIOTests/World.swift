import Glibc
import SyncIO
import SyncLoop
import SyncSim
import TLSSupport
import Testing

/// The platform of a conformance test: the system, or a simulation with a seed; each also with
/// streams secured by TLS, and with WebSockets.
enum World: Sendable, CustomTestStringConvertible {
    case system
    case simulation(seed: UInt64)
    case securedSystem
    case securedSimulation(seed: UInt64)
    case webSocketSystem
    case webSocketSimulation(seed: UInt64)

    static let all: [World] =
        [.system, .securedSystem, .webSocketSystem] + (1...4).map { .simulation(seed: $0) }
        + (1...4).map { .securedSimulation(seed: $0) }
        + (1...4).map { .webSocketSimulation(seed: $0) }

    var isSecured: Bool {
        switch self {
        case .system, .simulation, .webSocketSystem, .webSocketSimulation: false
        case .securedSystem, .securedSimulation: true
        }
    }

    var testDescription: String {
        switch self {
        case .system: "the system"
        case .simulation(let seed): "simulation \(seed)"
        case .securedSystem: "the system, secured"
        case .securedSimulation(let seed): "simulation \(seed), secured"
        case .webSocketSystem: "the system, by WebSockets"
        case .webSocketSimulation(let seed): "simulation \(seed), by WebSockets"
        }
    }

    /// Runs a loop until `body`, or what it starts, calls `finish`; then everything is closed.
    /// After half a minute without `finish` the loop gives up, and the test fails.
    ///
    /// - Returns: the argument of `finish`.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any EventLoop, any Platform, Finish<Value>) throws -> Void
    ) throws -> Value {
        switch self {
        case .system:
            return try World.run(on: LoopPlatform(), body)
        case .simulation(let seed):
            let simulation = Simulation(seed: seed)
            defer { simulation.end() }
            return try World.run(on: simulation.makePlatform(named: "test"), body)
        case .securedSystem: return try World.system.runSecured(body)
        case .securedSimulation(let seed): return try World.simulation(seed: seed).runSecured(body)
        case .webSocketSystem: return try World.system.runByWebSockets(body)
        case .webSocketSimulation(let seed):
            return try World.simulation(seed: seed).runByWebSockets(body)
        }
    }

    private func runSecured<Value: Sendable>(
        _ body: @escaping @Sendable (any EventLoop, any Platform, Finish<Value>) throws -> Void
    ) throws -> Value {
        let authority = try TestAuthority()
        let (server, client) = (try authority.makeServer(), try authority.makeClient())
        return try run { loop, platform, finish in
            try body(SecuredLoop(loop, server, client), platform, finish)
        }
    }

    private func runByWebSockets<Value: Sendable>(
        _ body: @escaping @Sendable (any EventLoop, any Platform, Finish<Value>) throws -> Void
    ) throws -> Value {
        try run { loop, platform, finish in
            let loop = SecuredLoop(
                loop, accepting: { BareWebSocket($0, isServer: true, on: $1) },
                connecting: BareWebSocketClient())
            try body(loop, platform, finish)
        }
    }

    private static func run<Value: Sendable>(
        on platform: any Platform,
        _ body: @escaping @Sendable (any EventLoop, any Platform, Finish<Value>) throws -> Void
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let end = try platform.startLoop(named: "test") { loop in
            let finish = Finish(outcome: outcome, loop: loop)
            loop.schedule(afterMilliseconds: 30_000) { loop.stop() }
            do {
                try body(loop, platform, finish)
            } catch {
                outcome.result = .failure(error)
                loop.stop()
            }
        }
        end.join()
        return try #require(outcome.result, "the test did not finish").get()
    }
}

/// The result of a test's loop. It is written on the loop's thread and read when that has ended.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

/// Ends a test's loop with a result; the first counts.
final class Finish<Value: Sendable> {
    private let outcome: Outcome<Value>
    private let loop: any EventLoop

    init(outcome: Outcome<Value>, loop: any EventLoop) {
        self.outcome = outcome
        self.loop = loop
    }

    func callAsFunction(_ value: Value) {
        if outcome.result == nil { outcome.result = .success(value) }
        loop.stop()
    }
}

extension Finish where Value == Bool {
    func callAsFunction() {
        self(true)
    }
}

extension SocketAddress {
    /// Loopback, with a port that the system chooses.
    static let anyPort = SocketAddress(host: "127.0.0.1", port: 0)
}
