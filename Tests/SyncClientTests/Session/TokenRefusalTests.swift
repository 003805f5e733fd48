import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// What becomes of a session whose token is refused, and what a broken or hostile server can make
/// a client do with its tokens.
@Suite final class TokenRefusalTests {
    let simulation = Simulation(seed: 22)
    let source = ScriptedSource()

    deinit {
        simulation.end()
    }

    private func joined(
        _ server: ScriptedServer, _ token: any TokenSource,
        then: ScriptedServer.Answer? = nil
    ) throws -> SessionFixture {
        server.answer = { connection, message in
            RoomScript.letIn(connection, message)
            then?(connection, message)
        }
        let client = try SessionFixture(simulation) { $0.token = token }
        client.open()
        client.join()
        simulation.run { client.room.events.count == 2 }
        client.room.clear()
        return client
    }

    // MARK: Refusals

    @Test(arguments: [ErrorCode.tokenExpired, .unknownKey])
    func comesBackWithAFreshToken(_ code: ErrorCode) throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        client.submit()
        simulation.run { server.submitted == [1] }
        server.current?.say(RoomScript.error(code))
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        #expect(server.submitted == [1])
        #expect(
            client.room.events == [.interrupted(code.rawValue), .joined(5, resumed: true)])
        #expect(server.tokens == ["token 1", "token 2"])
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        #expect(client.answers.count == 1)
    }

    /// A request that is lost on the way may be made again.
    @Test func whatWasAskedMayBeAskedAgain() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        var failure: ClientError?
        client.session?.ask(.rooms) { if case .failed(let error) = $0 { failure = error } }
        simulation.runUntilIdle()
        server.current?.say(RoomScript.error(.tokenExpired))
        simulation.run { failure != nil }
        #expect(failure == .server(.tokenExpired, message: "no", retry: true))
    }

    @Test(arguments: [ErrorCode.tokenExpired, .unknownKey])
    func aFixedTokenEndsWithTheSession(_ code: ErrorCode) throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, FixedToken("secret"))
        server.current?.say(
            .error(ErrorMessage(code, retry: true)))
        simulation.run(forMilliseconds: 20_000)
        #expect(client.room.events == [.ended(code.rawValue)])
        #expect(server.connections.count == 1)
    }

    /// Whatever the server says of trying again.
    @Test(
        arguments: [ErrorCode.badToken, .needsToken, .tokenRevoked, .unsecured], [false, true])
    func whatNoTokenHelpsEndsTheSession(_ code: ErrorCode, retry: Bool) throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        server.current?.say(.error(ErrorMessage(code, retry: retry)))
        simulation.run(forMilliseconds: 20_000)
        #expect(client.room.events == [.ended(code.rawValue)])
        #expect(server.connections.count == 1)
        #expect(source.count == 1)
    }

    @Test(arguments: [ErrorCode.badToken, .tokenRevoked])
    func aRenewalThatIsRefusedForGoodEndsTheSession(_ code: ErrorCode) throws {
        let server = try ScriptedServer(simulation)
        server.tokenMilliseconds = 2_000
        let client = try joined(server, source) { connection, message in
            guard case .renew(let renew) = message else { return }
            connection.say(RoomScript.error(code, .request(renew.request)))
        }
        simulation.run(forMilliseconds: 2_500)
        #expect(client.room.events == [.ended(code.rawValue)])
    }

    @Test func theFirstRefusalIsReported() throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        server.answer = { connection, _ in connection.say(RoomScript.error(.tokenExpired)) }
        let client = try SessionFixture(simulation) { $0.token = self.source }
        client.open()
        #expect(client.opened == .failure(.server(.tokenExpired, message: "no", retry: false)))
        simulation.run(forMilliseconds: 20_000)
        #expect(server.connections.count == 1)
    }

    /// A program that has logged its user out says so.
    @Test func aSourceMayEndTheSession() throws {
        let server = try ScriptedServer(simulation)
        server.tokenMilliseconds = 2_000
        let client = try joined(server, source)
        source.failures = 1
        source.failure = .noToken(code: "loggedOut", message: "bye", retry: false)
        simulation.run(forMilliseconds: 2_500)
        #expect(client.room.events == [.ended("loggedOut")])
    }

    /// The source fails twice while the session reconnects.
    @Test func aSourceMayFailBetweenConnections() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        source.failures = 2
        server.current?.close()
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        #expect(
            client.room.events == [
                .interrupted("connectionLost"), .interrupted("noToken"), .interrupted("noToken"),
                .joined(5, resumed: true),
            ])
        #expect(server.tokens == ["token 1", "token 4"])
    }

    // MARK: Hostile servers

    /// However long the server says that a token lasts.
    @Test(arguments: [1, 2, 999, 1 << 32, 1 << 63, UInt64.max])
    func anyLifetime(_ milliseconds: UInt64) throws {
        let server = try ScriptedServer(simulation)
        server.tokenMilliseconds = milliseconds
        let client = try joined(server, source) { connection, message in
            guard case .renew(let renew) = message else { return }
            connection.say(
                .renewed(Renewed(request: renew.request, tokenMilliseconds: milliseconds)))
        }
        for _ in 0..<60 {
            simulation.run(forMilliseconds: 500)
            server.current?.say(.heartbeat(Heartbeat()))
        }
        #expect(source.count <= 31, "the source is asked at most once a second")
        #expect((source.count == 1) == (milliseconds > 1_000))
        #expect(client.room.events.isEmpty)
        #expect(server.connections.count == 1)
    }

    /// A server that lets the client in and at once calls its token expired.
    @Test(arguments: [0, 150, 900]) func aServerThatLikesNoToken(after delay: UInt64) throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        var seen = 0
        for _ in 0..<600 {
            simulation.run(forMilliseconds: 100)
            guard server.connections.count > seen, let connection = server.current else { continue }
            simulation.run(forMilliseconds: delay)
            seen = server.connections.count
            connection.say(RoomScript.error(.tokenExpired))
        }
        let seconds = Int(simulation.nowMicroseconds / 1_000_000)
        #expect(source.count > 5)
        #expect(source.count <= seconds + 1)
        #expect(zip(source.times, source.times.dropFirst()).allSatisfy { $1 - $0 >= 1_000 })
        #expect(!client.room.hasEnded)
    }

    /// A source that never answers, nor ends when it is cancelled, is asked once.
    @Test func aSourceThatHangsIsAskedOnce() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        source.answers = false
        server.current?.close()
        simulation.run(forMilliseconds: 120_000)
        #expect(source.count == 2)
        #expect(source.cancelled == 1)
        #expect(client.room.delays.count > 5)
    }

    /// A source that ends late, since it was cancelled, is asked anew within the same attempt.
    @Test func aSourceThatEndsLateFailsNobody() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, source)
        source.answers = false
        server.current?.close()
        // The first attempt has timed out, and the second one waits.
        simulation.run(forMilliseconds: 11_000)
        #expect(client.room.events == [.interrupted("connectionLost"), .interrupted("noToken")])
        source.answers = true
        source.failures = 1
        source.answer()
        simulation.run(forMilliseconds: 100)
        #expect(source.count == 3)
        #expect(client.room.events.last == .joined(5, resumed: true))
    }
}

extension ErrorMessage {
    /// An error of the connection that says whatever a server likes of trying again.
    fileprivate init(_ code: ErrorCode, retry: Bool) {
        self.init(code, "no")
        self.retry = retry
    }
}
