import ModelSupport
import RoomSupport
import SeededRandom
import SyncEngine
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// Clients send transactions and tasks at random, leave and come back. Meanwhile the state goes to
/// workers, is lost with the log, and comes back. Each task runs once in its client's order, or is
/// dropped with its member.
@Suite("Tasks that wait for a room")
struct RoomQueueTests {
    private struct Client {
        var connection: ConnectionID?
        /// Whether the room knows the connection as a member.
        var isMember = false
        /// Whether one of its transactions was refused. The requests behind it would wait for it.
        var isRefused = false
        var counter: UInt64 = 0
        /// The last items of its transactions that are neither refused nor known as applied.
        var unapplied: [Identifier] = []
        /// Its waiting tasks, in the order in which they came.
        var waiting: [Int] = []
    }

    private struct Asked {
        var client: Int
        var kind: RoomTask.Kind
        /// The items that must be in the room before the task runs.
        var behind: [Identifier]
        var isOver = false
    }

    private final class Story {
        var numbers: SplitMix64
        let budget = TurnBudget(stepsPerTurn: 128)
        let room: Room
        var clients = [Client](repeating: Client(), count: 4)
        var asked: [Asked] = []
        var records: [LogRecord] = []
        var durable = 0
        var loan: Loan?
        private(set) var doneCount = 0
        private(set) var loanCount = 0
        private var connectionCount: UInt64 = 0

        init(seed: UInt64) {
            numbers = SplitMix64(seed: seed)
            room = Room(
                RoomState(), opening: .test, handle: 1, policy: RoomPolicy(), budget: budget)
            room.lends = true
        }

        func below(_ bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }

        // MARK: Steps of clients

        func come(_ number: Int) {
            leave(number)
            connectionCount += 1
            let id = ConnectionID(value: connectionCount)
            clients[number].connection = id
            clients[number].isRefused = false
            let admission = Admission(
                member: id, connection: connectionCount, client: name(number), presence: true)
            ask(number, .join, refuse: { _ in }) { [self] room in
                clients[number].isMember = (try? room.join(admission)) != nil
                #expect(clients[number].isMember)
            }
        }

