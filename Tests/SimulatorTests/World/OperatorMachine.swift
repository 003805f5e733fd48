import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire

/// The server's operator: connects, deletes a room and leaves.
final class OperatorMachine {
    private let simulation: Simulation
    private let evidence: Evidence
    private let security: (any ClientSecurity)?
    private let office: TokenOffice?
    private var platform: SimulatedPlatform?
    private var session: ClientSession?

    init(
        _ simulation: Simulation, _ evidence: Evidence, _ security: (any ClientSecurity)?,
        _ office: TokenOffice?
    ) {
        self.office = office
        self.security = security
        self.simulation = simulation
        self.evidence = evidence
    }

    /// Deletes a room, if that is possible now. Its members are not warned.
    func delete(_ name: String) {
        guard platform == nil, let room = RoomName(name) else { return }
        let platform = simulation.makePlatform(named: "operator")
        self.platform = platform
        nonisolated(unsafe) let machine = self
        _ = try? platform.startLoop(named: "operator") { machine.ask(.delete(room), on: $0, name) }
    }

    private func ask(_ question: Question, on loop: any EventLoop, _ name: String) {
        var options = SessionOptions(address: ServerMachine.address, agent: "operator")
        options.security = security
        options.token = office.map { FixedToken($0.issue(admin: "operator")) }
        options.handshakeMilliseconds = 700
        let session = ClientSession(options: options, loop: loop)
        self.session = session
        session.start { [self] result in
            guard case .success = result else { return leave() }
            evidence.willDelete(name)
            session.ask(question) { [self] reply in
                if case .done = reply {
                    evidence.didDelete(name)
                    evidence.note("\(name) is deleted")
                    evidence.didSuffer(.roomDeleted)
                }
                leave()
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
