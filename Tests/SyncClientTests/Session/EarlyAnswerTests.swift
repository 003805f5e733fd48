import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// The server's answers to earlier transactions that come with a join.
@Suite final class EarlyAnswerTests {
    let simulation = Simulation(seed: 3)

    deinit {
        simulation.end()
    }

    /// A client that has sent three transactions, none of which is answered, and has lost its
    /// connection. The server lets it in again with some answers and a batch right behind them.
    private func rejoined(
        answeredThrough: UInt64
    ) throws -> (ScriptedServer, SessionFixture) {
        let server = try ScriptedServer(simulation)
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        for _ in 0..<3 { client.submit() }
        simulation.runUntilIdle()
        client.room.clear()
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            var joined = RoomScript.joinedAgain(join)
            joined.acks = [Ack(room: 1, counter: 1, commit: Commit(revision: 6))]
            joined.rejects = [
                Reject(room: 1, counter: 2, rejection: Rejection(code: .badBase, message: "no"))
            ]
            joined.answeredThrough = answeredThrough
            connection.say(.joined(joined))
            connection.say(RoomScript.batch(5, 6))
        }
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && !server.submitted.isEmpty }
        simulation.runUntilIdle()
        return (server, client)
    }

    private let earlyAnswers: [RoomListener.Event] = [
        .interrupted("connectionLost"), .joined(5, resumed: true),
        .answer(1, .committed(Commit(revision: 6))),
        .answer(2, .rejected(Rejection(code: .badBase, message: "no"))),
    ]

    @Test func withAllAnswersTheBatchComesAtOnce() throws {
        let (server, client) = try rejoined(answeredThrough: 3)
        #expect(server.joins.map(\.answeredThrough) == [0, 0])
        #expect(client.room.events == earlyAnswers + [.batch(5, 6)])
        #expect(server.submitted.last == 3)
        server.current?.say(RoomScript.ack(3, 7))
        server.current?.say(RoomScript.batch(6, 7))
        simulation.runUntilIdle()
        #expect(
            client.room.events.suffix(2) == [
                .answer(3, .committed(Commit(revision: 7))), .batch(6, 7),
            ])
        client.submit()
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        server.answer = RoomScript.letIn
        simulation.run { server.connections.count == 3 && !server.submitted.isEmpty }
        #expect(server.joins.last?.answeredThrough == 3)
    }

    /// The batch may contain the third transaction.
    @Test func withoutAllAnswersTheBatchWaits() throws {
        let (server, client) = try rejoined(answeredThrough: 2)
        #expect(client.room.events == earlyAnswers)
        server.current?.say(RoomScript.ack(3, 6))
        simulation.runUntilIdle()
        #expect(
            client.room.events.suffix(2) == [
                .answer(3, .committed(Commit(revision: 6))), .batch(5, 6),
            ])
    }
}
