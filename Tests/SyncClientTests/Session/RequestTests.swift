import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

@Suite final class RequestTests {
    let simulation = Simulation(seed: 3)

    deinit {
        simulation.end()
    }

    /// The replies to a request, as text.
    private final class Replies {
        var list: [String] = []

        func add(_ reply: Reply) {
            switch reply {
            case .rooms(let rooms): list += rooms.map { "room \($0.name)" }
            case .stats(let stats): list.append("revision \(stats.revision)")
            case .part(let part): list.append("part \(part.revision)")
            case .batch(let batch): list.append("batch \(batch.from) \(batch.to)")
            case .items(let items): list.append("items \(items.revision)")
            case .done: list.append("done")
            case .failed(let error): list.append("failed \(error.code)")
            }
        }
    }

    private func ask(_ question: Question, of client: SessionFixture) -> Replies {
        let replies = Replies()
        client.session?.ask(question) { replies.add($0) }
        return replies
    }

    @Test func givesAllAnswersAndOneEnd() throws {
        let server = try ScriptedServer(simulation)
        let name = try #require(RoomName("room"))
        server.answer = { connection, message in
            switch message {
            case .listRooms(let list):
                let entry = RoomList.Entry(name: name, revision: 1, members: 0)
                connection.say(
                    .roomList(RoomList(request: list.request, rooms: [entry], hasMore: true)))
                connection.say(.roomList(RoomList(request: list.request, rooms: [entry])))
            case .readHistory(let read):
                for part in 0..<2 {
                    connection.say(
                        .batch(
                            BatchMessage(
                                channel: .request(read.request),
                                batch: Batch(from: 1, to: 9, sections: 0), hasMore: part == 0)))
                }
                connection.say(.done(Done(request: read.request)))
            case .readStats(let read):
                connection.say(RoomScript.error(.roomNotFound, .request(read.request)))
            default: break
            }
        }
        let client = try SessionFixture(simulation)
        // Requests that are made before there is a connection wait for one.
        let rooms = ask(.rooms, of: client)
        let history = ask(.history(name, from: 1, until: 9, everyRevision: false), of: client)
        let stats = ask(.stats(name), of: client)
        client.open()
        simulation.runUntilIdle()
        #expect(rooms.list == ["room room", "room room", "done"])
        #expect(history.list == ["batch 1 9", "done"])
        #expect(stats.list == ["failed roomNotFound"])
    }

    @Test func itemsAreAskedForOnlyWhereTheyAreOffered() throws {
        let server = try ScriptedServer(simulation)
        let name = try #require(RoomName("room"))
        let question = Question.items(
            name, ItemQuery(.page(in: nil, after: nil), limit: 1), revision: nil)
        var asked = 0
        server.answer = { connection, message in
            guard case .readItems(let read) = message else { return }
            asked += 1
            connection.say(.items(Items(request: read.request, revision: 7, origin: nil)))
            connection.say(.done(Done(request: read.request)))
        }
        server.features.remove(.items)
        let client = try SessionFixture(simulation)
        let early = ask(question, of: client)
        client.open()
        simulation.runUntilIdle()
        let late = ask(question, of: client)
        simulation.runUntilIdle()
        #expect(early.list == ["failed unsupported"] && late.list == ["failed unsupported"])
        #expect(asked == 0)
        // A server that has them takes over.
        server.features = .all
        simulation.network.connections.first?.cut()
        simulation.run(forMilliseconds: 10_000)
        let again = ask(question, of: client)
        simulation.run { again.list.last == "done" }
        #expect(again.list == ["items 7", "done"])
        #expect(asked > 0)
    }

    @Test func whatWasAskedOnALostConnectionHasFailed() throws {
        let server = try ScriptedServer(simulation)
        let client = try SessionFixture(simulation)
        client.open()
        let first = ask(.rooms, of: client)
        simulation.runUntilIdle()
        simulation.network.connections.first?.cut()
        simulation.run { !first.list.isEmpty }
        #expect(first.list == ["failed connectionLost"])
        server.answer = { connection, message in
            if case .listRooms(let list) = message {
                connection.say(.roomList(RoomList(request: list.request, rooms: [])))
            }
        }
        let second = ask(.rooms, of: client)
        simulation.run { !second.list.isEmpty }
        #expect(second.list == ["done"] || second.list == ["", "done"])
    }
}
