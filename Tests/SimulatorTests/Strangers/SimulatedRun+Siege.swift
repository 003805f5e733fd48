import SyncRoom
import SyncServer
import SyncSim
import SyncTLS

// Strangers beside well-behaved clients.
extension SimulatedRun {
    /// The greatest number of steps in full turns between a request of the innocent client and its
    /// answer: some 10 ms of work.
    private static let mostSteps = 1 << 15
    /// A turn's work may be this many times its budget: each part of it may end with one piece of
    /// work that goes over.
    private static let turnsOfWork = 4
    /// How long the server may retain memory of clients that are gone.
    private static let forgettingMilliseconds: UInt64 = 10_000

    func beginSiege() throws {
        guard !scenario.tricks.isEmpty else { return }
        let server = server
        let security = try security?.makeClient(named: "innocent")
        let innocent = Innocent(simulation, by: security) { server.turns }
        try innocent.start()
        self.innocent = innocent
        strangers = try scenario.tricks.enumerated().map { number, trick in
            StrangerMachine(
                trick, number: number, scenario, simulation, evidence,
                try self.security?.makeClient(named: "stranger"))
        }
        for stranger in strangers { try stranger.start() }
    }

    /// Judges how the innocent client was served. Then lets all leave, and checks that the server
    /// retains nothing of anybody.
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
        // A step of a handshake is one piece.
        let handshake =
            (security?.server.handshakeMicroseconds ?? 0) * 1000 / WorkCost.stepNanoseconds
        if largest > SimulatedRun.turnsOfWork * scenario.configuration.turnSteps + handshake {
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
