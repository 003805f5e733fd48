import SeededRandom
import SyncIO
import SyncModel
import SyncSim

/// A stranger's machine, with an address that the server does not trust. Until ``leave()``, it
/// plays one trick on some connections, and replaces those that are closed.
final class StrangerMachine {
    let trick: Trick
    private let number: Int
    private let simulation: Simulation
    private let evidence: Evidence
    private let security: (any ClientSecurity)?
    private var scene: Trick.Scene
    private var platform: SimulatedPlatform?
    private var loop: (any EventLoop)?
    private var strangers: [Stranger] = []
    private var hasLeft = false
    /// How many times it has played its trick.
    private(set) var deeds = 0

    init(
        _ trick: Trick, number: Int, _ scenario: Scenario, _ simulation: Simulation,
        _ evidence: Evidence, _ security: (any ClientSecurity)?
    ) {
        self.security = security
        self.trick = trick
        self.number = number
        self.simulation = simulation
        self.evidence = evidence
        let random = SplitMix64(seed: scenario.seed &* 0xB5297A4D &+ UInt64(number))
        scene = Trick.Scene(
            random: random, othersRooms: scenario.roomNames.map(\.text), number: number)
    }

    func start() throws {
        let platform = simulation.makePlatform(named: "stranger \(number)")
        platform.address = "10.0.0.\(number + 1)"
        self.platform = platform
        nonisolated(unsafe) let machine = self
        try platform.startLoop(named: "stranger \(number)") { loop in
            machine.loop = loop
            machine.rest()
        }
    }

    private func rest() {
        loop?.schedule(afterMilliseconds: UInt64(1 + scene.random.below(6))) { [weak self] in
            guard let self, !hasLeft else { return }
            act()
            rest()
        }
    }

    private func act() {
        for stranger in strangers {
            if let complaint = stranger.complaint {
                evidence.accuse(.brokenProtocol, "stranger \(number): \(complaint)")
            }
        }
        strangers.removeAll(where: \.isClosed)
        if strangers.count < trick.connectionCount, let loop {
            strangers.append(Stranger(on: loop, by: security))
        }
        guard let stranger = scene.random.pick(strangers.filter(\.isWelcome)) else { return }
        deeds += 1
        trick.play(stranger, &scene)
    }

    /// Ends its process.
    func leave() {
        hasLeft = true
        platform?.kill()
        for stranger in strangers { stranger.abandon() }
        strangers = []
        platform = nil
        loop = nil
    }
}
