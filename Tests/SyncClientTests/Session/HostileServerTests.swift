import EngineTwin
import ModelSupport
import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A server that sends whatever it likes without end. The memory of the client is bounded.
@Suite final class HostileServerTests {
    let simulation = Simulation(seed: 11)

    deinit {
        simulation.end()
    }

    private static let roomBytes = 100_000

    private static func id(_ text: String) -> Identifier {
        (try? Identifier(text)) ?? ModelSupport.id("x")
    }

    private static func item(_ number: Int, bytes: Int = 1_000) -> Item {
        let field = Field(
            name: id("f"), value: .text(String(repeating: "x", count: bytes)))
        return Item(
            id: id("item-\(number)"),
            content: (try? ItemContent(fields: [field])) ?? ItemContent())
    }

    private static func part(
        _ channel: Channel, _ number: Int, isLast: Bool = false
    ) -> ServerMessage {
        let items = (0..<10).map { item(number * 10 + $0) }
        let section = number == 0 ? ListSection(id: id("main")) : nil
        return .snapshot(
            SnapshotPart(
                channel: channel, revision: 5,
                pieces: [SnapshotPart.Piece(section: section, items: items)],
                isFirst: number == 0, isLast: isLast, totalItems: 10))
    }

    /// A client in a room of which the server has sent nothing yet.
    private func join(
        _ server: ScriptedServer, options: Membership.Options = Membership.Options(),
        answer: @escaping (ScriptedConnection, ClientMessage) -> Void = { _, _ in }
    ) throws -> SessionFixture {
        server.answer = { connection, message in
            if case .join(let join) = message {
                connection.say(RoomScript.joined(join, revision: 5, resumed: false))
            }
            answer(connection, message)
        }
        let client = try SessionFixture(simulation) { options in
            options.limits.roomBytes = Self.roomBytes
            options.limits.presenceBytes = 10_000
            options.limits.viewElements = 100
            options.limits.viewBytes = 20_000
            options.limits.listBytes = 10_000
            options.limits.requests = 8
        }
        client.open()
        client.join(options: options)
        simulation.run { !client.room.events.isEmpty }
        return client
    }

    /// Sends messages until the client has left the room, which must happen soon.
    private func flood(
        _ server: ScriptedServer, _ client: SessionFixture, atMost most: Int = 500,
        _ message: (Int) -> ServerMessage
    ) throws {
        let connection = try #require(server.current)
        var number = 0
        while !client.room.hasEnded, number < most {
            connection.say(message(number))
            number += 1
            simulation.run(forMilliseconds: 5)
        }
        simulation.run(forMilliseconds: 200)
        #expect(client.room.events.last == .ended("clientLimit"), "after \(number) messages")
        #expect(server.connections.count == 1, "only the room is left")
        let hasLeft = server.heard.contains { if case .leave = $0 { true } else { false } }
        #expect(hasLeft)
    }

