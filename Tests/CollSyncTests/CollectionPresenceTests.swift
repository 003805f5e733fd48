import CollSync
import CollSyncUV
import ServerSupport
import SyncClient
import SyncModel
import Testing

/// Presence with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct CollectionPresenceTests {
    private func join(
        _ server: LocalServer, presence: Bool = true
    ) async throws -> (client: CollectionClient, room: CollectionRoom) {
        let client = try await CollectionClient.connect(to: server.address)
        let options = JoinOptions(presence: presence)
        return (client, try await client.join("room", options: options))
    }

    private func insert(_ id: Identifier) throws -> ListOperation {
        .insert(Item(id: id), to: Placement(section: Identifier("main")))
    }

    /// Waits until a condition is true for the other members.
    private func others(
        of room: CollectionRoom, _ holds: ([MemberPresence]) -> Bool
    ) async throws -> [MemberPresence] {
        while true {
            let others = try await room.others()
            if holds(others) { return others }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func membersSeeEachOther() async throws {
        let server = try await LocalServer.start()
        let (anna, annasRoom) = try await join(server)
        let (bert, bertsRoom) = try await join(server)
        let (cora, corasRoom) = try await join(server, presence: false)
        let milk = Identifier("milk")
        var seen: [String] = []
        for await changes in annasRoom.presence {
            for change in changes {
                switch change {
                case .shows(let member):
                    #expect(member.client == bert.id)
                    seen.append("\(member.selected.map(\.text)) \(member.custom == nil)")
                case .left(let client):
                    #expect(client == bert.id)
                    seen.append("left")
                }
            }
            switch seen.last {
            case "[] true":
                try await bertsRoom.submit([try insert(milk)])
                try bertsRoom.setPresence(selected: [milk], custom: .text("teal"))
            case #"["milk"] false"#: bert.close()
            case "left": annasRoom.leave()
            // The batch with the item may come after its selection.
            default: break
            }
        }
        #expect(seen.first == "[] true")
        #expect(seen.dropLast().last == #"["milk"] false"#)
        #expect(seen.last == "left")
        #expect(try await corasRoom.others().isEmpty)
        anna.close()
        cora.close()
    }

    @Test func whatIsDeletedIsSelectedNoMore() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await join(server)
        let (_, other) = try await join(server)
        let (milk, eggs) = (Identifier("milk"), Identifier("eggs"))
        try await other.submit([try insert(milk), try insert(eggs)])
        try other.setPresence(selected: [milk, eggs], highlighted: [eggs])
        _ = try await others(of: room) { $0.first?.selected == [milk, eggs] }
        try await room.submit([.delete(eggs)])
        let left = try await others(of: room) { $0.first?.selected == [milk] }
        #expect(left.first?.highlighted == [])
        // A member that joins now sees the same, though the other has not changed its presence
        // since.
        let (_, late) = try await join(server)
        let seen = try await others(of: late) { members in
            members.contains { !$0.selected.isEmpty }
        }
        #expect(seen.filter { !$0.selected.isEmpty }.map(\.selected) == [[milk]])
    }

    /// A slow reader gets only the newest state of each member, and nothing of members that came
    /// and went.
    @Test func aSlowReaderGetsTheLatest() async throws {
        let server = try await LocalServer.start()
        let (_, room) = try await join(server)
        let (other, otherRoom) = try await join(server)
        let changes = room.presence
        let (passing, passingRoom) = try await join(server)
        _ = try await others(of: room) { $0.count == 2 }
        passing.close()
        for number in 1...200 { try otherRoom.setPresence(custom: .number(Double(number))) }
        _ = try await others(of: room) { $0.map(\.custom) == [.number(200)] }
        for await told in changes {
            guard told.count == 1, case .shows(let member) = told[0] else {
                Issue.record("\(told)")
                break
            }
            #expect(member.client == other.id)
            #expect(member.custom == .number(200))
            break
        }
        _ = passingRoom
    }

    @Test func saysWhatCantBeShown() async throws {
        let server = try await LocalServer.start()
        let (client, room) = try await join(server)
        let (_, silent) = try await join(server, presence: false)
        func expect(
            _ code: String, _ location: SourceLocation = #_sourceLocation,
            _ show: () throws(CollectionError) -> Void
        ) {
            do throws(CollectionError) {
                try show()
                Issue.record("the presence is accepted", sourceLocation: location)
            } catch {
                #expect(error.code == code, sourceLocation: location)
            }
        }
        let many = try (0...1000).map { try Identifier("i\($0)") }
        expect("limitExceeded") { () throws(CollectionError) in
            try room.setPresence(selected: many)
        }
        expect("limitExceeded") { () throws(CollectionError) in
            try room.setPresence(highlighted: many)
        }
        let long = Value.text(String(repeating: "x", count: 4096))
        expect("limitExceeded") { () throws(CollectionError) in
            try room.setPresence(custom: long)
        }
        expect("badMessage") { () throws(CollectionError) in
            try room.setPresence(custom: .number(.infinity))
        }
        expect("notAllowed") { () throws(CollectionError) in try silent.setPresence() }
        // Nothing of it reached the server, which would have closed the connection.
        try room.setPresence(selected: Array(many.dropLast()))
        #expect(try await room.submit([]).revision == 1)
        client.close()
    }

    @Test func theStreamEndsWithTheRoom() async throws {
        let server = try await LocalServer.start()
        let (client, room) = try await join(server)
        let before = room.presence
        client.close()
        for await _ in before { Issue.record("nobody else is here") }
        for await _ in room.presence { Issue.record("nobody else is here") }
        await #expect(throws: CollectionError.self) { try await room.others() }
    }

    @Test func aCancelledReaderReturns() async throws {
        let server = try await LocalServer.start()
        let (client, room) = try await join(server)
        let reading = Task {
            for await _ in room.presence {}
            return true
        }
        reading.cancel()
        #expect(await reading.value)
        client.close()
    }
}
