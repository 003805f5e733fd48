import SeededRandom
import SyncModel

/// Edits of one author in a room of ``ViewedRoom``'s items. Three of four set the title of an item;
/// the others insert, delete and move by turns, at random places.
///
/// One of sixteen is different: it lengthens a long item at the end, which the first edit inserts.
/// That changes the size of the content, so every viewer has an update, wherever its screen is.
struct EditScript {
    private static let editsPerLengthening = 16
    /// The growth of the long item, in points: more than other edits between two updates remove.
    private static let growth = 1000

    private var random: SplitMix64
    /// The numbers of the existing items, in no order.
    private var living: [Int]
    private var made = 0
    /// How often the long item was made longer.
    private var lengthenings = 0
    private var count: Int
    private let longItem: Int

    init(items: Int, seed: UInt64) {
        living = Array(0..<items)
        longItem = items
        count = items + 1
        random = SplitMix64(seed: seed)
    }

    mutating func next() throws -> ListOperation {
        made += 1
        if made % EditScript.editsPerLengthening == 1 { return try lengthening() }
        let chosen = random.below(living.count)
        guard made % 4 == 0 else {
            let title = Field(name: Identifier("title"), value: .text("title \(made)"))
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

    /// An edit that every viewer is shown.
    mutating func lengthening() throws -> ListOperation {
        lengthenings += 1
        let size = ListSize(width: 100, height: Double(lengthenings * EditScript.growth))
        let id = try EngineBenchmark.id(longItem)
        guard lengthenings == 1 else { return .update(id, ItemPatch(size: .set(size))) }
        return .insert(
            Item(id: id, content: try ItemContent(size: size)),
            to: Placement(section: Identifier("main"), position: .end))
    }

    private mutating func place(of count: Int) throws -> Placement {
        Placement(
            section: Identifier("main"), position: .index(UInt64(random.below(count))))
    }
}
