import EngineTwin
import RoomSupport
import SeededRandom
import SyncEngine
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A room from one seed. Clients come and go, on the same connection or another, and show their
/// selection while items come and go. They take updates at once or late.
final class PresenceStory {
    /// Counts of what happened, which prove that the story tests something.
    struct Events {
        var updates = 0
        var departures = 0
        var restarts = 0
    }

    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let encoder = MessageEncoder()
    private let writer = ConnectionID(value: 1)
    private let clients: [Identifier]
    private var listeners: [ListenerTwin] = []
    /// What everybody must see of each client in the end.
    private var shown: [Identifier: PresenceState] = [:]
    private var random: SplitMix64
    private var lastMember: UInt64 = 1
    private var counter: UInt64 = 0
    private var records: [UInt64] = []
    private(set) var events = Events()

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        clients = try (0..<6).map { try Identifier("c\($0)") }
        _ = try room.settled.join(Admission(member: writer, client: Identifier("writer")))
        try submit([.insertSection(ListSection(id: Identifier("main")), to: Placement())])
    }

    /// Plays the story.
    ///
    /// - Returns: what went wrong, in words.
    func play(steps: Int) throws -> String? {
        for _ in 0..<steps {
            switch random.below(20) {
            case 0...2: try join()
            case 3, 4: leave()
            case 5...9: try present()
            case 10...13: try edit()
            case 14: endTick()
            case 15: if !records.isEmpty { room.appended(through: records.removeFirst()) }
            default: break
            }
            // The first listener is slow.
            if let listener = random.pick(listeners), random.chance(60),
                listener !== listeners.first || random.chance(5)
            {
                take(listener)
            }
            if random.chance(60), let problem = try compose() { return problem }
        }
        return try finish()
    }

    private func finish() throws -> String? {
        endTick()
        for record in records { room.appended(through: record) }
        for _ in 0..<1000 {
            if let problem = try compose() { return problem }
            let waiting = listeners.filter { !$0.isReady }
            for listener in waiting { take(listener) }
            guard waiting.isEmpty else { continue }
            for listener in listeners where listener.isTold {
                var others = shown
                others[listener.client] = nil
                if listener.others != others {
                    return "\(listener.client) sees \(listener.others), not \(others)"
                }
            }
            return nil
        }
        return "updates don't come to an end"
    }

    // MARK: Members

    private func join() throws {
        guard let client = random.pick(clients) else { return }
        lastMember += 1
        let id = ConnectionID(value: lastMember)
        let isTold = random.chance(80)
        _ = try room.settled.join(
            Admission(
                member: id, connection: lastMember, client: client, viewOnly: random.chance(50),
                presence: isTold))
        // The new connection replaces a former one of the client.
        listeners.removeAll { $0.client == client }
        listeners.append(ListenerTwin(id, client: client, isTold: isTold))
        shown[client] = isTold ? PresenceState() : nil
    }

    private func leave() {
        guard let index = listeners.indices.randomElement(using: &random) else { return }
        let listener = listeners.remove(at: index)
        room.leave(listener.id)
        shown[listener.client] = nil
    }

    private func present() throws {
        guard let listener = random.pick(listeners) else { return }
        var state = PresenceState(selected: try ids(), highlighted: try ids())
        if random.chance(30) { state.custom = try EncodedValue(.number(Double(random.below(5)))) }
        do throws(RoomRefusal) {
            try room.settled.present(state, by: listener.id)
            #expect(listener.isTold, "a member that has not asked for presence shows some")
        } catch {
            #expect(!listener.isTold, "a member is refused, and should not be")
            return
        }
        let items = room.state.engine.snapshot().sections.flatMap(\.items)
        func plain(_ ids: [Identifier], _ flag: ItemFlags) -> [Identifier] {
            var kept: [Identifier] = []
            for id in ids where !kept.contains(id) {
                let item = items.first { $0.id == id }
                if item?.content.flags.contains(flag) == true { kept.append(id) }
            }
            return kept
        }
        state.selected = plain(state.selected, [.selectable, .highlightable])
        state.highlighted = plain(state.highlighted, .highlightable)
        shown[listener.client] = state
    }

    private func ids() throws -> [Identifier] {
        try (0..<random.below(5)).map { _ in try Identifier("i\(random.below(8))") }
    }

    // MARK: The room

    private func edit() throws {
        let id = try Identifier("i\(random.below(8))")
        var flags = ItemFlags.all
        if random.chance(30) { flags.remove(.selectable) }
        if random.chance(30) { flags.remove(.highlightable) }
        let lives = room.state.engine.path(ofItem: id) != nil
        if lives, random.chance(60) {
            try submit([.delete(id)])
        } else if lives {
            let change = FlagChanges(changed: ItemFlags.all, enabled: flags)
            try submit([.update(id, ItemPatch(flags: change))])
        } else {
            let item = Item(id: id, content: try ItemContent(flags: flags))
            try submit([.insert(item, to: Placement(section: Identifier("main")))])
        }
    }

    private func submit(_ operations: [ListOperation]) throws {
        room.applyQueued()
        counter += 1
        let transaction = ListTransaction(
            base: room.state.engine.revision, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
    }

    private func endTick() {
        if let record = room.endTurn(wallClockMilliseconds: 0) { records.append(record.sequence) }
    }

    private func compose() throws -> String? {
        var sent: [ConnectionID: [EncodedFrame]] = [:]
        room.compose(with: encoder, at: 0) { frames, members in
            for member in members { sent[member.id, default: []] += frames }
        }
        for listener in listeners {
            guard let frames = sent.removeValue(forKey: listener.id) else { continue }
            if let problem = try listener.receive(frames, whatIsShown: shown) { return problem }
        }
        room.ready(writer)
        sent[writer] = nil
        return sent.isEmpty ? nil : "somebody is sent something who is not there"
    }

    private func take(_ listener: ListenerTwin) {
        for update in listener.take() {
            events.updates += 1
            if update.client == nil {
                events.restarts += 1
            } else if update.left {
                events.departures += 1
            }
        }
        room.ready(listener.id)
    }
}
