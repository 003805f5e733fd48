import ModelSupport
import RoomSupport
import SeededRandom
import SyncBytes
import SyncModel
import SyncRoom
import SyncStore

/// The random history of a room whose items have ids, names of fields and values that are
/// recognized wherever they are.
struct SecretRoom {
    private(set) var records: [LogRecord] = []
    /// Images of the room after some of the records.
    private(set) var images: [StoredSnapshot] = []
    /// All texts that an item ever had, or that a transaction about it had, by the item's id.
    private(set) var secrets: [Identifier: [String]] = [:]
    /// How many transactions were refused, and how many commits have lost an operation.
    private(set) var refusedCount = 0
    private(set) var lossCount = 0

    private let room: Room
    private var random: SplitMix64
    private var counters: [UInt64] = [0, 0, 0]
    private var time: UInt64 = 1000

    static let itemCount = 8

    init(seed: UInt64, steps: Int) throws {
        random = SplitMix64(seed: seed)
        var policy = RoomPolicy()
        policy.horizon = seed % 40 + 1
        policy.maximumHorizon = 200
        room = Room(RoomState(), opening: .test(seed + 1), handle: 1, policy: policy)
        for member in counters.indices {
            _ = try room.settled.join(
                Admission(
                    member: ConnectionID(value: UInt64(member)), client: id("client \(member)"),
                    secret: [1]))
        }
        let items = (0..<Self.itemCount).map { id("item-\($0)-\(text())") }
        for item in items { secrets[item] = [item.text] }
        for step in 0..<steps {
            try submit(about: items[random.below(items.count)], beside: items)
            if step % 4 == 3 || step == steps - 1 { commit() }
        }
    }

    /// What the store has: the last image, if there is one, and the records after it.
    var stored: StoredRoom {
        let image = images.last
        return StoredRoom(
            snapshot: image, records: records.filter { $0.sequence > image?.sequence ?? 0 })
    }

    /// Text that zlib can't compress, and that occurs nowhere else.
    private mutating func text() -> String {
        String(random.next(), radix: 36) + String(random.next(), radix: 36)
    }

    private mutating func field(of item: Identifier) -> Field {
        let number = random.below(3)
        // A name that the item has already, or a new one.
        let name = number == 0 ? "name-\(text())" : "field-\(number)"
        let value = text() + String(repeating: "z", count: random.below(200))
        secrets[item]?.append(String(value.prefix(24)))
        if number == 0 { secrets[item]?.append(name) }
        return Field(name: id(name), value: .text(value))
    }

    private mutating func submit(about item: Identifier, beside items: [Identifier]) throws {
        let base = room.durableRevision - min(room.durableRevision, UInt64(random.below(12)))
        let place = Placement(section: id("main"), position: random.chance(50) ? .index(0) : .end)
        var operations: [ListOperation] = []
        switch random.below(10) {
        case 0...3: operations.append(.insert(try Item(item, [:]), to: place))
        case 4: operations.append(.delete(item))
        case 5: operations.append(.move(item, to: place))
        default: break
        }
        operations.append(.update(item, ItemPatch(set: [field(of: item)])))
        if random.chance(10) { operations.append(.delete(id("unknown"))) }
        if random.chance(30) {
            operations.append(.move(items[random.below(items.count)], to: place))
        }
        let member = random.below(counters.count)
        counters[member] += 1
        let transaction = ListTransaction(base: base, operations: operations)
        _ = room.receive(
            try PackedTransaction(transaction), counter: counters[member],
            from: ConnectionID(value: UInt64(member)))
    }

    private mutating func commit() {
        time += 10
        guard let record = room.endTurn(wallClockMilliseconds: time) else { return }
        records.append(record)
        room.appended(through: record.sequence)
        var answers: [RoomAnswer] = []
        room.takeAnswers { answers += $0 }
        for answer in answers {
            switch answer.outcome {
            case .committed(let commit): lossCount += commit.superseded.isEmpty ? 0 : 1
            case .rejected: refusedCount += 1
            }
        }
        guard random.chance(15) else { return }
        images.append(
            StoredSnapshot(
                sequence: record.sequence, revision: record.lastRevision,
                trustedMilliseconds: time, body: room.state.encodeImage()))
    }

    /// The room's content without some of its items.
    func content(without purged: Set<Identifier>) -> [Item] {
        room.state.engine.snapshot().sections.flatMap(\.items).filter { !purged.contains($0.id) }
    }
}
