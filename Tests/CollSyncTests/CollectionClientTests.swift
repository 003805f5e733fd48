import CollSync
import CollSyncUV
import ServerSupport
import SyncClient
import SyncModel
import Testing

/// The library with its public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct CollectionClientTests {
    /// The example of the documentation.
    @Test func worksAsDocumented() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("groceries")
        let milk = Item(id: client.makeID())
        let commit = try await room.submit([
            .insert(milk, to: Placement(section: Identifier("main")))
        ])
        #expect(commit == Commit(revision: 1))
        var seen: [String] = []
        var held: Revision = 0
        for await event in room.events {
            switch event {
            case .joined(let welcome): seen.append("joined \(welcome.room)")
            case .snapshot(let snapshot): held = snapshot.revision
            case .batch(let batch):
                #expect(batch.from == held)
                held = batch.to
            default: break
            }
            if held == 1 { break }
        }
        #expect(seen == ["joined groceries"])
        #expect(try await room.snapshot().sections.map(\.items) == [[milk]])
        client.close()
    }

    @Test func transactionsAreTakenInTheOrderOfTheCalls() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let main = Identifier("main")
        let count = 3_000
        let inbox = room.events
        for index in 0..<count {
            let item = Item(id: try Identifier("i\(index)"))
            let number = try await room.send([.insert(item, to: Placement(section: main))])
            #expect(number == UInt64(index + 1))
        }
        var answered: [UInt64] = []
        var held: Revision = 0
        for await event in inbox {
            if case .acknowledged(let number, _) = event { answered.append(number) }
            if case .batch(let batch) = event { held = batch.to }
            if case .snapshot(let snapshot) = event { held = snapshot.revision }
            if answered.count == count, held == UInt64(count) { break }
        }
        #expect(answered == (1...UInt64(count)).map { $0 })
        let items = try await room.snapshot().sections.flatMap(\.items)
        #expect(items.map(\.id.text) == (0..<count).map { "i\($0)" })
    }

    /// A follower of a room without a replica misses no change that comes while it loads.
    @Test(.timeLimit(.minutes(30))) func aFollowerHearsEverything() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let main = Identifier("main")
        for number in 0..<100 {
            let room = try await client.join("room \(number)")
            async let inbox = follow("room \(number)", at: server)
            for index in 0..<5 {
                let item = Item(id: try Identifier("i\(index)"))
                try await room.submit([.insert(item, to: Placement(section: main))])
            }
            let events = try await inbox
            var held: Revision = 0
            while held < 5, let some = try await events.takeAll() {
                for case .batch(let batch) in some {
                    #expect(batch.from == held)
                    held = batch.to
                }
            }
            #expect(held == 5)
        }
    }

    private func follow(
        _ room: String, at server: LocalServer
    ) async throws -> EventInbox<RoomEvent> {
        let client = try await CollectionClient.connect(to: server.address)
        var options = Membership.Options()
        options.keepsItems = false
        options.from = 0
        options.origin = try await client.stats(of: room).origin
        return try await client.follow(room, options)
    }

    /// A stream that nobody reads stops the client from reading, and loses nothing.
    @Test func aStreamThatIsReadLateHasEverything() async throws {
        let server = try await LocalServer.start()
        let reader = try await CollectionClient.connect(to: server.address)
        let readRoom = try await reader.join("room")
        let events = readRoom.events
        let writer = try await CollectionClient.connect(to: server.address)
        let room = try await writer.join("room")
        let main = Identifier("main")
        try await room.submit([.insert(Item(id: main), to: Placement(section: main))])
        for _ in 0..<40 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        _ = try await room.submit([.increment(main, field: main, by: 1)])
                    }
                }
                try await group.waitForAll()
            }
        }
        var held: Revision?
        for await event in events {
            if case .snapshot(let snapshot) = event { held = snapshot.revision }
            if case .batch(let batch) = event {
                #expect(batch.from == held)
                held = batch.to
            }
            if held == 4_001 { break }
        }
        let field = try await readRoom.snapshot().sections[0].items[0].content.fields[0]
        #expect(field.value == .number(4_000))
    }

    /// A client that rejoins a room that it has written in gets answers there.
    @Test func aRoomMayBeLeftAndJoinedAgain() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        for index in 1...3 as ClosedRange<UInt64> {
            let room = try await client.join("room")
            let item = Item(id: try Identifier("i\(index)"))
            let place = Placement(section: Identifier("main"))
            #expect(try await room.submit([.insert(item, to: place)]).revision == index)
            room.leave()
        }
        #expect(try await client.snapshot(of: "room").sections[0].items.count == 3)
    }

    @Test func readsItemsByThemselves() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let items = try (0..<1_200).map { index in
            try ListOperation.insert(
                try Identifier("i\(index)"), ["title": .text("Number \(index)")],
                at: .end(of: "main"))
        }
        try await room.submit(.insertSection("more"))
        let commit = try await room.submit(items)
        try await room.submit(.move("i7", to: .end(of: "more")))
        var found: [RoomItems.Found] = []
        var page = try await client.items(of: "room", limit: 500, at: commit.revision)
        #expect(page.revision == commit.revision)
        while true {
            found += page.items
            guard let next = page.next else { break }
            page = try await client.items(
                of: "room", after: next, limit: 500, at: page.revision, origin: page.origin)
        }
        #expect(found.map(\.item.id.text) == (0..<1_200).map { "i\($0)" })
        #expect(found.map(\.path.item) == Array(0..<1_200))
        let more = try await client.items(of: "room", in: "more")
        #expect(more.items.map(\.item.id) == ["i7"] && more.next == nil)
        #expect(more.items.map(\.path) == [ItemPath(section: 1, item: 0)])
        #expect(more.items.map(\.section) == ["more"])
        let search = try await client.items(of: "room", containing: "NUMBER 7", limit: 3)
        #expect(search.items.map(\.item.id) == ["i70", "i71", "i72"])
        #expect(search.next == "i72")
        let ids = try (0..<1_500).reversed().map { try Identifier("i\($0)") }
        let these = try await client.items(ids, of: "room")
        #expect(these.items.map(\.item.id) == Array(ids.dropFirst(300)))
        #expect(these.revision == commit.revision + 1 && these.next == nil)
        #expect(try await client.items([], of: "room").items.isEmpty)
        await #expect(throws: CollectionError.self) {
            try await client.items(of: "room", containing: "")
        }
        await #expect(throws: CollectionError.self) {
            try await client.items(of: "room", after: "none")
        }
        client.close()
    }

    @Test func answersQuestions() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        #expect(try await client.rooms().isEmpty)
        let room = try await client.join("room")
        let main = Identifier("main")
        for index in 0..<5 {
            let item = Item(id: try Identifier("i\(index)"))
            try await room.submit([.insert(item, to: Placement(section: main))])
        }
        #expect(try await client.rooms().map(\.name) == ["room"])
        let stats = try await client.stats(of: "room")
        #expect(stats.revision == 5)
        #expect(stats.figures[.items] == 5)
        #expect(stats.figures[.members] == 1)
        #expect(stats.server[.connections] == 1)
        let past = try await client.snapshot(of: "room", at: 2)
        #expect(past.sections[0].items.map(\.id.text) == ["i0", "i1"])

        var each: [Revision] = []
        for try await batch in client.history(of: "room", from: 1, until: 4, everyRevision: true) {
            each.append(batch.to)
        }
        #expect(each == [2, 3, 4])
        var whole: [Batch] = []
        for try await batch in client.history(of: "room", from: 1) { whole.append(batch) }
        #expect(whole.map(\.from) == [1])
        #expect(whole.map(\.to) == [5])
    }

    @Test func saysWhatIsWrong() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let main = Identifier("main")
        await #expect { try await client.stats(of: "none") } throws: { $0.hasCode("roomNotFound") }
        await #expect { try await client.stats(of: "a/b") } throws: { $0.hasCode("badRoomName") }
        await #expect {
            for try await _ in client.history(of: "none", from: 0) {}
        } throws: {
            $0.hasCode("roomNotFound")
        }
        let room = try await client.join("room")
        await #expect { try await client.join("room") } throws: { $0.hasCode("alreadyJoined") }
        await #expect { try await room.submit([.delete(main)]) } throws: { error in
            (error as? CollectionError)?.rejection?.code == .unknownItem
        }
        await #expect {
            try await CollectionClient.connect(to: "nonsense")
        } throws: {
            $0.hasCode("badAddress")
        }
    }

    @Test func aDeletedRoomEnds() async throws {
        let server = try await LocalServer.start { $0.wire.unansweredTransactions = 2 }
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let events = room.events
        try await client.deleteRoom("room")
        var last: RoomEvent?
        for await event in events { last = event }
        guard case .ended(let error) = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(error.code == "roomDeleted")
        // None of them counts as unanswered.
        for _ in 1...3 {
            await #expect { try await room.submit([]) } throws: { $0.hasCode("closed") }
        }
    }

    @Test func closingEndsEverything() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let events = room.events
        client.close()
        var last: RoomEvent?
        for await event in events { last = event }
        guard case .ended = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        await #expect { try await room.submit([]) } throws: { $0.hasCode("closed") }
        await #expect { try await client.rooms() } throws: { $0.hasCode("closed") }
        await #expect { try await room.snapshot() } throws: { $0.hasCode("closed") }
        client.close()
    }

    @Test func aCancelledReaderReturns() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let reading = Task {
            var count = 0
            for await _ in room.events { count += 1 }
            return count
        }
        reading.cancel()
        #expect(await reading.value <= 2)
        client.close()
    }
}

extension Error {
    fileprivate func hasCode(_ code: String) -> Bool {
        (self as? CollectionError)?.code == code
    }
}
