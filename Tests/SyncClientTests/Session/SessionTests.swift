import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire
import Testing

@Suite final class SessionTests {
    let simulation = Simulation(seed: 1)

    deinit {
        simulation.end()
    }

    /// A client that has joined a room at revision 5.
    private func joined(_ server: ScriptedServer) throws -> SessionFixture {
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        #expect(client.room.events == [.joined(5, resumed: false), .snapshot(5)])
        client.room.clear()
        return client
    }

    // MARK: Beginning

    @Test func greetsAndJoins() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        guard case .hello(let hello) = server.heard.first else {
            Issue.record("the client does not begin with a hello")
            return
        }
        #expect(hello.agent == "test")
        let join = try #require(server.joins.first)
        #expect(join.client == client.session?.identity.client)
        #expect(join.secret.count == 16)
        #expect(join.from == nil)
        #expect(client.membership?.revision == 5)
    }

    @Test func reportsThatNobodyAnswers() throws {
        let client = try SessionFixture(
            simulation, address: SocketAddress(host: "127.0.0.1", port: 9))
        client.open()
        guard case .failure(.connection(.unreachable)) = client.opened else {
            Issue.record("\(String(describing: client.opened))")
            return
        }
    }

    @Test func reportsAServerThatIsNoServer() throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        let page = "HTTP/1.1 400 Bad Request\r\n" + String(repeating: "x", count: 80)
        server.answer = { connection, _ in connection.sayRaw(Array(page.utf8)) }
        let client = try SessionFixture(simulation)
        client.open()
        #expect(client.opened == .failure(.speaksHTTP))
    }

    /// An alert of TLS, which may come in two parts, comes where a frame is expected.
    @Test(arguments: [1, 2, 7])
    func reportsAServerThatWantsTLS(count: Int) throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        let alert: [UInt8] = [0x15, 3, 1, 0, 2, 2, 70]
        server.answer = { connection, _ in connection.sayRaw(Array(alert.prefix(count))) }
        let client = try SessionFixture(simulation)
        simulation.run(forMilliseconds: 100)
        #expect((client.opened == nil) == (count == 1), "two bytes are enough")
        server.current?.sayRaw(Array(alert[count...]))
        client.open()
        #expect(client.opened == .failure(.needsTLS))
    }

    @Test func reportsAServerThatSaysNothing() throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        let client = try SessionFixture(simulation) { $0.handshakeMilliseconds = 700 }
        client.open()
        #expect(client.opened == .failure(.handshakeTimeout))
        #expect(simulation.nowMicroseconds < 800_000)
    }

    @Test func reportsARefusal() throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        server.answer = { connection, _ in connection.say(RoomScript.error(.unsupportedVersion)) }
        let client = try SessionFixture(simulation)
        client.open()
        #expect(
            client.opened
                == .failure(.server(.unsupportedVersion, message: "no", retry: false)))
    }

    @Test func aRoomThatIsRefusedEndsOnlyTheMembership() throws {
        let server = try ScriptedServer(simulation)
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(RoomScript.error(.roomNotFound, .request(join.request)))
        }
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        #expect(client.room.events == [.ended("roomNotFound")])
        server.answer = RoomScript.letIn
        client.room.clear()
        client.join()
        simulation.runUntilIdle()
        #expect(client.room.events.count == 2)
        #expect(server.connections.count == 1)
    }

    // MARK: Connections that are lost

    @Test func resumesWhereItWas() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.current?.say(RoomScript.batch(5, 8))
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        simulation.run { client.room.events.count == 3 }
        #expect(
            client.room.events == [
                .batch(5, 8), .interrupted("connectionLost"), .joined(8, resumed: true),
            ])
        #expect(server.joins.map(\.from) == [nil, 8])
        #expect(server.joins[0].client == server.joins[1].client)
        #expect(server.joins[0].secret == server.joins[1].secret)
    }

    @Test func waitsLongerEachTimeAndGoesOn() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.platform.kill()
        simulation.run(forMilliseconds: 60_000)
        let delays = client.room.delays
        #expect(delays.count >= 12)
        for (attempt, delay) in delays.enumerated() {
            let full: UInt64 = min(5_000, 100 << UInt64(min(attempt, 20)))
            #expect((full / 2...full).contains(delay), "attempt \(attempt): \(delay)")
        }
        #expect(Set(delays).count > 6, "the delays are not random")
        let again = try ScriptedServer(simulation)
        again.answer = RoomScript.letIn
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        #expect(again.joins.map(\.from) == [5])
        // Once a connection has lasted, the delays start again.
        for _ in 0..<60 {
            simulation.run(forMilliseconds: 1_000)
            again.current?.say(.heartbeat(Heartbeat()))
        }
        #expect(client.room.delays.count == delays.count)
        again.platform.kill()
        simulation.run { client.room.delays.count > delays.count }
        #expect(try #require(client.room.delays.last) <= 100)
    }

    /// A server that disappears without a word is noticed by its silence.
    @Test func noticesSilence() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        simulation.network.partition("client", from: "server")
        simulation.run(forMilliseconds: 2_500)
        #expect(client.room.events.isEmpty)
        simulation.run(forMilliseconds: 3_000)
        #expect(client.room.events.first == .interrupted("heartbeatTimeout"))
    }

    @Test func sendsItsRevisionsWithEveryHeartbeat() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for _ in 0..<20 {
            simulation.run(forMilliseconds: 500)
            server.current?.say(.heartbeat(Heartbeat()))
        }
        server.current?.say(RoomScript.batch(5, 6))
        simulation.run(forMilliseconds: 1_200)
        let beats = (server.current?.heard ?? []).compactMap { message in
            if case .heartbeat(let beat) = message { beat.rooms.map(\.revision) } else { nil }
        }
        #expect((10...12).contains(beats.count))
        #expect(beats.first == [5])
        #expect(beats.last == [6])
        #expect(client.room.events == [.batch(5, 6)])
    }

    @Test func aHeartbeatEndsWithItsConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        simulation.network.connections.first?.cut()
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        for _ in 0..<20 {
            simulation.run(forMilliseconds: 500)
            server.current?.say(.heartbeat(Heartbeat()))
        }
        let heard = server.current?.heard ?? []
        let count = heard.count { if case .heartbeat = $0 { true } else { false } }
        #expect((9...11).contains(count))
    }

    // MARK: Pauses

    @Test func aPauseLastsOverALostConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.session?.pauseReading(.always)
        simulation.network.connections.first?.cut()
        simulation.run { server.joins.count == 2 }
        simulation.run(forMilliseconds: 500)
        #expect(client.room.events == [.interrupted("connectionLost")])
        client.session?.resumeReading(.always)
        simulation.runUntilIdle()
        #expect(client.room.events.last == .joined(5, resumed: true))
    }

    /// A server is not silent while nobody listens to it.
    @Test func aPauseIsNoSilence() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.session?.pauseReading(.always)
        simulation.run(forMilliseconds: 20_000)
        client.session?.resumeReading(.always)
        simulation.run(forMilliseconds: 2_500)
        #expect(client.room.events.isEmpty)
        simulation.run(forMilliseconds: 3_000)
        #expect(client.room.events.first == .interrupted("heartbeatTimeout"))
    }

    @Test func goesByWhetherAnErrorMayPass() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.current?.say(RoomScript.error(.shuttingDown))
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        server.current?.say(RoomScript.error(.unavailable, .room(1)))
        simulation.run { server.connections.count == 3 && client.room.events.count == 4 }
        server.current?.say(RoomScript.error(.roomDeleted, .room(1)))
        simulation.run(forMilliseconds: 20_000)
        #expect(
            client.room.events == [
                .interrupted("shuttingDown"), .joined(5, resumed: true),
                .interrupted("unavailable"), .joined(5, resumed: true), .ended("roomDeleted"),
            ])
        #expect(server.joins.count == 3)
    }

    @Test func aBatchThatDoesNotFitLeadsToASnapshot() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.current?.say(RoomScript.batch(5, 6, sections: 3))
        simulation.run { client.room.events.last == .snapshot(5) }
        #expect(
            client.room.events == [
                .interrupted("badBatch"), .joined(5, resumed: false), .snapshot(5),
            ])
        #expect(server.joins.map(\.from) == [nil, nil])
    }

    @Test func aSnapshotMayStandInForBatches() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        server.current?.say(RoomScript.snapshot(40))
        server.current?.say(RoomScript.batch(40, 41))
        simulation.runUntilIdle()
        #expect(client.room.events == [.snapshot(40), .batch(40, 41)])
        #expect(client.membership?.replica.revision == 41)
    }

    /// Without items a client has no content, but it still applies batches only in order.
    @Test func followsWithoutItems() throws {
        let server = try ScriptedServer(simulation)
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        var options = Membership.Options()
        options.keepsItems = false
        options.from = 7
        options.everyRevision = true
        client.join(options: options)
        simulation.runUntilIdle()
        server.current?.say(RoomScript.batch(7, 8, sections: 9))
        server.current?.say(RoomScript.batch(9, 10, sections: 9))
        simulation.run { client.room.events.count == 5 }
        #expect(
            client.room.events == [
                .joined(7, resumed: true), .batch(7, 8), .interrupted("badBatch"),
                .joined(5, resumed: false), .snapshot(5),
            ])
        #expect(server.joins.map(\.everyRevision) == [true, true])
    }

    // MARK: End

    @Test func closingAnswersEverything() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        client.session?.ask(.rooms) { reply in
            if case .failed(let error) = reply { #expect(error == .closed) }
        }
        simulation.runUntilIdle()
        client.session?.close()
        #expect(client.answers == [.unknown(.closed)])
        #expect(client.room.events.last == .ended("closed"))
        simulation.runUntilIdle()
        #expect(server.current?.isClosed == true)
        #expect(client.submit() == 2)
        #expect(client.answers.count == 2)
    }
}
