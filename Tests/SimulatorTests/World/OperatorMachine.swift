import ModelSupport
import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire

/// An operator of the server: connects, deletes a room or takes access back, and leaves.
final class OperatorMachine {
    private let host: String
    private let simulation: Simulation
    private let evidence: Evidence
    private let security: (any ClientSecurity)?
    private let office: TokenOffice?
    private var platform: SimulatedPlatform?
    private var session: ClientSession?

    init(
        _ host: String, _ simulation: Simulation, _ evidence: Evidence,
        _ security: (any ClientSecurity)?, _ office: TokenOffice?
    ) {
        self.host = host
        self.office = office
        self.security = security
        self.simulation = simulation
        self.evidence = evidence
    }

    /// Deletes a room, if that is possible now. Its members are not warned.
    func delete(_ room: RoomName) {
        start { [self] loop in
            let evidence = evidence
            ask(.delete(room), on: loop) {
                evidence.willDelete(room)
            } then: {
                evidence.didDelete(room)
                evidence.note("\(room) is deleted")
                evidence.didSuffer(.roomDeleted)
            }
        }
    }

    /// Takes access back, if that is possible now.
    func takeBack(_ subject: Revoke.Subject) {
        start { [self] loop in
            ask(.revoke(subject), on: loop, {}, then: {})
        }
    }

    private func start(_ begin: @escaping (any EventLoop) -> Void) {
        guard platform == nil else { return }
        let platform = simulation.makePlatform(named: host)
        self.platform = platform
        nonisolated(unsafe) let begin = begin
        _ = try? platform.startLoop(named: host) { begin($0) }
    }

    private func ask(
        _ question: Question, on loop: any EventLoop, _ willAsk: @escaping () -> Void,
        then done: @escaping () -> Void
    ) {
        var options = SessionOptions(address: ServerMachine.address, agent: host)
        options.security = security
        options.token = office.map { FixedToken($0.issue(admin: id(host))) }
        options.handshakeMilliseconds = 700
        let session = ClientSession(options: options, loop: loop)
        self.session = session
        session.start { [self] result in
            guard case .success = result else { return leave() }
            willAsk()
            session.ask(question) { [self] reply in
                if case .done = reply { done() }
                switch reply {
                case .done, .failed: leave()
                default: break
                }
            }
        }
    }

    private func leave() {
        session?.close()
        session = nil
        // Not inside one of its own callbacks.
        simulation.after(milliseconds: 1) { [self] in
            platform?.kill()
            platform = nil
        }
    }
}
