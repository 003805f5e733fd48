import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire
import Testing

/// The tokens that a session shows: to a server that says only what a test has it say.
@Suite final class TokenTests {
    let simulation = Simulation(seed: 21)
    let source = ScriptedSource()

    deinit {
        simulation.end()
    }

    private func client(
        _ host: String = "127.0.0.1", change: (inout SessionOptions) -> Void = { _ in }
    ) throws -> SessionFixture {
        try SessionFixture(
            simulation, address: SocketAddress(host: host, port: 7420)
        ) { options in
            options.token = source
            change(&options)
        }
    }

    /// A server whose tokens last that long, and a client that has joined a room there.
    private func joined(
        _ server: ScriptedServer, _ milliseconds: UInt64, then: ScriptedServer.Answer? = nil
    ) throws -> SessionFixture {
        server.tokenMilliseconds = milliseconds
        server.answer = { connection, message in
            RoomScript.letIn(connection, message)
            then?(connection, message)
        }
        let client = try client()
        client.open()
        client.join()
        simulation.run { client.room.events.count == 2 }
        client.room.clear()
        return client
    }

    /// Keeps the connection alive for a while.
    private func pass(_ milliseconds: UInt64, _ server: ScriptedServer) {
        for _ in 0..<(milliseconds / 500) {
            simulation.run(forMilliseconds: 500)
            server.current?.say(.heartbeat(Heartbeat()))
        }
    }

    // MARK: The hello

    @Test func helloHasTheToken() throws {
        let server = try ScriptedServer(simulation)
        let client = try client()
        client.open()
        #expect(server.tokens == ["token 1"])
        #expect(source.count == 1)
    }

    @Test func aFixedTokenIsShownEachTime() throws {
        let server = try ScriptedServer(simulation)
        server.tokenMilliseconds = 10_000
        let client = try client { $0.token = FixedToken("secret") }
        client.open()
        pass(9_500, server)
        simulation.network.connections.first?.cut()
        simulation.run { server.tokens.count == 2 }
        #expect(server.tokens == ["secret", "secret"])
        #expect(server.renewals.isEmpty, "the same token would change nothing")
    }

    /// Not before the token is there is the connection opened.
    @Test func aSourceThatNeverAnswersIsATimeout() throws {
        let server = try ScriptedServer(simulation)
        source.answers = false
        let client = try client { $0.handshakeMilliseconds = 700 }
        client.open()
        guard case .failure(.noToken("noToken", _, retry: true)) = client.opened else {
            Issue.record("\(String(describing: client.opened))")
            return
        }
        #expect(simulation.nowMicroseconds < 800_000)
        #expect(server.connections.isEmpty)
        #expect(source.cancelled == 1)
    }

    /// The end of a session ends the request.
    @Test func closingCancelsTheRequest() throws {
        _ = try ScriptedServer(simulation)
        source.answers = false
        let client = try client()
        simulation.run(forMilliseconds: 100)
        client.session?.close()
        #expect(client.opened == .failure(.closed))
        #expect(source.cancelled == 1)
        source.answer()
        simulation.run(forMilliseconds: 100)
        #expect(simulation.network.connections.isEmpty)
    }

    @Test(arguments: [0, 8_193]) func whatIsNoTokenIsNotShown(bytes: Int) throws {
        let server = try ScriptedServer(simulation)
        let client = try client { $0.token = FixedToken(String(repeating: "x", count: bytes)) }
        client.open()
        guard case .failure(.noToken("noToken", _, _)) = client.opened else {
            Issue.record("\(String(describing: client.opened))")
            return
        }
        #expect(server.connections.isEmpty)
    }

    @Test func aTokenHasNoDescription() {
        let token = AccessToken("secret")
        #expect(!"\(token) \(String(reflecting: token)) \([token])".contains("secret"))
        var dumped = ""
        dump(FixedToken("secret"), to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    // MARK: Plain connections

    @Test func noTokenLeavesTheMachineUnsecured() throws {
        let client = try client("10.0.0.1")
        client.open()
        #expect(client.opened == .failure(.plainToken))
        #expect(ClientError.plainToken.code == "unsecured")
        #expect(simulation.network.connections.isEmpty)
        #expect(source.count == 0)
    }

    @Test func anOptionAllowsIt() throws {
        let client = try client("10.0.0.1") { $0.sendsTokenInClear = true }
        client.open()
        guard case .failure(.connection(.unreachable)) = client.opened else {
            Issue.record("\(String(describing: client.opened))")
            return
        }
        #expect(source.count == 1)
    }

    // MARK: Renewal

    @Test func renewsBeforeTheEnd() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 60_000) { connection, message in
            if case .renew(let renew) = message {
                connection.say(.renewed(Renewed(request: renew.request, tokenMilliseconds: 40_000)))
            }
        }
        pass(41_500, server)
        #expect(server.renewals.isEmpty)
        pass(13_500, server)
        #expect(server.renewals.map(\.token.shown) == ["token 2"])
        pass(14_500, server)
        #expect(server.renewals.count == 1, "the new token lasts for 40 seconds")
        pass(21_000, server)
        #expect(server.renewals.map(\.token.shown) == ["token 2", "token 3"])
        #expect(server.connections.count == 1)
        #expect(client.room.events.isEmpty)
    }