    @Test func aSnapshotThatNeverEnds() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        try flood(server, client) { Self.part(.room(1), $0) }
    }

    @Test func aBatchThatNeverEnds() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        server.current?.say(RoomScript.snapshot(5))
        try flood(server, client, atMost: 5_000) { number in
            var stage = Stage()
            stage.deletes = (0..<100).map { ItemPath(section: number, item: $0) }
            return .batch(
                BatchMessage(
                    channel: .room(1),
                    batch: Batch(from: 5, to: 6, stages: [stage], sections: 1), hasMore: true))
        }
    }

    /// Each batch is small and fits, but the room becomes too large.
    @Test func aRoomThatGrowsForEver() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        server.current?.say(Self.part(.room(1), 0, isLast: true))
        try flood(server, client) { number in
            var stage = Stage()
            stage.inserts = [
                Stage.PlacedItem(
                    path: ItemPath(section: 0, item: 0), item: Self.item(1_000 + number))
            ]
            let revision = Revision(5 + number)
            return .batch(
                BatchMessage(
                    channel: .room(1),
                    batch: Batch(
                        from: revision, to: revision + 1, stages: [stage], sections: 1,
                        counts: [SectionCount(section: 0, items: 11 + number)])))
        }
    }

    /// Batches that wait for an answer that never comes.
    @Test func batchesBehindAnAnswerThatNeverComes() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        server.current?.say(RoomScript.snapshot(5))
        client.submit([])
        simulation.run { !server.submitted.isEmpty }
        server.current?.close()
        simulation.run { server.submitted.count == 1 && server.connections.count == 2 }
        let connection = try #require(server.current)
        connection.say(RoomScript.snapshot(5))
        var number = 0
        while !client.room.hasEnded, number < 50_000 {
            connection.say(RoomScript.batch(Revision(5 + number), Revision(6 + number)))
            number += 1
            if number % 100 == 0 { simulation.run(forMilliseconds: 5) }
        }
        #expect(client.room.events.last == .ended("clientLimit"), "after \(number) batches")
    }

    @Test func moreMembersThanAnyRoomHas() throws {
        let server = try ScriptedServer(simulation)
        var options = Membership.Options()
        options.presence = true
        let client = try join(server, options: options)
        try flood(server, client) { number in
            .presenceUpdate(PresenceUpdate(room: 1, client: Self.id("c\(number)"), user: "x"))
        }
    }

    /// Members that come and go again take no memory.
    @Test func membersWhoLeaveAreForgotten() throws {
        let server = try ScriptedServer(simulation)
        var options = Membership.Options()
        options.presence = true
        let client = try join(server, options: options)
        for number in 0..<1_000 {
            let id = Self.id("c\(number)")
            server.current?.say(.presenceUpdate(PresenceUpdate(room: 1, client: id)))
            server.current?.say(.presenceUpdate(PresenceUpdate(room: 1, client: id, left: true)))
            if number % 50 == 0 { simulation.run(forMilliseconds: 5) }
        }
        simulation.run(forMilliseconds: 5)
        #expect(!client.room.hasEnded)
        #expect(client.membership?.others.isEmpty == true)
    }

    @Test(arguments: [(50, 10), (1, 2_000)])
    func aScreenThatGrowsForEver(elements: Int, bytes: Int) throws {
        let server = try ScriptedServer(simulation)
        var options = Membership.Options()
        options.isViewOnly = true
        let client = try join(server, options: options)
        let membership = try #require(client.membership)
        let view = try #require(
            client.session?.openView(
                of: membership, layout: ViewLayout(.flow), bounds: ListRect(), overscan: 0))
        var key: UInt32 = 0
        for number in 1...100 where client.room.events.last != .viewEnded(view, "clientLimit") {
            var update = ViewUpdate(
                room: 1, view: view, number: UInt64(number), revision: 5, isFirst: number == 1)
            update.appeared = (0..<elements).map { index in
                key += 1
                let item = Self.item(Int(key), bytes: bytes)
                update.items.append(item)
                let element = LayoutElement(
                    .cell(ItemPath(section: 0, item: Int(key))), frame: ListRect())
                return ViewUpdate.Appeared(
                    key: key, element: element, of: item.id)
            }
            server.current?.say(.viewUpdate(update))
            simulation.run(forMilliseconds: 5)
        }
        simulation.run(forMilliseconds: 200)
        #expect(client.room.events.last == .viewEnded(view, "clientLimit"))
        let closes = server.heard.contains { message in
            if case .view(let request) = message { request.isClosed } else { false }
        }
        #expect(closes, "the server gets the close of the view")
    }

    @Test func answersThatNeverEnd() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        var codes: [String] = []
        func note(_ reply: Reply) {
            if case .failed(let error) = reply { codes.append(error.code) }
        }
        let name = try #require(RoomName("room"))
        client.session?.ask(.rooms) { note($0) }
        client.session?.ask(.history(name, from: 0, until: nil, everyRevision: false)) { note($0) }
        simulation.run { server.heard.count >= 4 }
        for message in server.heard {
            for _ in 0..<2_000 {
                switch message {
                case .listRooms(let list):
                    let entry = RoomList.Entry(name: name, revision: 1, members: 0)
                    server.current?.say(
                        .roomList(RoomList(request: list.request, rooms: [entry], hasMore: true)))
                case .readHistory(let read):
                    var stage = Stage()
                    stage.deletes = (0..<100).map { ItemPath(section: 0, item: $0) }
                    server.current?.say(
                        .batch(
                            BatchMessage(
                                channel: .request(read.request),
                                batch: Batch(from: 1, to: 2, stages: [stage], sections: 1),
                                hasMore: true)))
                default: break
                }
            }
            simulation.run(forMilliseconds: 200)
        }
        #expect(codes == ["clientLimit", "clientLimit"])
        // Further requests to a server that never answers fail at once.
        for _ in 0..<10 { client.session?.ask(.rooms) { note($0) } }
        #expect(codes.count == 4)
        #expect(!client.room.hasEnded)
    }

    @Test(arguments: [RoomScript.snapshot(6), RoomScript.batch(5, 6)])
    func contentForAMemberWithViewsOnly(message: ServerMessage) throws {
        let server = try ScriptedServer(simulation)
        var options = Membership.Options()
        options.isViewOnly = true
        let client = try join(server, options: options)
        server.current?.say(message)
        simulation.run { client.room.events.count >= 2 }
        let joined = RoomListener.Event.joined(5, resumed: false)
        #expect(client.room.events == [joined, .interrupted("badMessage")])
    }

    /// A server that asks for heartbeats all the time, and reads none of them.
    @Test func heartbeatsThatNobodyReads() throws {
        simulation.conditions.socketBufferBytes = 600
        let server = try ScriptedServer(simulation)
        server.heartbeatMilliseconds = 1
        let client = try SessionFixture(simulation) { $0.maximumBufferedBytes = 1_000 }
        client.open()
        client.session?.pauseReading(.always)
        let connection = try #require(server.current)
        connection.isReadingPaused = true
        simulation.run(forMilliseconds: 10_000)
        connection.isReadingPaused = false
        #expect(server.connections.count == 1, "the connection goes on")
        simulation.run(forMilliseconds: 200)
        // Those of 200 ms, and what was buffered: a heartbeat has at least two bytes.
        #expect((300...1_200).contains(connection.heard.count), "\(connection.heard.count)")
    }

    /// A server that accepts each new token before it has read it, for a moment only.
    @Test func tokensThatNobodyReads() throws {
        let server = try ScriptedServer(simulation)
        (server.heartbeatMilliseconds, server.tokenMilliseconds) = (600_000, 1)
        // So the tokens are not deflated.
        server.features = []
        let source = ScriptedSource()
        source.padding = String(repeating: "x", count: 8_000)
        let client = try SessionFixture(simulation) { options in
            options.token = source
            options.maximumBufferedBytes = 20_000
        }
        client.open()
        client.join()
        let connection = try #require(server.current)
        connection.isReadingPaused = true
        for _ in 0..<100 where server.connections.count == 1 {
            for request: RequestID in 1...100 {
                connection.say(.renewed(Renewed(request: request, tokenMilliseconds: 1)))
            }
            simulation.run(forMilliseconds: 1_000)
        }
        #expect(client.room.events == [.interrupted("badMessage")], "\(source.count) tokens")
    }

    @Test func aSentenceThatIsTooLong() throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        var message = ""
        client.session?.ask(.rooms) { reply in
            if case .failed(let error) = reply { message = error.message }
        }
        simulation.run { server.heard.count >= 3 }
        guard case .listRooms(let list)? = server.heard.last else { return }
        server.current?.say(
            .error(
                ErrorMessage(
                    .internalError, String(repeating: "é", count: 100_000),
                    about: .request(list.request))))
        simulation.run(forMilliseconds: 200)
        #expect(message.utf8.count > 4_000 && message.utf8.count < 4_200)
    }

    /// A greeting is short, whatever limit the server announces.
    @Test func aGreetingThatIsTooLong() throws {
        let server = try ScriptedServer(simulation)
        server.greets = false
        server.answer = { connection, _ in
            connection.sayRaw([0x80, 0x80, 0x08] + [UInt8](repeating: 0, count: 1_000))
        }
        let client = try SessionFixture(simulation)
        client.open()
        guard case .failure(let error)? = client.opened else {
            Issue.record("the greeting is accepted")
            return
        }
        #expect(error.code == "frameTooLarge")
    }

    /// A revision that no server makes would come back in whatever the client bases on it.
    @Test(arguments: [UInt64(1) << 53, .max])
    func aRevisionThatIsTooGreat(revision: Revision) throws {
        let server = try ScriptedServer(simulation)
        let client = try join(server)
        server.current?.say(RoomScript.snapshot(revision))
        simulation.run { client.room.events.count >= 2 }
        let joined = RoomListener.Event.joined(5, resumed: false)
        #expect(client.room.events == [joined, .interrupted("badMessage")])
        #expect(client.membership?.revision == nil)
    }

    /// A server that says the last number of all was used leaves none to send.
    @Test func noNumberIsLeft() throws {
        let server = try ScriptedServer(simulation)
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(
                RoomScript.joined(
                    join, revision: 5, resumed: false, counter: WireProtocol.greatestNumber))
            connection.say(RoomScript.snapshot(5))
        }
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.run { client.room.events.count >= 2 }
        for _ in 0..<2 { client.submit() }
        simulation.run(forMilliseconds: 200)
        let codes: [Rejection.Code?] = client.answers.map { answer in
            if case .rejected(let rejection) = answer { rejection.code } else { nil }
        }
        #expect(codes == [.malformed, .malformed])
        #expect(server.submitted.isEmpty && client.membership?.isAllAnswered == true)
    }
}
