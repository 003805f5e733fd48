import SyncEngine

/// Edits that one author makes in a room of ``ViewedRoom``'s items: three of four set the title of some
/// item, the others insert, delete and move by turns, at random places.
struct EditScript {
    private var random: SplitMix
    /// The numbers of the items that live, in no order.
    private var living: [Int]
    private var made = 0
    private var count: Int

    init(items: Int, seed: UInt64) {
        living = Array(0..<items)
        count = items
        random = SplitMix(state: seed)
    }

    mutating func next() throws -> SyncEngine.Operation {
        made += 1
        let chosen = random.below(living.count)
        guard made % 4 == 0 else {
            let title = Field(name: try Identifier("title"), value: .text("title \(made)"))
            return .update(try EngineBenchmark.id(living[chosen]), ItemPatch(set: [title]))
        }
        switch made / 4 % 3 {
        case 0:
            living.append(count)
            count += 1
            return .insert(try ViewedRoom.item(count - 1), to: try place(of: living.count))
        case 1:
            let item = living[chosen]
            living.swapAt(chosen, living.count - 1)
            living.removeLast()
            return .delete(try EngineBenchmark.id(item))
        default:
            return .move(try EngineBenchmark.id(living[chosen]), to: try place(of: living.count))
        }
    }

    private mutating func place(of count: Int) throws -> Placement {
        Placement(
            section: try Identifier("main"), position: .index(UInt64(random.below(count))))
    }
}
