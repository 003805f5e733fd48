import ModelSupport
import SeededRandom
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@Suite("Storms")
struct StormTests {
    /// A client that writes a list of items, whatever happens, and resends what is unanswered.
    private final class Writer {
        let name: String
        let total: UInt64
        var client: RawClient?
        var room: RoomHandle = 0
        /// The final answers.
        var answers: [UInt64: RawClient.Answer] = [:]
        private var seen = 0
        var sent: UInt64 = 0

        init(name: String, total: UInt64) {
            self.name = name
            self.total = total
        }

        var isDone: Bool { answers.count == Int(total) }

        /// Records answers; a counter that was answered before must get the same answer.
        func listen() {
            let news = client?.replicas[room]?.answers.dropFirst(seen) ?? []
            seen += news.count
            for (counter, answer) in news {
                if answer == .reject(.unavailable) {
                    // All transactions behind it are refused too, and are resent in order.
                    sent = min(sent, counter - 1)
                    continue
                }
                #expect(answers[counter] == nil || answers[counter] == answer)
                answers[counter] = answer
            }
        }

        func connect(in world: World) throws {
            listen()
            let held = client?.replicas[room]?.snapshot
            client?.close()
            let joined = try world.join(name, holding: held)
            (client, room) = (joined.client, joined.room)
            seen = 0
            sent = 0
        }

        func write(_ count: UInt64) {
            guard let client, !client.isClosed, client.replicas[room]?.snapshot != nil else {
                return
            }
            for _ in 0..<count where sent < total {
                sent += 1
                if answers[sent] != nil { continue }
                client.submit(sent, in: room, base: 0, [.insert("\(name)-\(sent)")])
            }
        }
    }

    @Test(
        "cuts, crashes and a failing store: everything is applied once, and everyone agrees",
        arguments: 1...40)
    func storm(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.threads = Int(seed % 3) + 1
            $0.storage.snapshotRevisions = seed % 2 == 0 ? 5 : 50
            $0.storage.snapshotBytes = 1 << 20
            $0.room.horizon = 20
            $0.room.maximumHorizon = 60
            $0.storage.idleUnloadMilliseconds = 200
        }
        var random = SplitMix64(seed: seed &* 77)
        let writers = ["anna", "bert", "carl"].map { Writer(name: $0, total: 120) }
        for writer in writers { try writer.connect(in: world) }
        var rounds = 0
        while !writers.allSatisfy(\.isDone), rounds < 3000 {
            rounds += 1
            for writer in writers {
                writer.listen()
                writer.write(UInt64.random(in: 0...5, using: &random))
            }
            world.run(forMilliseconds: UInt64.random(in: 0...20, using: &random))
            switch Int.random(in: 0..<200, using: &random) {
            case 0:
                world.storage.appendFault = nil
                try world.crash()
                for writer in writers { try writer.connect(in: world) }
            case 1...3:
                let writer = writers[Int.random(in: 0..<3, using: &random)]
                world.storage.appendFault = nil
                try writer.connect(in: world)
            case 4...6: world.storage.appendFault = .refuse(.diskFull)
            case 7...9: world.storage.appendFault = .writeAndFail(.io("sync"))
            case 10...40: world.storage.appendFault = nil
            default: break
            }
        }
        world.storage.appendFault = nil
        let areDone = writers.allSatisfy(\.isDone)
        #expect(areDone, "seed \(seed)")
        let clients = writers.compactMap(\.client)
        let room = writers[0].room
        let agree = world.run { clients.allSatisfy { $0.revision(room) == 360 } }
        #expect(agree, "seed \(seed)")
        for client in clients {
            #expect(client.replicas[room]?.snapshot == clients[0].replicas[room]?.snapshot)
        }
        let items = clients[0].items(room)
        #expect(items.count == 360 && Set(items).count == 360)
        for writer in writers {
            #expect(items.filter { $0.hasPrefix(writer.name) }.count == 120)
            for answer in writer.answers.values {
                guard case .ack = answer else {
                    Issue.record("\(writer.name) was answered \(answer)")
                    break
                }
            }
        }
    }
}
