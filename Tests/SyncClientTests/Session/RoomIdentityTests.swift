import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A revision is valid only in its own history, whatever its number. Clients of this library run
/// against the real server while rooms and stores change behind their backs.
@Suite struct RoomIdentityTests {
    /// The codes of the rejections that a client got.
    private func rejections(_ client: SessionFixture) -> [Rejection.Code] {
        client.answers.compactMap { answer in
            if case .rejected(let rejection) = answer { rejection.code } else { nil }
        }
    }

    /// The client had revision 3 of a room that was deleted and made again. The new room has six
    /// revisions.
    @Test func doesNotGoOnInARoomThatWasMadeAgain() throws {
        let world = try IdentityWorld(seed: 1)
        let old = try world.join("old")
        try world.insert(["old0", "old1", "old2"], by: old)
        let former = old.membership?.origin
        try world.cutOff(old) {
            try world.deleteRoom()
            let new = try world.join("new")
            try world.insert((0..<6).map { "new\($0)" }, by: new)
            new.session?.close()
        }
        old.room.clear()
        world.simulation.run { old.items.first == "new0" || old.items.count > 5 }
        world.settle([old])
        #expect(old.items == (0..<6).map { "new\($0)" })
        #expect(old.room.events.contains(.joined(6, resumed: false)))
        #expect(old.room.events.contains(.snapshot(6)))
        #expect(old.membership?.origin?.room != former?.room)
    }

    @Test func doesNotGoOnAfterAServerThatKeepsNothingWasRestarted() throws {
        let world = try IdentityWorld(seed: 2)
        let old = try world.join("old")
        try world.insert(["old0", "old1", "old2"], by: old)
        try world.cutOff(old) {
            try world.restart { world.storage.putBack(to: 0) }
            let new = try world.join("new")
            try world.insert((0..<6).map { "new\($0)" }, by: new)
        }
        world.simulation.run { old.items.first == "new0" }
        #expect(old.items == (0..<6).map { "new\($0)" })
    }

    @Test func goesOnAfterRestartsThatLoseNothing() throws {
        let world = try IdentityWorld(seed: 3)
        let client = try world.join("client")
        try world.insert(["a", "b"], by: client)
        client.room.clear()
        // The server restarts without any write in between, so these epochs never reach the disk.
        for _ in 0..<3 {
            try world.restart()
            world.simulation.run { client.room.events.contains(.joined(2, resumed: true)) }
            #expect(client.room.events.last == .joined(2, resumed: true))
            client.room.clear()
        }
        try world.insert(["c"], by: client)
        try world.restart()
        world.simulation.run {
            !client.room.events.filter { $0 == .joined(3, resumed: true) }.isEmpty
        }
        try world.insert(["d"], by: client)
        #expect(client.items == ["a", "b", "c", "d"])
        #expect(!client.room.events.contains { if case .snapshot = $0 { true } else { false } })
    }

    /// A client that had no more than the copy resumes; a client that had more starts again.
    @Test func aCopyOfTheStoreIsAnotherHistory() throws {
        let world = try IdentityWorld(seed: 4)
        let writer = try world.join("writer")
        let behind = try world.join("behind")
        try world.insert(["a", "b"], by: writer)
        world.settle([writer, behind])
        let mark = world.storage.mark
        try world.cutOff(behind) {
            try world.insert(["lost0", "lost1"], by: writer)
            try world.cutOff(writer) {
                try world.restart { world.storage.putBack(to: mark) }
                let other = try world.join("other")
                try world.insert(["c", "d", "e"], by: other)
                other.session?.close()
            }
        }
        writer.room.clear()
        behind.room.clear()
        world.simulation.run { writer.items.count == 5 && behind.items.count == 5 }
        #expect(writer.items == ["a", "b", "c", "d", "e"])
        #expect(behind.items == ["a", "b", "c", "d", "e"])
        #expect(writer.room.events.contains(.joined(5, resumed: false)))
        #expect(behind.room.events.contains(.joined(5, resumed: true)))
    }

