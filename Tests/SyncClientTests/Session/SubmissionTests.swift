import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

@Suite final class SubmissionTests {
    let simulation = Simulation(seed: 2)

    deinit {
        simulation.end()
    }

    private func joined(_ server: ScriptedServer) throws -> SessionFixture {
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        client.room.clear()
        return client
    }

    @Test func sendsWithoutWaitingUpToTheLimit() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<7 { client.submit() }
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2, 3, 4])
        server.current?.say(RoomScript.ack(1, 6))
        server.current?.say(RoomScript.reject(2, .unknownItem))
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2, 3, 4, 5, 6])
        #expect(
            client.answers == [
                .committed(Commit(revision: 6)),
                .rejected(Rejection(code: .unknownItem, message: "no")),
            ])
    }

    @Test func basesOnItsOwnRevision() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        client.submit(base: 2)
        server.current?.say(RoomScript.batch(5, 9))
        simulation.runUntilIdle()
        client.submit()
        simulation.runUntilIdle()
        let bases = server.heard.compactMap { message in
            if case .submit(let submit) = message { submit.transaction.base } else { nil }
        }
        #expect(bases == [5, 2, 9])
    }

    /// Unanswered transactions are resent first and in order, and batches wait for their answers.
    /// So each answer comes before the batch with its transaction.
    @Test func resendsInOrderBeforeBatches() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<6 { client.submit() }
        simulation.runUntilIdle()
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2, 3, 4, 5])
        server.answer = { connection, message in
            RoomScript.letIn(connection, message)
            // The server had applied two of them before the connection broke.
            if case .join = message { connection.say(RoomScript.batch(5, 8)) }
        }
        client.room.clear()
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted.count == 4 }
        simulation.runUntilIdle()
        #expect(server.submitted == [2, 3, 4, 5])
        #expect(
            client.room.events == [.interrupted("connectionLost"), .joined(5, resumed: true)])
        for counter in 2...5 as ClosedRange<UInt64> {
            server.current?.say(RoomScript.ack(counter, 5 + counter))
        }
        simulation.runUntilIdle()
        #expect(server.submitted == [2, 3, 4, 5, 6])
        #expect(
            client.room.events.dropFirst(2) == [
                .answer(2, .committed(Commit(revision: 7))),
                .answer(3, .committed(Commit(revision: 8))),
                .answer(4, .committed(Commit(revision: 9))),
                .answer(5, .committed(Commit(revision: 10))), .batch(5, 8),
            ])
    }

    /// Two connections are lost before anything could be resent: nothing is lost or out of order.
    @Test func survivesLossAfterLoss() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<3 { client.submit() }
        simulation.runUntilIdle()
        server.answer = { connection, message in
            if case .join = message { connection.close() }
        }
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 4 }
        client.submit()
        server.answer = RoomScript.letIn
        simulation.run { server.submitted.count == 4 }
        #expect(server.submitted == [1, 2, 3, 4])
        server.current?.say(RoomScript.batch(5, 6))
        for counter in 1...3 as ClosedRange<UInt64> {
            server.current?.say(RoomScript.ack(counter, 5 + counter))
        }
        simulation.runUntilIdle()
        #expect(client.room.events.last == .batch(5, 6))
        #expect(client.answers.count == 3)
    }

    /// A transaction that the server can't accept now is resent under its counter, and no later one
    /// overtakes it.
    @Test func retriesWhatIsUnavailable() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<3 { client.submit() }
        simulation.runUntilIdle()
        server.current?.say(RoomScript.reject(1, .unavailable))
        simulation.runUntilIdle()
        client.submit()
        simulation.run(forMilliseconds: 2_000)
        #expect(server.submitted == [1, 2, 3], "2 and 3 are not answered yet")
        server.current?.say(RoomScript.reject(2, .unavailable))
        server.current?.say(RoomScript.reject(3, .unavailable))
        simulation.run { server.submitted.count > 3 }
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2, 3, 1, 2, 3, 4])
        #expect(client.answers.isEmpty)
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        #expect(client.answers == [.committed(Commit(revision: 6))])
    }

    @Test func retriesAsOftenAsItIsUnavailable() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        simulation.runUntilIdle()
        for attempt in 1...3 {
            server.current?.say(RoomScript.reject(1, .unavailable))
            simulation.run(forMilliseconds: 2_000)
            #expect(server.submitted.count == attempt + 1)
        }
        #expect(client.answers.isEmpty)
    }

    /// The server says how long to wait. A retry without that waits half a second at most.
    @Test func waitsAsLongAsTheServerAsks() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        simulation.runUntilIdle()
        func wait(_ milliseconds: Int) {
            for _ in 0..<milliseconds / 100 {
                simulation.run(forMilliseconds: 100)
                server.current?.say(.heartbeat(Heartbeat()))
            }
        }
        server.current?.say(RoomScript.reject(1, .unavailable, retryAfterMilliseconds: 5_000))
        wait(5_000)
        #expect(server.submitted == [1])
        wait(600)
        #expect(server.submitted == [1, 1])
        // The next one says nothing of that sort; then comes one that asks for days.
        server.current?.say(RoomScript.reject(1, .unavailable))
        wait(600)
        #expect(server.submitted == [1, 1, 1])
        server.current?.say(RoomScript.reject(1, .unavailable, retryAfterMilliseconds: .max))
        wait(60_000)
        #expect(server.submitted == [1, 1, 1])
        wait(600)
        #expect(server.submitted == [1, 1, 1, 1])
    }

    @Test func whatIsUnavailableKeepsItsPlaceOverALoss() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<3 { client.submit() }
        simulation.runUntilIdle()
        server.current?.say(RoomScript.reject(2, .unavailable))
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted.count == 3 }
        #expect(server.submitted == [1, 2, 3])
    }

    /// News that waited for an answer on a lost connection come anew on the next one.
    @Test func pendingBatchesAreOfTheirConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        simulation.runUntilIdle()
        server.answer = { connection, message in
            RoomScript.letIn(connection, message)
            if case .join = message { connection.say(RoomScript.batch(5, 8)) }
        }
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted == [1] }
        simulation.runUntilIdle()
        server.answer = RoomScript.letIn
        simulation.network.connections.first { $0.isOpen }?.cut()
        simulation.run { server.connections.count == 3 && server.submitted == [1] }
        simulation.runUntilIdle()
        client.room.clear()
        server.current?.say(RoomScript.ack(1, 6))
        server.current?.say(RoomScript.batch(5, 9))
        simulation.runUntilIdle()
        #expect(
            client.room.events == [.answer(1, .committed(Commit(revision: 6))), .batch(5, 9)])
    }

    /// A transaction that was refused for now goes first again, even if the connection is lost
    /// before the rest is answered.
    @Test func retriesWhatIsUnavailableAfterALoss() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<3 { client.submit() }
        simulation.runUntilIdle()
        server.current?.say(RoomScript.reject(1, .unavailable))
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted.count == 3 }
        simulation.run(forMilliseconds: 10_000)
        #expect(server.submitted == [1, 2, 3])
        #expect(client.answers.isEmpty)
    }

    @Test func refusesByItselfWhatTheServerWouldNotRead() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let text = Value.text(String(repeating: "x", count: 17 << 20))
        let field = Field(name: Identifier("f"), value: text)
        client.submit([.update(Identifier("a"), ItemPatch(set: [field]))])
        client.submit([
            .increment(Identifier("a"), field: Identifier("f"), by: .infinity)
        ])
        client.submit()
        simulation.runUntilIdle()
        #expect(server.submitted == [3])
        let codes = client.answers.map { answer -> Rejection.Code? in
            if case .rejected(let rejection) = answer { rejection.code } else { nil }
        }
        #expect(codes == [.limitExceeded, .malformed])
        let observed = client.room.events.filter { if case .answer = $0 { true } else { false } }
        #expect(observed.count == 2, "the observer of the room gets them too")
        #expect(server.connections.count == 1)
    }

    /// Answers without a transaction are ignored.
    @Test func passesOverStrayAnswers() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.current?.say(RoomScript.ack(77, 6))
        server.current?.say(RoomScript.reject(78, .malformed))
        server.current?.say(.done(Done(request: 4_000)))
        server.current?.say(.ack(Ack(room: 9, counter: 1, commit: Commit(revision: 1))))
        simulation.runUntilIdle()
        #expect(client.room.events.isEmpty)
        #expect(server.connections.count == 1)
    }

    /// A join names the last sent counter. A client that gets a higher counter continues from
    /// there.
    @Test func saysWhatItHasSent() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<7 { client.submit() }
        simulation.runUntilIdle()
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(RoomScript.joined(join, revision: 5, resumed: true, counter: 40))
        }
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted.count == 4 }
        // The server accepts four unanswered transactions.
        #expect(server.joins.map(\.counter) == [0, 4])
        simulation.runUntilIdle()
        #expect(client.submit() == 41)
    }

    /// Who comes back into a room and submits at once must not take a number again.
    @Test func numbersGoOnAfterLeaving() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        simulation.runUntilIdle()
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        client.session?.leave(try #require(client.membership))
        client.join()
        #expect(client.submit() == 2)
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2])
        #expect(server.joins.map(\.counter) == [0, 1])
    }

    /// A room that has forgotten a client lets another client take its id. The first client comes
    /// back under a new id, and the fate of its transactions is unknown.
    @Test func takesAnotherIdWhereItsOwnIsAnothers() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<6 { client.submit() }
        simulation.runUntilIdle()
        let own = try #require(server.joins.first?.client)
        server.answer = { connection, message in
            guard case .join(let join) = message, join.client == own else {
                return RoomScript.letIn(connection, message)
            }
            connection.say(RoomScript.error(.badSecret, .request(join.request)))
        }
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && server.submitted.count == 6 }
        #expect(server.submitted == [1, 2, 3, 4, 5, 6])
        let joins = server.joins
        #expect(joins.map(\.counter) == [0, 4, 0])
        #expect(joins[1].client == own && joins[2].client != own)
        #expect(joins[2].from == 5)
        #expect(client.answers.count == 4)
        for answer in client.answers {
            guard case .rejected(let rejection) = answer else {
                Issue.record("\(answer) is no rejection")
                continue
            }
            #expect(rejection.code == .forgotten)
        }
    }
}
