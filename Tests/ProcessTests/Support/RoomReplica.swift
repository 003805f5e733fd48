/// A room of a program that knows only the printed lines: a snapshot, and then batches applied by
/// the rules of a collection view. It is written for clarity, without any code of the project.
struct RoomReplica: Equatable {
    struct Section: Equatable {
        /// The section without its items.
        var content: JSON
        var items: [JSON]
    }

    private(set) var revision: Int
    private(set) var sections: [Section]

    /// The room of a snapshot object, wrapped or not.
    init(snapshot: JSON) throws {
        let snapshot = snapshot["snapshot"] ?? snapshot
        revision = try snapshot.index("revision")
        sections = try snapshot.list("sections").map { section in
            Section(
                content: RoomReplica.canonical(section.without("items")),
                items: try section.list("items").map(RoomReplica.canonical))
        }
        try checkIdentifiers()
    }

    var items: [JSON] { sections.flatMap(\.items) }

    var identifiers: [String] { items.compactMap { $0["id"]?.text } }

    var sectionIdentifiers: [String] { sections.compactMap { $0.content["id"]?.text } }

    func item(_ identifier: String) -> JSON? {
        items.first { $0["id"]?.text == identifier }
    }

    /// The ids of a section's items.
    func identifiers(in section: String) -> [String]? {
        sections.first { $0.content["id"]?.text == section }?.items.compactMap { $0["id"]?.text }
    }

    /// Takes the room from a batch's `from` to its `to`.
    mutating func apply(_ batch: JSON) throws {
        try require(try batch.index("from") == revision, "begins at another revision", batch)
        let to = try batch.index("to")
        try require(to > revision, "does not lead on", batch)
        var lastRank = -1
        var touched: [String] = []
        for stage in try batch.list("stages") {
            let rank = try StageKind.rank(of: stage)
            try require(rank > lastRank, "has its stages out of order", batch)
            lastRank = rank
            switch rank {
            case 0: try reload(stage)
            case 1: try moveSections(stage)
            case 2: touched = try moveItems(stage)
            default: try deleteSections(stage)
            }
        }
        revision = to
        try checkIdentifiers()
        try checkCounts(of: batch, touched: touched)
    }

    // MARK: Stages

    private mutating func reload(_ stage: JSON) throws {
        var reloaded: Set<Path> = []
        for reload in try stage.list("reloads") {
            let path = try Path(reload)
            try require(reloaded.insert(path).inserted, "reloads twice", reload)
            let content = try RoomReplica.content(of: reload)
            try require(
                try item(at: path, reload)["id"] == content["id"], "reloads another", reload)
            sections[path.section].items[path.item] = content
        }
        var changed: Set<Int> = []
        for change in try stage.list("changedSections") {
            let index = try change.index("section")
            try require(changed.insert(index).inserted, "changes twice", change)
            try require(sections.indices.contains(index), "changes beyond the end", change)
            let content = try RoomReplica.content(of: change)
            try require(sections[index].content["id"] == content["id"], "changes another", change)
            sections[index].content = content
        }
    }

    private mutating func moveSections(_ stage: JSON) throws {
        var targets: [Int: Section] = [:]
        var sources: Set<Int> = []
        for move in try stage.list("moveSections") {
            let source = try move.index("from")
            try require(sections.indices.contains(source), "moves from beyond the end", move)
            try require(sources.insert(source).inserted, "moves one section twice", move)
            try require(
                targets.updateValue(sections[source], forKey: try move.index("to")) == nil,
                "has two for one place", move)
        }
        for insert in try stage.list("insertSections") {
            let section = Section(content: try RoomReplica.content(of: insert), items: [])
            try require(
                targets.updateValue(section, forKey: try insert.index("section")) == nil,
                "has two for one place", insert)
        }
        for source in sources.sorted(by: >) { sections.remove(at: source) }
        for (target, section) in targets.sorted(by: { $0.key < $1.key }) {
            try require(target <= sections.count, "puts a section beyond the end", stage)
            sections.insert(section, at: target)
        }
    }

