import EngineTwin
import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// The presence of other members, in a session and over lost connections.
@Suite final class PresenceTests {
    let simulation = Simulation(seed: 12)

    deinit {
        simulation.end()
    }

    // MARK: Script

    /// A client in a room of revision 5 with the items `a` and `b`.
    private func joined(
        _ server: ScriptedServer, change: (inout Membership.Options) -> Void = { _ in }
    ) throws -> SessionFixture {
        let snapshot = try self.snapshot(5, ["a", "b"])
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(
                RoomScript.joined(join, revision: join.from ?? 5, resumed: join.from != nil))
            if join.from == nil, !join.viewOnly { connection.say(snapshot) }
        }
        let client = try SessionFixture(simulation)
        client.open()
        var options = Membership.Options()
        options.presence = true
        change(&options)
        client.join(options: options)
        simulation.runUntilIdle()
        client.room.clear()
        return client
    }

    private func snapshot(_ revision: Revision, _ items: [String]) throws -> ServerMessage {
        .snapshot(
            SnapshotPart(
                channel: .room(1), revision: revision,
                pieces: [
                    SnapshotPart.Piece(
                        section: ListSection(id: Identifier("main")),
                        items: try items.map { Item(id: try Identifier($0)) })
                ], isFirst: true, isLast: true, totalItems: UInt64(items.count)))
    }

    /// A batch that deletes the first of two items, or inserts an item before them.
    private func batch(
        _ from: Revision, deletesFirst: Bool = false, inserts id: String? = nil
    ) throws -> ServerMessage {
        var stage = Stage()
        let first = ItemPath(section: 0, item: 0)
        if deletesFirst { stage.deletes = [first] }
        if let id {
            stage.inserts = [Stage.PlacedItem(path: first, item: Item(id: try Identifier(id)))]
        }
        let count = 2 - stage.deletes.count + stage.inserts.count
        return .batch(
            BatchMessage(
                channel: .room(1),
                batch: Batch(
                    from: from, to: from + 1, stages: [stage], sections: 1,
                    counts: [SectionCount(section: 0, items: count)])))
    }

    private func say(_ server: ScriptedServer, _ message: ServerMessage) {
        server.current?.say(message)
        simulation.runUntilIdle()
    }

    private func update(
        _ client: String, _ selected: [String] = [], left: Bool = false
    ) throws -> ServerMessage {
        .presenceUpdate(
            PresenceUpdate(
                room: 1, client: try Identifier(client), user: left ? "" : "user",
                state: try state(selected), left: left))
    }

    private func state(_ selected: [String]) throws -> PresenceState {
        PresenceState(selected: try selected.map { id throws in try Identifier(id) })
    }

    private func show(_ client: SessionFixture, _ selected: String...) throws {
        let membership = try #require(client.membership)
        client.session?.setPresence(try state(selected), of: membership)
    }

    /// The selections of this member that the newest connection was sent.
    private func sentSelections(_ server: ScriptedServer) -> [[String]] {
        server.heard.compactMap { message in
            guard case .presence(let presence) = message else { return nil }
            return presence.state.selected.map(\.text)
        }
    }

    // MARK: Own presence

    @Test func joinsWithPresenceAndShows() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        #expect(server.joins.map(\.presence) == [true])
        try show(client, "a")
        simulation.runUntilIdle()
        try show(client, "a", "b")
        simulation.runUntilIdle()
        #expect(sentSelections(server) == [["a"], ["a", "b"]])
    }

    /// A queued presence is replaced by a later one.
    @Test func onlyTheLatestWaits() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        for index in 0..<100 { try show(client, "i\(index)") }
        simulation.runUntilIdle()
        #expect(sentSelections(server) == [["i0"], ["i99"]])
    }

    /// A member can select an item that it has just inserted.
    @Test func whatWasSubmittedBeforeIsThereBefore() throws {
        let server = try ScriptedServer(simulation)
        server.unansweredTransactions = 2
        let client = try joined(server)
        for _ in 0..<3 { client.submit() }
        try show(client, "new")
        client.submit()
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2])
        #expect(sentSelections(server) == [])
        say(server, RoomScript.ack(1, 6))
        #expect(server.submitted == [1, 2, 3])
        #expect(sentSelections(server) == [["new"]])
        // The refused insert is resent, so the presence is sent again behind it.
        say(server, RoomScript.reject(2, .unavailable))
        say(server, RoomScript.reject(3, .unavailable))
        simulation.run { sentSelections(server).count == 2 }
        #expect(server.submitted == [1, 2, 3, 2, 3])
        #expect(sentSelections(server) == [["new"], ["new"]])
    }

    @Test func showsAgainOnTheNextConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        client.submit()
        try show(client, "a")
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        simulation.run { server.connections.count == 2 && !sentSelections(server).isEmpty }
        #expect(server.joins.map(\.presence) == [true, true])
        #expect(sentSelections(server) == [["a"]])
        #expect(server.submitted == [1], "the resent transaction comes first")
    }

    @Test func whoShowsNothingSaysNothing() throws {
        let server = try ScriptedServer(simulation)
        _ = try joined(server)
        simulation.network.connections.first?.cut()
        simulation.run { server.joins.count == 2 }
        simulation.runUntilIdle()
        #expect(sentSelections(server) == [])
    }

    /// A server without presence is not asked for it, and nothing waits for it.
    @Test func aServerWithoutPresenceIsNotAsked() throws {
        let server = try ScriptedServer(simulation)
        server.features = .deflate
        let client = try joined(server)
        try show(client, "a")
        client.submit()
        simulation.runUntilIdle()
        #expect(server.joins.map(\.presence) == [false])
        #expect(sentSelections(server) == [])
        #expect(server.submitted == [1])
    }

    // MARK: Presence of others

    @Test func seesTheOthers() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        say(server, try update("anna", ["b", "a"]))
        say(server, try update("bert"))
        say(server, try update("anna", ["a"]))
        say(server, try update("bert", left: true))
        say(server, try update("cora", left: true))
        #expect(
            client.room.events == [
                .sees("anna", ["b", "a"]), .sees("bert", []), .sees("anna", ["a"]),
                .sees("bert", nil),
            ])
        let others = try #require(client.membership).others
        #expect(others.keys.map(\.text) == ["anna"])
        #expect(others.values.map(\.user) == ["user"])
    }

    @Test func allAreGoneAtOnce() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        say(server, try update("anna", ["a"]))
        say(server, .presenceUpdate(PresenceUpdate(room: 1, client: nil, left: true)))
        say(server, try update("bert"))
        #expect(
            client.room.events == [.sees("anna", ["a"]), .sees("anna", nil), .sees("bert", [])])
    }

    /// Deleted items are removed from selections; missing ones appear with their batch.
    @Test func onlyItemsThatAreThereAreSeen() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        say(server, try update("anna", ["a", "b", "new"]))
        say(server, try batch(5, deletesFirst: true, inserts: "new"))
        say(server, try update("bert", ["a", "b"]))
        say(server, try snapshot(9, ["b"]))
        #expect(
            client.room.events == [
                .sees("anna", ["a", "b"]), .batch(5, 6), .sees("anna", ["b", "new"]),
                .sees("bert", ["b"]), .snapshot(9), .sees("anna", ["b"]),
            ])
    }

    /// A client without a replica can't know which items exist.
    @Test func aClientWithoutAReplicaSeesAll() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server) { $0.isViewOnly = true }
        #expect(server.joins.map(\.presence) == [true])
        say(server, try update("anna", ["a", "nowhere"]))
        #expect(client.room.events == [.sees("anna", ["a", "nowhere"])])
    }

    @Test func nobodyIsThereWithoutAConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        say(server, try update("anna", ["a"]))
        client.room.clear()
        simulation.network.connections.first?.cut()
        simulation.run { server.joins.count == 2 }
        simulation.runUntilIdle()
        say(server, try update("bert"))
        #expect(
            client.room.events == [
                .sees("anna", nil), .interrupted("connectionLost"), .joined(5, resumed: true),
                .sees("bert", []),
            ])
    }

    /// A client that leaves is not notified that all others are gone.
    @Test func leavingHasNoEventsOfOthers() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        say(server, try update("anna", ["a"]))
        client.room.clear()
        client.session?.leave(try #require(client.membership))
        #expect(client.room.events == [.ended("closed")])
        #expect(client.membership?.others.isEmpty == true)
    }
}
