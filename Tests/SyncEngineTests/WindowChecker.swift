import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// Compares windows with the twin's moments, and remembers which incarnation each key ever named.
struct WindowChecker {
    private var keyOfLife: [Int: ThingKey] = [:]
    private var lifeOfKey: [ThingKey: Int] = [:]

    /// Compares the window at a revision, and what changed since another.
    mutating func check(
        _ engine: TestedEngine, _ twin: Twin, at revision: Revision, since base: Revision,
        _ random: inout SplitMix64
    ) throws {
        let window = try #require(engine.window(at: revision))
        let moment = try #require(twin.moment(at: revision))
        let sections = moment.snapshot.sections
        #expect(window.revision == revision)
        #expect(window.sectionCount == sections.count)
        #expect(window.sectionKey(at: sections.count) == nil)
        #expect(window.itemCount(inSection: sections.count) == 0)
        #expect(window.itemKeys(inSection: -1, 0..<9).isEmpty)
        var living: Set<ThingKey> = []
        // The order is random, since a window finds out about its sections one by one.
        for index in Array(sections.indices).shuffled(using: &random) {
            let key = try #require(window.sectionKey(at: index))
            living.insert(key)
            note(key, moment.sectionLives[index])
            #expect(window.sectionIndex(of: key) == index)
            #expect(window.section(key) == sections[index].section)
            #expect(window.item(key) == nil && window.path(ofItem: key) == nil)
            living.formUnion(try checkItems(window, moment, inSection: index, &random))
        }
        for key in lifeOfKey.keys where !living.contains(key) {
            #expect(window.item(key) == nil && window.section(key) == nil)
            #expect(window.path(ofItem: key) == nil && window.sectionIndex(of: key) == nil)
        }
        let before = try #require(twin.moment(at: base))
        checkChanges(window, moment, since: before, twin)
        if engine.horizon > 0 {
            #expect(living.allSatisfy { window.hasChanged($0, since: engine.horizon - 1) })
        }
    }

    private mutating func checkItems(
        _ window: RoomWindow, _ moment: Moment, inSection section: Int, _ random: inout SplitMix64
    ) throws -> [ThingKey] {
        let items = moment.snapshot.sections[section].items
        #expect(window.itemCount(inSection: section) == items.count)
        let keys = window.itemKeys(inSection: section, 0..<items.count + 3)
        try #require(keys.count == items.count)
        for (index, key) in keys.enumerated() {
            let path = ItemPath(section: section, item: index)
            note(key, moment.itemLives[section][index])
            #expect(window.itemKey(at: path) == key)
            #expect(window.path(ofItem: key) == path)
            #expect(window.item(key) == items[index])
            #expect(window.section(key) == nil && window.sectionIndex(of: key) == nil)
        }
        #expect(window.itemKey(at: ItemPath(section: section, item: -1)) == nil)
        #expect(window.itemKey(at: ItemPath(section: section, item: items.count)) == nil)
        let start = random.below(items.count + 1)
        let range = start..<start + random.below(items.count - start + 1)
        #expect(window.itemKeys(inSection: section, range) == Array(keys[range]))
        return keys
    }

    /// A life has one key and a key one life.
    private mutating func note(_ key: ThingKey, _ life: Int) {
        #expect(keyOfLife[life, default: key] == key)
        #expect(lifeOfKey[key, default: life] == life)
        keyOfLife[life] = key
        lifeOfKey[key] = life
    }

    /// Whatever differs counts as changed. Nothing counts as changed that nobody wrote.
    private func checkChanges(
        _ window: RoomWindow, _ moment: Moment, since before: Moment, _ twin: Twin
    ) {
        let base = before.snapshot.revision
        let old = WindowChecker.contents(before)
        let writtenItems = twin.writes.items(from: base, to: window.revision)
        let writtenSections = twin.writes.sections(from: base, to: window.revision)
        for (life, content) in WindowChecker.contents(moment) {
            guard let former = old[life], let key = keyOfLife[life] else { continue }
            let hasChanged = window.hasChanged(key, since: base)
            if former != content { #expect(hasChanged) }
            switch content {
            case .item(let item): #expect(!hasChanged || writtenItems.contains(item.id))
            case .section(let section):
                #expect(!hasChanged || writtenSections.contains(section.id))
            }
        }
        let (nodes, formerNodes) = (WindowChecker.nodes(moment), WindowChecker.nodes(before))
        for (life, nodes) in nodes {
            guard let former = formerNodes[life], let key = keyOfLife[life] else { continue }
            #expect(window.hasMoved(key, since: base) == (nodes != former))
        }
    }

    /// The nodes of items and of their sections.
    private static func nodes(_ moment: Moment) -> [Int: [Int]] {
        var nodes: [Int: [Int]] = [:]
        for section in moment.sectionLives.indices {
            for (life, node) in zip(moment.itemLives[section], moment.itemNodes[section]) {
                nodes[life] = [node, moment.sectionNodes[section]]
            }
        }
        return nodes
    }

    private enum Content: Equatable {
        case item(Item)
        case section(ListSection)
    }

    /// The contents of the lives of a moment.
    private static func contents(_ moment: Moment) -> [Int: Content] {
        var contents: [Int: Content] = [:]
        for (index, state) in moment.snapshot.sections.enumerated() {
            contents[moment.sectionLives[index]] = .section(state.section)
            for (item, life) in zip(state.items, moment.itemLives[index]) {
                contents[life] = .item(item)
            }
        }
        return contents
    }
}

extension RoomWindow {
    fileprivate func itemKeys(inSection section: Int, _ range: Range<Int>) -> [ThingKey] {
        var keys: [ThingKey] = []
        readItemKeys(inSection: section, range, into: &keys)
        return keys
    }
}
