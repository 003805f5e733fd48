import SeededRandom
import SyncClient
import SyncModel
import SyncSim
import Testing

/// Clients write while rooms are deleted and made again, stores are restored from copies, servers
/// live on or are killed, and connections break. In the end all have the same room.
@Suite struct RoomIdentityStoryTests {
    /// A transaction that inserts one item, and its answer.
    private final class Note {
        let item: String
        /// How often the room or its store had changed before the transaction.
        let madeIn: Int
        var answer: (answer: Answer, heardIn: Int)?
        var answerCount = 0

        init(item: String, madeIn: Int) {
            self.item = item
            self.madeIn = madeIn
        }
    }

    private final class Story {
        let world: IdentityWorld
        var clients: [SessionFixture] = []
        var random: SplitMix64
        var notes: [Note] = []
        var marks = [0]
        var era = 0

        init(seed: UInt64) throws {
            world = try IdentityWorld(seed: seed)
            random = SplitMix64(seed: seed)
            clients = try (0..<3).map { try world.join("client \($0)") }
        }

        func step() throws {
            switch random.below(40) {
            case 0:
                era += 1
                try world.deleteRoom()
            case 1:
                era += 1
                let mark = random.pick(marks) ?? 0
                marks.removeAll { $0 > mark }
                world.storage.putBack(to: mark)
            case 2:
                era += 1
                let mark = random.pick(marks) ?? 0
                marks.removeAll { $0 > mark }
                try world.restart { world.storage.putBack(to: mark) }
            case 3: try world.restart()
            case 4...7: random.pick(world.simulation.network.connections)?.cut()
            case 8...10: marks.append(world.storage.mark)
            default: try write()
            }
            comeBack()
            world.simulation.run(forMilliseconds: UInt64(random.below(80)))
        }

        private func write() throws {
            guard let client = random.pick(clients) else { return }
            let note = Note(item: "i\(notes.count)", madeIn: era)
            notes.append(note)
            let insert = ListOperation.insert(
                Item(id: try Identifier(note.item)), to: Placement(section: Identifier("main")))
            guard let membership = client.membership, let session = client.session else { return }
            session.submit([insert], to: membership) { [unowned self] answer in
                note.answer = (answer, era)
                note.answerCount += 1
            }
        }

        /// Clients that were put out of a deleted room join its successor.
        func comeBack() {
            for client in clients where client.room.hasEnded {
                client.room.clear()
                client.join()
            }
        }
    }

    @Test(arguments: 0..<24) func endsWithOneRoomForAll(seed: UInt64) throws {
        let story = try Story(seed: seed)
        for _ in 0..<120 { try story.step() }
        // The next append shows a running server that its store has changed.
        for client in story.clients { try story.world.insert(["last \(client.host)"], by: client) }
        story.world.simulation.run(limitMilliseconds: 20_000) {
            story.comeBack()
            return story.clients.allSatisfy { $0.membership?.isSettled == true }
                && Set(story.clients.map { $0.membership?.revision }).count == 1
        }
        let late = try story.world.join("late")
        let expected = late.membership?.replica.snapshot
        for client in story.clients {
            #expect(client.membership?.replica.snapshot == expected, "seed \(seed)")
        }
        let items = Set(late.items)
        for note in story.notes {
            #expect(note.answerCount == 1, "seed \(seed): \(note.item)")
            guard let answer = note.answer, answer.heardIn == story.era else { continue }
            switch answer.answer {
            case .committed where note.madeIn == story.era:
                #expect(items.contains(note.item), "seed \(seed): \(note.item) is lost")
            case .rejected(let rejection):
                #expect(!items.contains(note.item), "seed \(seed): \(note.item) is in the room")
                #expect(
                    [.roomChanged, .roomDeleted].contains(rejection.code),
                    "seed \(seed): \(note.item) is rejected: \(rejection)")
            default: break
            }
        }
    }
}