    /// Applies deletes, moves and inserts of items; returns the ids of the sections they are in.
    private mutating func moveItems(_ stage: JSON) throws -> [String] {
        var taken: Set<Path> = []
        var targets: [Path: JSON] = [:]
        var deleted: Set<JSON?> = []
        for delete in try stage.list("deletes") {
            let path = try Path(delete)
            deleted.insert(try item(at: path, delete)["id"])
            try require(taken.insert(path).inserted, "deletes twice", delete)
        }
        for move in try stage.list("moves") {
            let source = try Path(move["from"] ?? .null)
            let item = try item(at: source, move)
            try require(taken.insert(source).inserted, "moves what moves or goes", move)
            try require(
                targets.updateValue(item, forKey: try Path(move["to"] ?? .null)) == nil,
                "has two for one place", move)
        }
        for insert in try stage.list("inserts") {
            let content = try RoomReplica.content(of: insert)
            try require(!deleted.contains(content["id"]), "inserts what it deletes", insert)
            try require(
                targets.updateValue(content, forKey: try Path(insert)) == nil,
                "has two for one place", insert)
        }
        for path in taken.sorted(by: >) { sections[path.section].items.remove(at: path.item) }
        for (path, item) in targets.sorted(by: { $0.key < $1.key }) {
            try require(sections.indices.contains(path.section), "names no section", stage)
            try require(
                path.item <= sections[path.section].items.count, "leaves a gap before \(path)",
                stage)
            sections[path.section].items.insert(item, at: path.item)
        }
        let touched = Set(taken.map(\.section)).union(targets.keys.map(\.section))
        return touched.compactMap { sections[$0].content["id"]?.text }
    }

    private mutating func deleteSections(_ stage: JSON) throws {
        let indices = try stage.list("deleteSections").map { $0.integer ?? -1 }
        try require(Set(indices).count == indices.count, "deletes a section twice", stage)
        for index in indices.sorted(by: >) {
            try require(sections.indices.contains(index), "deletes beyond the end", stage)
            sections.remove(at: index)
        }
    }

    // MARK: Checks

    private func checkIdentifiers() throws {
        let identifiers = identifiers
        guard Set(identifiers).count == identifiers.count, identifiers.count == items.count else {
            throw TestFailure("an item is there twice, or without an id, at revision \(revision)")
        }
        guard Set(sectionIdentifiers).count == sections.count else {
            throw TestFailure("a section is there twice, or without an id, at revision \(revision)")
        }
    }

    /// A batch contains the number of sections after it, and the number of items in each section
    /// that it touched.
    private func checkCounts(of batch: JSON, touched: [String]) throws {
        try require(try batch.index("sections") == sections.count, "counts other sections", batch)
        var counted: Set<String> = []
        for count in try batch.list("counts") {
            let index = try count.index("section")
            try require(sections.indices.contains(index), "counts in a section beyond", batch)
            try require(
                try count.index("items") == sections[index].items.count, "counts other items", batch
            )
            counted.insert(sections[index].content["id"]?.text ?? "")
        }
        let remaining = Set(touched).intersection(sectionIdentifiers)
        try require(counted == remaining, "counts in other sections than it touched", batch)
    }

    private func item(at path: Path, _ context: JSON) throws -> JSON {
        try require(
            sections.indices.contains(path.section)
                && sections[path.section].items.indices.contains(path.item),
            "names no item", context)
        return sections[path.section].items[path.item]
    }

    private func require(_ holds: Bool, _ problem: String, _ context: JSON) throws {
        guard holds else {
            throw TestFailure("a batch \(problem) at \(revision): \(try context.line.prefix(2000))")
        }
    }

    // MARK: Content

    private static func content(of change: JSON) throws -> JSON {
        guard let content = change["content"] else { throw TestFailure("no content in \(change)") }
        return canonical(content)
    }

    /// The content without the members that may be omitted.
    private static func canonical(_ content: JSON) -> JSON {
        content.without(empty: ["fields", "supplementaries", "flags"])
    }
}

/// The place of an item.
private struct Path: Hashable, Comparable {
    var section: Int
    var item: Int

    init(_ json: JSON) throws {
        section = try json.index("section")
        item = try json.index("item")
    }

    static func < (left: Path, right: Path) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

/// The parts of a stage. Each stage has parts of one kind, and the kinds come in this order.
private enum StageKind {
    static let keys: [[String]] = [
        ["reloads", "changedSections"], ["insertSections", "moveSections"],
        ["deletes", "inserts", "moves"], ["deleteSections"],
    ]

    static func rank(of stage: JSON) throws -> Int {
        let ranks = stage.keys.map { key in keys.firstIndex { $0.contains(key) } }
        guard let rank = ranks.first ?? nil, ranks.allSatisfy({ $0 == rank }) else {
            throw TestFailure("a stage has no kind, or two: \(stage.keys)")
        }
        return rank
    }
}
