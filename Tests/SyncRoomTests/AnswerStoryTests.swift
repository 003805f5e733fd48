import ModelSupport
import RoomSupport
import SeededRandom
import SyncModel
import SyncRoom
import Testing

/// Members submit, resend, send unreadable bytes, leave and come back while the log follows slowly.
/// Each member is answered in the order of its requests.
@Suite("Answers in random stories")
struct AnswerStoryTests {
    private final class Story {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        var random: SplitMix64
        /// By client: its connection, and the counters that it sent on that connection, in order.
        var connections: [ConnectionID] = []
        var asked: [[UInt64]] = []
        var answered: [[UInt64]] = []
        var lastCounters: [UInt64] = []
        var records: [UInt64] = []
        private var connectionCount: UInt64 = 0
        private(set) var answerCount = 0

        init(seed: UInt64, clients: Int) throws {
            random = SplitMix64(seed: seed)
            for client in 0..<clients {
                connections.append(ConnectionID(value: 0))
                asked.append([])
                answered.append([])
                lastCounters.append(0)
                try join(client)
            }
        }

        /// Joins on a new connection, or again on the one that the client left.
        func join(_ client: Int, again: Bool = false) throws {
            if again {
                room.leave(connections[client])
            } else {
                connectionCount += 1
                connections[client] = ConnectionID(value: connectionCount)
            }
            listen()
            let name = id("client-\(client)")
            _ = try room.settled.join(
                Admission(member: connections[client], client: name, secret: [1]))
            (asked[client], answered[client]) = ([], [])
        }

        func ask(_ client: Int, _ counter: UInt64) throws {
            let operation: ListOperation =
                counter % 3 == 0 ? .delete(id("no-item")) : .insert("i\(client)-\(counter)")
            let transaction = try PackedTransaction(
                ListTransaction(base: 0, operations: [operation]))
            _ = room.receive(transaction, counter: counter, from: connections[client])
            asked[client].append(counter)
            room.applyQueued()
            room.takeAbsorbed { id in
                #expect(id == connections[client])
                asked[client].removeLast()
            }
            lastCounters[client] = max(lastCounters[client], counter)
        }

        func askUnreadably(_ client: Int) {
            // An unreadable transaction does not use up its counter, so this counter is outside the
            // usual range.
            let counter = UInt64.random(in: 1_000_000...9_000_000, using: &random)
            let rejection = Rejection(code: .malformed, message: "it can't be read")
            _ = room.receive(rejection, counter: counter, from: connections[client])
            asked[client].append(counter)
        }

        func endTick() {
            guard let record = room.endTurn(wallClockMilliseconds: 0) else { return }
            records.append(record.sequence)
        }

        func append() {
            guard !records.isEmpty else { return }
            room.appended(through: records.removeFirst())
        }

        func listen() {
            for answer in room.takeAnswers() {
                answerCount += 1
                guard let client = connections.firstIndex(where: { $0 == answer.member }) else {
                    continue
                }
                answered[client].append(answer.counter)
            }
        }

        func takeStep() throws {
            let client = Int.random(in: connections.indices, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try join(client)
            case 1: try join(client, again: true)
            case 2, 3: askUnreadably(client)
            case 4...7:
                let last = lastCounters[client]
                if last > 0 { try ask(client, UInt64.random(in: 1...last, using: &random)) }
            case 8...10: endTick()
            case 11...13: append()
            case 14: listen()
            default: try ask(client, lastCounters[client] + 1)
            }
        }
    }

    @Test("each is answered once, in order", arguments: 1...200)
    func inOrder(seed: UInt64) throws {
        let story = try Story(seed: seed, clients: 3)
        for _ in 0..<300 {
            try story.takeStep()
            for client in story.asked.indices {
                let answered = story.answered[client]
                #expect(answered == Array(story.asked[client].prefix(answered.count)))
            }
        }
        story.endTick()
        while !story.records.isEmpty { story.append() }
        story.listen()
        #expect(story.answered == story.asked, "seed \(seed)")
    }

    @Test("many refusals and resends of many members have a linear cost")
    func cost() throws {
        let clients = 100
        let story = try Story(seed: 1, clients: clients)
        for _ in 1...100 {
            for client in 0..<clients { try story.ask(client, story.lastCounters[client] + 1) }
        }
        story.endTick()
        for client in 0..<clients {
            for _ in 0..<100 { story.askUnreadably(client) }
        }
        // Every client sends all of it again on another connection.
        for client in 0..<clients {
            try story.join(client)
            for counter in 1...UInt64(100) { try story.ask(client, counter) }
        }
        for client in 0..<clients { story.room.leave(story.connections[client]) }
        while !story.records.isEmpty { story.append() }
        story.listen()
        // Refusals are answered once more on the connection that asked, and the answers behind them
        // follow.
        #expect((2 * clients * 100...3 * clients * 100).contains(story.answerCount))
        #expect(story.room.answerSteps <= 6 * story.answerCount)
    }
}