    /// Clients that came at once don't come back at once.
    @Test func renewsAtARandomTime() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 100_000) { connection, message in
            if case .renew(let renew) = message {
                connection.say(
                    .renewed(Renewed(request: renew.request, tokenMilliseconds: 100_000)))
            }
        }
        pass(910_000, server)
        let times = source.times
        let delays = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(delays.count >= 10)
        #expect(delays.allSatisfy { (70_000...90_100).contains($0) }, "\(delays)")
        #expect((delays.max() ?? 0) - (delays.min() ?? 0) > 10_000)
        #expect(client.room.events.isEmpty)
    }

    @Test func asksAgainAfterAFailure() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 60_000) { connection, message in
            if case .renew(let renew) = message {
                connection.say(.renewed(Renewed(request: renew.request, tokenMilliseconds: 60_000)))
            }
        }
        source.failures = 2
        pass(58_000, server)
        #expect(source.count == 4, "one hello, two failures, one renewal")
        #expect(server.renewals.map(\.token.shown) == ["token 4"])
        let delays = zip(source.times.dropFirst(), source.times.dropFirst(2)).map { $1 - $0 }
        #expect(delays.count == 2)
        #expect((1_000...1_010).contains(delays[0]), "\(delays)")
        #expect((1_000...2_010).contains(delays[1]), "\(delays)")
        #expect(client.room.events.isEmpty)
    }

    /// A source without a token is not asked for ever.
    @Test func givesUpAtTheEndOfTheToken() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 600_000)
        source.failures = .max
        pass(600_000, server)
        let count = source.count
        #expect(count >= 7)
        let times = source.times.dropFirst()
        for (attempt, delay) in zip(times, times.dropFirst()).map({ $1 - $0 }).enumerated() {
            let full: UInt64 = min(60_000, 1_000 << UInt64(min(attempt, 20)))
            #expect((max(1_000, full / 2)...full + 10).contains(delay), "\(attempt): \(delay)")
        }
        pass(600_000, server)
        #expect(source.count == count)
        #expect(client.room.events.isEmpty)
    }

    @Test func anAnswerThatIsNotAwaitedIsIgnored() throws {
        let server = try ScriptedServer(simulation)
        var request: RequestID = 0
        let client = try joined(server, 60_000) { _, message in
            if case .renew(let renew) = message { request = renew.request }
        }
        for number: RequestID in 0..<5 {
            server.current?.say(.renewed(Renewed(request: number, tokenMilliseconds: 1)))
        }
        pass(5_000, server)
        #expect(source.count == 1)
        pass(50_000, server)
        #expect(server.renewals.count == 1)
        server.current?.say(.renewed(Renewed(request: request, tokenMilliseconds: 100_000)))
        server.current?.say(.renewed(Renewed(request: request, tokenMilliseconds: 1)))
        pass(60_000, server)
        #expect(server.renewals.count == 1, "the second answer counted")
        #expect(client.room.events.isEmpty)
    }

    /// Between two connections only the next hello needs a token.
    @Test func aRenewalNeedsAConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 10_000)
        pass(5_000, server)
        source.answers = false
        simulation.network.connections.first?.cut()
        simulation.run(forMilliseconds: 5_000)
        source.answer()
        simulation.run(forMilliseconds: 1_000)
        #expect(client.room.events.last == .joined(5, resumed: true))
        #expect(server.tokens == ["token 1", "token 2"])
    }

    /// The timer of a lost connection's token ends with it.
    @Test func aRenewalEndsWithItsConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 10_000)
        server.tokenMilliseconds = 1_000_000
        simulation.network.connections.first?.cut()
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        pass(20_000, server)
        #expect(source.count == 2)
        #expect(server.renewals.isEmpty)
    }

    /// The answer that came too late for a renewal serves the next connection.
    @Test func aRequestOutlivesItsConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 10_000)
        source.answers = false
        pass(9_500, server)
        #expect(source.count == 2)
        simulation.network.connections.first?.cut()
        simulation.run(forMilliseconds: 500)
        #expect(source.count == 2)
        source.answers = true
        source.answer()
        simulation.run { client.room.events.last == .joined(5, resumed: true) }
        #expect(server.tokens == ["token 1", "token 2"])
        #expect(source.cancelled == 0)
    }

    /// A server may refuse a renewal for now, and the connection goes on with its old token.
    @Test(arguments: [ErrorCode.tokenExpired, .unknownKey, .unavailable])
    func aRefusedRenewalIsTriedAgain(_ code: ErrorCode) throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 60_000) { connection, message in
            guard case .renew(let renew) = message else { return }
            connection.say(
                renew.token.isSame(as: "token 4")
                    ? .renewed(Renewed(request: renew.request, tokenMilliseconds: 60_000))
                    : RoomScript.error(code, .request(renew.request)))
        }
        pass(58_000, server)
        #expect(server.renewals.map(\.token.shown) == ["token 2", "token 3", "token 4"])
        #expect(client.room.events.isEmpty)
    }

    /// A server that knows no renewals is asked once.
    @Test func aServerWithoutRenewalsIsLeftAlone() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server, 60_000) { connection, message in
            guard case .renew(let renew) = message else { return }
            connection.say(RoomScript.error(.unsupported, .request(renew.request)))
        }
        pass(60_000, server)
        #expect(server.renewals.count == 1)
        #expect(client.room.events.isEmpty)
    }
}
