import SyncModel

// A stage is applied as the merge rules say. First things are reloaded in place. Then all deleted
// and moving things are removed. Then inserted and moving things are inserted at their targets, in
// ascending order. Sections change after items are removed and before items are inserted. So old
// paths refer to the old sections, and new paths to the new ones.
extension Replica {
    mutating func apply(_ stage: Stage) throws(ReplicaError) {
        try reload(stage)
        let movedItems = try takeOutItems(stage)
        let movedSections = try takeOutSections(stage)
        try putInSections(stage, moved: movedSections)
        try putInItems(stage, moved: movedItems)
    }

    // MARK: Reloads

    private mutating func reload(_ stage: Stage) throws(ReplicaError) {
        for placed in stage.reloads {
            guard let old = item(at: placed.path) else { throw .noItem(placed.path) }
            guard old.id == placed.item.id else { throw .anotherThing(placed.item.id) }
            byteCount += MemoryBytes.of(placed.item) - MemoryBytes.of(old)
            sections[placed.path.section].items[placed.path.item] = placed.item
        }
        for placed in stage.changedSections {
            guard let old = section(at: placed.index) else { throw .noSection(placed.index) }
            guard old.id == placed.section.id else { throw .anotherThing(placed.section.id) }
            byteCount += MemoryBytes.of(placed.section) - MemoryBytes.of(old)
            sections[placed.index].section = placed.section
        }
    }

    // MARK: Items

    /// An item that leaves its place: by the move of that index, or deleted without one.
    private struct Departure {
        var path: ItemPath
        var move: Int?
    }

    /// An item that is inserted at a place.
    private struct Arrival {
        var path: ItemPath
        var item: Item
    }

    /// - Returns: the items that move, in the order of the moves.
    private mutating func takeOutItems(_ stage: Stage) throws(ReplicaError) -> [Item?] {
        var departures = stage.deletes.map { Departure(path: $0, move: nil) }
        departures += stage.moves.indices.map { Departure(path: stage.moves[$0].from, move: $0) }
        if !stage.moves.isEmpty { departures.sort { $0.path < $1.path } }
        guard Replica.isStrictlyAscending(departures, by: { $0.path < $1.path }) else {
            throw .unorderedItems
        }
        var moved = [Item?](repeating: nil, count: stage.moves.count)
        var rest = departures[...]
        while let first = rest.first, let last = Replica.lastOfSection(in: rest, \.path.section) {
            let here = rest[...last]
            rest = rest[(last + 1)...]
            let section = first.path.section
            let count = try items(in: section)
            guard let first = here.first?.path, let last = here.last?.path, first.item >= 0,
                last.item < count
            else { throw .noItem(here.last?.path ?? first.path) }
            let taken = sections[section].items.remove(at: here.lazy.map(\.path.item))
            for (departure, item) in zip(here, taken) {
                if let move = departure.move {
                    moved[move] = item
                } else {
                    byteCount -= MemoryBytes.of(item)
                    places?[item.id] = nil
                }
            }
        }
        return moved
    }

    private mutating func putInItems(_ stage: Stage, moved: [Item?]) throws(ReplicaError) {
        for placed in stage.inserts { byteCount += MemoryBytes.of(placed.item) }
        var arrivals = stage.inserts.map { Arrival(path: $0.path, item: $0.item) }
        for (move, item) in zip(stage.moves, moved) {
            guard let item else { throw .noItem(move.from) }
            arrivals.append(Arrival(path: move.to, item: item))
        }
        if !moved.isEmpty { arrivals.sort { $0.path < $1.path } }
        guard Replica.isStrictlyAscending(arrivals, by: { $0.path < $1.path }) else {
            throw .unorderedItems
        }
        var rest = arrivals[...]
        while let first = rest.first, let last = Replica.lastOfSection(in: rest, \.path.section) {
            let here = rest[...last]
            rest = rest[(last + 1)...]
            let section = first.path.section
            let count = try items(in: section)
            guard let gap = Replica.firstGap(in: here.lazy.map(\.path.item), after: count) else {
                insert(here.map { (index: $0.path.item, element: $0.item) }, in: section)
                continue
            }
            throw .noItem(ItemPath(section: section, item: gap))
        }
    }