    /// The store is restored under a running server. Its next append is refused, and what it reads
    /// then is less than what it has sent.
    @Test func aTailThatIsLostUnderMembersIsNoHistory() throws {
        let world = try IdentityWorld(seed: 5)
        let writer = try world.join("writer")
        let reader = try world.join("reader")
        try world.insert(["a", "b"], by: writer)
        let mark = world.storage.mark
        try world.insert(["lost"], by: writer)
        world.settle([writer, reader])
        world.storage.putBack(to: mark)
        try world.insert(["late"], by: writer)
        #expect(rejections(writer) == [.roomChanged])
        world.simulation.run { reader.items == ["a", "b"] && writer.items == ["a", "b"] }
        try world.insert(["c"], by: reader)
        world.settle([writer, reader])
        #expect(writer.items == ["a", "b", "c"])
        #expect(reader.items == writer.items)
    }

    /// Pending edits are not sent to another room of the same name, and their author gets a
    /// rejection.
    @Test func pendingEditsAreRejectedWhenTheRoomIsAnother() throws {
        let world = try IdentityWorld(seed: 6)
        let old = try world.join("old")
        try world.insert(["old0"], by: old)
        try world.cutOff(old) {
            for name in ["p0", "p1"] {
                old.submit([
                    .insert(
                        Item(id: try Identifier(name)),
                        to: Placement(section: Identifier("main")))
                ])
            }
            try world.deleteRoom()
            let new = try world.join("new")
            try world.insert(["new0", "new1"], by: new)
        }
        world.simulation.run { old.items.first == "new0" }
        world.settle([old])
        #expect(rejections(old) == [.roomChanged, .roomChanged])
        #expect(old.items == ["new0", "new1"])
        try world.insert(["mine"], by: old)
        #expect(old.items == ["new0", "new1", "mine"])
    }

    /// A client has joined a new room, and edits it while it is away. The room is gone meanwhile,
    /// and in some cases another client has written into the one that took its name.
    @Test(arguments: [false, true]) func theFirstEditsOfANewRoomAreKept(othersWrite: Bool) throws {
        let world = try IdentityWorld(seed: 8)
        let client = try world.join("client")
        let former = client.membership?.origin
        client.room.clear()
        try world.cutOff(client) {
            let main = Placement(section: Identifier("main"))
            client.submit([.insert(Item(id: Identifier("mine")), to: main)])
            client.submit([
                .update(Identifier("mine"), ItemPatch(set: [])),
                .insert(Item(id: Identifier("more")), to: main),
            ])
            try world.restart()
            if othersWrite { try world.insert(["other"], by: try world.join("other")) }
        }
        world.simulation.run { client.items.contains("more") }
        world.settle([client])
        #expect(rejections(client) == [])
        #expect(client.answers.count == 2)
        #expect(client.items == (othersWrite ? ["other"] : []) + ["mine", "more"])
        let room = client.membership?.origin?.room
        #expect(room != nil && room != former?.room)
        #expect(!client.room.events.contains { if case .snapshot = $0 { true } else { false } })
    }

    /// The restored room may know some of the earlier transactions. It answers those, and rejects
    /// only the rest.
    @Test func aRestoredRoomStillAnswersForWhatItHas() throws {
        let world = try IdentityWorld(seed: 7)
        let client = try world.join("client")
        let other = try world.join("other")
        try world.insert(["a"], by: other)
        world.settle([client, other])
        // The client's answers are lost, while its transactions arrive.
        let section = Identifier("main")
        func send(_ name: String) throws {
            client.submit([.insert(Item(id: try Identifier(name)), to: Placement(section: section))]
            )
        }
        client.session?.pauseReading(.always)
        try send("kept")
        world.simulation.run { other.items.contains("kept") }
        let mark = world.storage.mark
        try send("lost")
        world.simulation.run { other.items.contains("lost") }
        // The other client saw the lost revisions; this one has less than the copy.
        try world.cutOff(client) {
            try world.restart { world.storage.putBack(to: mark) }
        }
        client.session?.resumeReading(.always)
        world.simulation.run { client.answers.count == 2 && client.items.contains("kept") }
        world.settle([client, other])
        #expect(client.items == other.items)
        #expect(client.answers.count == 2)
    }
}
