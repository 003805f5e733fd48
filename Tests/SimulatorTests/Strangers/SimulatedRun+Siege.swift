import SyncRoom
import SyncServer
import SyncSim

// Strangers beside those who behave.
extension SimulatedRun {
    /// The most steps that full turns may take between a question of the innocent and its answer:
    /// some 10 ms of work.
    private static let mostSteps = 1 << 15
    /// A turn's work may be so many times what it is to be: each part of it ends with one piece of
    /// work that goes over.
    private static let turnsOfWork = 4
    /// How long it may take until nothing is held for those who are gone.
    private static let forgettingMilliseconds: UInt64 = 10_000

    func beginSiege() throws {
        guard !scenario.tricks.isEmpty else { return }
        let server = server
        let innocent = Innocent(simulation) { server.turns }
        try innocent.start()
        self.innocent = innocent
        strangers = scenario.tricks.enumerated().map { number, trick in
            StrangerMachine(trick, number: number, scenario, simulation, evidence)
        }
        for stranger in strangers { try stranger.start() }
    }

    /// Looks at how the innocent was served, has everybody go, and sees that nothing is held for
    /// anybody then.
    func judgeSiege() {
        guard let innocent else { return }
        if let failure = innocent.failure { evidence.accuse(.unserved, "the innocent: \(failure)") }
        let wait = max(innocent.longestWait, innocent.wait)
        if wait > SimulatedRun.mostSteps || innocent.answers < 10 {
            evidence.accuse(
                .unserved,
                "the innocent has had \(innocent.answers) answers, one behind \(wait) steps of full turns"
            )
        }
        let largest = server.turns?.largestTurn ?? 0
        if largest > SimulatedRun.turnsOfWork * scenario.configuration.turnSteps {
            evidence.accuse(.unbounded, "a turn has taken \(largest) steps")
        }
        innocent.leave()
        for client in clients { client.leave() }
        let server = server
        let isForgotten = simulation.run(limitMilliseconds: SimulatedRun.forgettingMilliseconds) {
            !server.isBusy && server.memory == MemoryFigures()
        }
        if !isForgotten {
            let held = server.memory?.description ?? "nothing"
            evidence.accuse(.unbounded, "all are gone, and there is held: \(held)")
        }
    }
}