        func leave(_ number: Int) {
            guard let id = clients[number].connection else { return }
            clients[number].connection = nil
            clients[number].isMember = false
            room.leave(id)
            room.dropReads(of: id)
            for task in clients[number].waiting { #expect(asked[task].isOver, "\(task) waits") }
            clients[number].waiting = []
        }

        func submit(_ number: Int) throws {
            guard let id = clients[number].connection, clients[number].isMember,
                !clients[number].isRefused
            else { return }
            clients[number].counter += 1
            let counter = clients[number].counter
            let inserts = (0...below(30)).map { ListOperation.insert("\(number)-\(counter)-\($0)") }
            let packed = try PackedTransaction(ListTransaction(base: 0, operations: inserts))
            let acceptsTransactions = room.place.acceptsTransactions
            _ = room.receive(packed, counter: counter, from: id)
            guard acceptsTransactions else { return clients[number].isRefused = true }
            clients[number].unapplied.append(Self.item(number, counter))
        }

        func ask(_ number: Int) {
            guard clients[number].connection != nil else { return }
            let kinds: [RoomTask.Kind] = [.view, .drag, .dragUpdate, .presence, .read]
            let kind = kinds[below(kinds.count)]
            ask(number, kind, refuse: kind == .read ? { _ in } : nil) { _ in }
        }

        private func ask(
            _ number: Int, _ kind: RoomTask.Kind, refuse: ((RoomRefusal) -> Void)?,
            _ perform: @escaping (Room) -> Void
        ) {
            let task = asked.count
            let behind = kind == .read ? [] : clients[number].unapplied
            asked.append(Asked(client: number, kind: kind, behind: behind))
            let isLatest = kind == .presence || kind == .dragUpdate
            let replaced = clients[number].waiting.first { isLatest && asked[$0].kind == kind }
            clients[number].waiting.append(task)
            room.add(
                RoomTask(
                    kind, for: clients[number].connection,
                    perform: { [self] room in
                        check(task, in: room)
                        perform(room)
                        doneCount += 1
                    }, refuse: refuse,
                    whenOver: { [self] in
                        #expect(!asked[task].isOver, "\(task) has ended twice")
                        asked[task].isOver = true
                        clients[number].waiting.removeAll { $0 == task }
                    }),
                of: kind == .join ? name(number) : nil)
            if let replaced { #expect(asked[replaced].isOver, "\(replaced) is not replaced") }
        }

        /// Checks a task that runs: nothing that its client asked for earlier waits, and the
        /// client's transactions are applied.
        private func check(_ task: Int, in room: Room) {
            let own = asked[task]
            #expect(room.place.isHere)
            #expect(clients[own.client].waiting.contains(task), "\(task) is of a client that left")
            for item in own.behind {
                #expect(room.state.engine.key(ofItem: item) != nil, "\(task) runs before \(item)")
            }
            guard own.kind != .presence, own.kind != .dragUpdate else { return }
            let earlier = clients[own.client].waiting.filter { other in
                let kind = asked[other].kind
                return other < task && kind != .presence && kind != .dragUpdate
                    && (kind == .read) == (own.kind == .read)
            }
            #expect(earlier.isEmpty, "\(task) runs before \(earlier)")
        }

        private func name(_ number: Int) -> Identifier { id("client-\(number)") }

        static func item(_ number: Int, _ counter: UInt64) -> Identifier {
            id("\(number)-\(counter)-0")
        }

        // MARK: Steps of the host

        func turn() {
            budget.begin(.read)
            budget.begin(.apply)
            guard room.place.isHere else { return }
            room.applyQueued()
            if let record = room.takeRecord(wallClockMilliseconds: 0) { records.append(record) }
            while room.place.isHere, budget.left > 0, let task = room.nextTask() {
                budget.spend(WorkCost.task.steps())
                room.perform(task)
            }
            room.takeAnswers { _ in }
            guard room.wantsToLend(at: 0) != nil, below(2) == 0 else { return }
            loan = room.lend(at: 0)
            if loan != nil { loanCount += 1 }
        }

        func takeBack() throws {
            guard let loan = loan.take() else { return }
            loan.work()
            room.takeBack(loan, at: 0, taking: 0)
            if room.place.isReopening { try reopen() }
        }

        func becomeDurable() {
            guard room.place.acceptsTransactions, durable < records.count else { return }
            durable += 1 + below(records.count - durable)
            room.appended(through: UInt64(durable))
        }

        func fail() throws {
            guard room.place.acceptsTransactions else { return }
            records.removeLast(records.count - durable)
            for number in clients.indices {
                clients[number].unapplied = []
                clients[number].isRefused = true
            }
            for task in asked.indices { asked[task].behind = [] }
            room.suspend()
            if loan == nil { try reopen() }
        }

        func end(_ tasks: TaskLanes, _ code: ErrorCode) {
            var tasks = tasks
            while let task = tasks.popFirst() { task.end(RoomRefusal(code: code, text: "")) }
        }

        private func reopen() throws {
            if below(3) == 0 { end(room.takeAnsweredTasks(), .unavailable) }
            let state = RoomState()
            for record in records { try state.apply(record) }
            #expect(room.resume(state, opening: .test(numbers.next() % 1000)) == [])
        }
    }

    @Test("each task runs once, in its client's order", arguments: 1...60 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        let story = Story(seed: seed)
        for _ in 0..<400 {
            let client = story.below(4)
            switch story.below(14) {
            case 0: story.come(client)
            case 1: if story.below(3) == 0 { story.leave(client) }
            case 2...5: try story.submit(client)
            case 6...8: story.ask(client)
            case 9...10: story.turn()
            case 11: try story.takeBack()
            case 12: story.becomeDurable()
            default: if story.below(6) == 0 { try story.fail() }
            }
        }
        if seed % 2 == 0 {
            for _ in 0..<4000 {
                story.turn()
                try story.takeBack()
            }
            #expect(!story.room.hasTasks && !story.room.hasQueued)
        } else {
            _ = story.room.beginDissolving()
            _ = story.room.dissolve()
            story.end(story.room.takeTasks(), .roomDeleted)
        }
        let isNothingLost = story.asked.allSatisfy(\.isOver)
        #expect(isNothingLost)
        #expect(story.doneCount > 20)
    }
}