    private mutating func insert(_ items: [(index: Int, element: Item)], in section: Int) {
        guard places != nil else { return sections[section].items.insert(items) }
        let number = sections[section].number
        var moved: [(id: Identifier, chunk: Int)] = []
        sections[section].items.insert(items) { moved.append(($0.id, $1)) }
        for (id, chunk) in moved { places?[id] = Place(section: number, chunk: chunk) }
    }

    /// How many items a section has; an error if there is no such section.
    func items(in section: Int) throws(ReplicaError) -> Int {
        guard section >= 0, section < sections.count else { throw .noSection(section) }
        return sections[section].items.count
    }

    // MARK: Sections

    /// - Returns: the sections that move, in the order of the moves.
    private mutating func takeOutSections(_ stage: Stage) throws(ReplicaError) -> [SectionEntry] {
        var departures = stage.deleteSections.map { (index: $0, move: Int?.none) }
        departures += stage.moveSections.indices.map { (stage.moveSections[$0].from, $0) }
        guard !departures.isEmpty else { return [] }
        departures.sort { $0.index < $1.index }
        guard Replica.isStrictlyAscending(departures, by: { $0.index < $1.index }) else {
            throw .unorderedSections
        }
        guard let first = departures.first?.index, let last = departures.last?.index, first >= 0,
            last < sections.count
        else { throw .noSection(departures.last?.index ?? 0) }
        let taken = sections.remove(at: departures.map(\.index))
        for (departure, entry) in zip(departures, taken) where departure.move == nil {
            byteCount -= MemoryBytes.of(entry.section)
            entry.items.forEach { byteCount -= MemoryBytes.of($0) }
        }
        // Servers delete a section's items before the section. If one did not, the places are found
        // anew.
        if zip(departures, taken).contains(where: { $0.move == nil && $1.items.count > 0 }) {
            places = nil
        }
        return zip(departures, taken)
            .compactMap { departure, entry in departure.move.map { (move: $0, entry: entry) } }
            .sorted { $0.move < $1.move }
            .map(\.entry)
    }

    private mutating func putInSections(
        _ stage: Stage, moved: [SectionEntry]
    ) throws(ReplicaError) {
        for placed in stage.insertSections { byteCount += MemoryBytes.of(placed.section) }
        var arrivals = stage.insertSections.map { placed in
            (index: placed.index, element: makeEntry(placed.section))
        }
        arrivals += zip(stage.moveSections, moved).map { (index: $0.to, element: $1) }
        guard !arrivals.isEmpty else { return }
        arrivals.sort { $0.index < $1.index }
        guard Replica.isStrictlyAscending(arrivals, by: { $0.index < $1.index }) else {
            throw .unorderedSections
        }
        if let gap = Replica.firstGap(in: arrivals.lazy.map(\.index), after: sections.count) {
            throw .noSection(gap)
        }
        sections.insert(arrivals)
    }

    // MARK: Checks

    private static func isStrictlyAscending<Element>(
        _ list: [Element], by isBefore: (Element, Element) -> Bool
    ) -> Bool {
        zip(list, list.dropFirst()).allSatisfy(isBefore)
    }

    /// The index in the sorted `list` of the last element that is in the same section as the first.
    private static func lastOfSection<Element>(
        in list: ArraySlice<Element>, _ section: (Element) -> Int
    ) -> Int? {
        guard let first = list.first.map(section) else { return nil }
        var last = list.startIndex
        while last + 1 < list.endIndex, section(list[last + 1]) == first { last += 1 }
        return last
    }

    /// The first of ascending target indices that leaves a gap after `count` things and the earlier
    /// targets.
    private static func firstGap<Indices: Sequence>(
        in indices: Indices, after count: Int
    ) -> Int? where Indices.Element == Int {
        var count = count
        for index in indices {
            if index < 0 || index > count { return index }
            count += 1
        }
        return nil
    }
}
