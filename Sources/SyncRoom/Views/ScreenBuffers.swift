import SyncEngine
import SyncLayout
import SyncModel
import SyncWire

/// Buffers for making the updates of views. All updates of a turn use them, one after the other, so
/// that none allocates its own.
final class ScreenBuffers {
    // Exclusivity checks are off here: they cost time with each element, and no two accesses
    // overlap.
    /// The elements that are to be on the screen.
    @exclusivity(unchecked) var elements: [LayoutElement] = []
    @exclusivity(unchecked) var items = ItemRuns()
    @exclusivity(unchecked) var screen: [ScreenElement] = []
    /// Which elements of the client's screen stay.
    @exclusivity(unchecked) var isKept: [Bool] = []
    @exclusivity(unchecked) private var changed: [ViewUpdate.Changed] = []

    /// Makes the new screen the view's screen.
    func give(to view: RoomView) {
        // A small screen does not get the buffer of a large one.
        if screen.capacity <= 2 * screen.count + 16 {
            swap(&view.screen, &screen)
        } else {
            view.screen = screen.map { $0 }
        }
        screen.removeAll(keepingCapacity: true)
    }

    /// An empty buffer for an update's changes.
    func takeChanged() -> [ViewUpdate.Changed] {
        var taken: [ViewUpdate.Changed] = []
        swap(&taken, &changed)
        return taken
    }

    /// Takes back the buffer of an update that was encoded.
    func reuse(_ update: inout ViewUpdate) {
        swap(&changed, &update.changed)
        changed.removeAll(keepingCapacity: true)
    }
}

/// The items at the paths of some elements. They are read in runs, as the items on a screen are
/// mostly consecutive.
struct ItemRuns {
    /// The cells of a section.
    private struct Run {
        var section: Int
        var low: Int
        var high: Int
        var count = 1
        /// The range in `keys` of the items from `low` on; empty if they were not read.
        var keys = 0..<0
    }

    private var runs: [Run] = []
    private var keys: [ThingKey] = []
    /// The run that was used last.
    private var current = 0
    /// Whether the elements include supplementaries of items.
    private(set) var haveSupplementaries = false

    /// Reads the items at the paths of the cells among some elements.
    mutating func read(_ elements: [LayoutElement], in window: RoomWindow) {
        runs.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        current = 0
        haveSupplementaries = false
        for index in elements.indices {
            if case .itemSupplementary = elements[index].identity { haveSupplementaries = true }
            guard case .cell(let path) = elements[index].identity else { continue }
            let last = runs.count - 1
            if last >= 0, runs[last].section == path.section {
                runs[last].low = min(runs[last].low, path.item)
                runs[last].high = max(runs[last].high, path.item)
                runs[last].count += 1
            } else {
                runs.append(Run(section: path.section, low: path.item, high: path.item))
            }
        }
        for index in runs.indices {
            let run = runs[index]
            guard run.high - run.low < 4 * run.count else { continue }
            let first = keys.count
            window.readItemKeys(inSection: run.section, run.low..<run.high + 1, into: &keys)
            runs[index].keys = first..<keys.count
        }
    }

    /// The item at a path; `nil` if there is none.
    mutating func key(at path: ItemPath, in window: RoomWindow) -> ThingKey? {
        if current >= runs.count || runs[current].section != path.section {
            current = runs.firstIndex { $0.section == path.section } ?? runs.count
        }
        guard current < runs.count else { return window.itemKey(at: path) }
        let index = runs[current].keys.lowerBound + path.item - runs[current].low
        return runs[current].keys.contains(index) ? keys[index] : window.itemKey(at: path)
    }
}
