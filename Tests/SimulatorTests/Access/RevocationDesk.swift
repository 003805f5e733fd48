import SyncAccess
import SyncModel
import SyncServer
import SyncSim
import SyncWire

/// The file of revocations: it outlasts the server, and no restored store changes it.
final class RevocationDesk: RevocationLog, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private let simulation: Simulation
    private let observer: AccessObserver

    init(_ simulation: Simulation, _ observer: AccessObserver) {
        self.simulation = simulation
        self.observer = observer
    }

    /// What a server knows from the beginning.
    var revocations: Revocations {
        var all = Revocations()
        for taken in observer.office.takenBack { all.insert(taken.revocation) }
        return all
    }

    func add(
        _ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void
    ) {
        observer.willTakeBack(TakenBack(revocation))
        simulation.after(milliseconds: 2) { completion(nil) }
    }
}

extension TakenBack {
    var revocation: Revocation {
        switch what {
        case .token(let id): .token(Identifier(stringLiteral: id))
        case .user(let name): .user(name, through: throughSeconds)
        case .role(let name, let room): .role(of: name, in: room, through: throughSeconds)
        case .key(let id): .key(Identifier(stringLiteral: id))
        case .everything: .all(through: throughSeconds)
        }
    }

    init(_ revocation: Revocation) {
        switch revocation {
        case .token(let id): self.init(what: .token(id.text), throughSeconds: 0)
        case .user(let name, let time): self.init(what: .user(name), throughSeconds: time)
        case .role(let name, let room, let time):
            self.init(what: .role(of: name, in: room), throughSeconds: time)
        case .key(let id): self.init(what: .key(id.text), throughSeconds: 0)
        case .all(let time): self.init(what: .everything, throughSeconds: time)
        }
    }
}

extension TakenBack.What {
    /// How an operator asks for it.
    var subject: Revoke.Subject {
        switch self {
        case .token(let id): .token(Identifier(stringLiteral: id))
        case .user(let name): .user(name)
        case .role(let name, let room): .role(of: name, in: room)
        case .key(let id): .key(Identifier(stringLiteral: id))
        case .everything: .all
        }
    }
}
