import Glibc
import SyncIO
import SyncLoop
import SyncServer

/// What started the server and watches it, such as systemd. It is sent notices about the server, as
/// `sd_notify(3)` defines them; without `NOTIFY_SOCKET` this does nothing.
///
/// Invariants:
/// 1. `READY=1` is sent only while the server listens, not before, and not while it ends.
/// 2. Notices leave in order. Those that the service manager can't take yet are kept, and sent with
///    the next one or a little later. Only notices of the watchdog are dropped.
final class ServiceManager: Sendable {
    private enum Phase {
        case starting, listening, ending
    }

    private struct State {
        var phase = Phase.starting
        /// The last status while the server listens.
        var status = ""
        /// Notices that the service manager could not take yet.
        var unsent: [String] = []
        var hasFailed = false
    }

    /// How many notices are kept. Only somebody who sends many signals can cause so many.
    private static let maximumUnsent = 16

    private let socket: NotifySocket?
    /// How often the service manager expects a sign of life; `nil` if it expects none.
    let watchdogMicroseconds: UInt64?
    private let log: any ServerLog
    private let state = Monitor(State())

    /// - Parameter variable: the value of a variable of the environment.
    init(log: any ServerLog, variable: (String) -> String? = ServiceManager.variable) {
        self.log = log
        func ignore(_ name: String, _ value: String, _ reason: String) {
            log.log(
                .warning, "a variable of the service manager is ignored",
                ["name": name, "value": value, "why": reason])
        }
        var socket: NotifySocket?
        if let name = variable("NOTIFY_SOCKET") {
            do throws(IOError) {
                socket = try NotifySocket(named: name)
            } catch {
                ignore("NOTIFY_SOCKET", name, error.description)
            }
        }
        self.socket = socket
        var interval: UInt64?
        if socket != nil, let text = variable("WATCHDOG_USEC") {
            interval = ServiceManager.number(text).flatMap { $0 > 0 && $0 < .max ? $0 : nil }
            if interval == nil { ignore("WATCHDOG_USEC", text, "it is no time in microseconds") }
        }
        if interval != nil, let text = variable("WATCHDOG_PID") {
            let process = ServiceManager.number(text)
            if process == nil { ignore("WATCHDOG_PID", text, "it is no number of a process") }
            // Another process is watched.
            if process != UInt64(getpid()) { interval = nil }
        }
        watchdogMicroseconds = interval
    }

    /// The value of a variable of this process. Bytes that are not UTF-8 are replaced.
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Parses a number. Only digits are allowed, while `UInt64` also accepts a sign.
    static func number(_ text: String) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }

    /// Whether notices are sent at all.
    var isThere: Bool { socket != nil }

    /// Reports that clients can connect.
    func serverListens(on address: SocketAddress) {
        change { state in
            guard state.phase == .starting else { return nil }
            state.phase = .listening
            state.status = "listening on \(address)"
            return "READY=1\nSTATUS=\(state.status)"
        }
    }

    /// Reports that the server ends.
    func serverEnds() {
        change { state in
            guard state.phase != .ending else { return nil }
            state.phase = .ending
            return "STOPPING=1\nSTATUS=finishing what clients have sent"
        }
    }

    /// Reports that files are read again, calls `reload`, and reports its end. The service manager
    /// hears of it only while the server listens.
    func reload(_ reload: () -> Void) {
        change { state in
            guard state.phase == .listening else { return nil }
            let now = monotonicMicroseconds()
            return "RELOADING=1\nMONOTONIC_USEC=\(now)\nSTATUS=reading files again"
        }
        reload()
        change { state in
            guard state.phase == .listening else { return nil }
            return "READY=1\nSTATUS=\(state.status)"
        }
    }

    /// Reports that all loops turn.
    func loopsTurn() {
        state.withLock { state in
            sendKept(&state)
            if state.unsent.isEmpty { _ = socket?.send("WATCHDOG=1") }
        }
    }

    /// How long notices that could not be sent wait for another attempt.
    private static let resendMilliseconds: UInt64 = 1000

    /// Sends signs of life at half of the expected time, as long as all loops of the server turn,
    /// and sends the kept notices. Called when the loops have begun, on one of them.
    func attend(_ server: Server, on loop: any EventLoop) {
        guard isThere else { return }
        if let watchdogMicroseconds {
            server.pulse(everyMilliseconds: max(1, watchdogMicroseconds / 2000)) { [self] in
                loopsTurn()
            }
        }
        resendAgainAndAgain(on: loop)
    }

    private func resendAgainAndAgain(on loop: any EventLoop) {
        loop.schedule(afterMilliseconds: ServiceManager.resendMilliseconds) {
            [self, unowned loop] in
            state.withLock { sendKept(&$0) }
            resendAgainAndAgain(on: loop)
        }
    }

    private func change(_ body: (inout State) -> String?) {
        guard isThere else { return }
        state.withLock { state in
            guard let notice = body(&state) else { return }
            // The newest notice says what the server does now.
            if state.unsent.count == ServiceManager.maximumUnsent { state.unsent = [] }
            state.unsent.append(notice)
            sendKept(&state)
        }
    }

    private func sendKept(_ state: inout State) {
        while let socket, let notice = state.unsent.first {
            switch socket.send(notice) {
            case .full: return
            case .sent: break
            case .failed(let reason):
                if !state.hasFailed {
                    log.log(
                        .warning, "the service manager can't be reached", ["why": reason])
                }
                state.hasFailed = true
            }
            state.unsent.removeFirst()
        }
    }
}
