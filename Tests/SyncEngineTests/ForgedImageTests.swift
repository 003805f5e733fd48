import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// An image may come from a stranger, with a checksum that fits.
@Suite("Forged images")
struct ForgedImageTests {
    /// A change to the image of ``room()``, and the error that it has to end with.
    struct Forgery: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let error: String
        let edit: @Sendable (inout EditableImage) -> Void

        init(
            _ name: String, _ error: String,
            _ edit: @escaping @Sendable (inout EditableImage) -> Void
        ) {
            (testDescription, self.error, self.edit) = (name, error, edit)
        }
    }

    /// A room whose item `a` was moved, `b` updated, and `c` updated and deleted. `y` was born and
    /// died in one revision. The section `done` was deleted with `d` and brought back by `x`.
    private func room() throws -> TestRoom {
        let room = try TestRoom("main[a b c] done[d e]")
        try room.submit("ann", .move("a", .end(of: "main")))
        try room.submit(
            "ann", .set(field("f", .text("1")), of: "b"), .set(field("f", .text("1")), of: "c"))
        try room.submit("ann", .deleteSection("done"))
        try room.submit("ben", at: 3, [.insert("x", .after("d", in: "done"))])
        try room.submit("ann", .delete("c"))
        try room.submit("ann", .insert("y", .end(of: "main")), .delete("y"))
        #expect(room.text == "main[b a] done[x]" && room.revision == 7)
        return room
    }

    private static let tooLarge = [UInt8](repeating: 0, count: Engine.maximumContentBytes + 1)

    static let forgeries = [
        Forgery("a content of too many bytes", "a content is too large") {
            $0.things[0].content = tooLarge
        },
        Forgery("a former content of too many bytes", "a content is too large") {
            $0.versions[0].content = tooLarge
        },
        Forgery("a revision near the last number", "the revision or the horizon is out of range") {
            $0.revision = 1 << 47
            $0.horizon = 1 << 47
        },
        Forgery("many revisions that touched nothing", "the horizon is too far back") {
            $0.revision = 2 * Engine.retainedRevisions + 1
        },
        Forgery("more sequences than nodes", "a count is too large") {
            $0.sequenceCount = UInt64($0.bytes.count / 8)
        },
        Forgery("a sequence without a section", "a sequence has no section") {
            $0.sequenceCount += 1
        },
        Forgery("a node that died before it was born", "a node's revisions are out of range") {
            $0.nodes[$0.lastNode(of: "c")].born = 7
        },
        Forgery("a node before itself", "the nodes of a thing are no chain") {
            let node = $0.lastNode(of: "y")
            $0.nodes[node].previous = UInt64(node + 1)
        },
        Forgery("two things with each other's nodes", "the nodes of a thing are no chain") {
            let (left, right) = ($0.index(of: "d"), $0.index(of: "e"))
            let node = $0.things[left].lastNode
            $0.things[left].lastNode = $0.things[right].lastNode
            $0.things[right].lastNode = node
        },
        Forgery("a node that no other leads to", "a node is not its thing's") {
            $0.nodes[$0.lastNode(of: "a")].previous = 0
        },
        Forgery("an item at two places", "a thing is at two places") {
            $0.nodes[$0.formerNode(of: "a")].died = 3
        },
        Forgery("a first node that lives", "a thing is at two places") {
            $0.nodes[$0.formerNode(of: "a")].died = 0
        },
        Forgery("an item that lives without a node", "a thing is dead and alive") {
            $0.things[$0.index(of: "c")].deletion = 0
        },
        Forgery("an item that is dead with a node", "a thing is dead and alive") {
            $0.things[$0.index(of: "b")].deletion = 1
        },
        Forgery("a section with another's items", "a section is not in its latest life") {
            $0.things[$0.index(of: "done")].sequence = $0.things[$0.index(of: "main")].sequence
        },
        Forgery("two sections with the same items", "two sections have the same items") {
            let main = $0.things[$0.index(of: "main")].sequence
            $0.things[$0.index(of: "done")].sequence = main
            $0.nodes[$0.lastNode(of: "done")].sequence = main
        },
        Forgery("an item in a dead section", "an item is in a section that is dead") {
            $0.things[$0.index(of: "done")].deletion = 1
            $0.nodes[$0.lastNode(of: "done")].died = 6
        },
        Forgery("an item while its section is dead", "an item is in a section that is dead") {
            $0.nodes[$0.lastNode(of: "d")].died = 6
        },
        Forgery("an item of two lives", "an item is in a section that is dead") {
            $0.nodes[$0.lastNode(of: "x")].born = 3
        },
        Forgery("an item before its section", "an item is in a section that is dead") {
            $0.nodes[$0.formerNode(of: "done")].born = 2
        },
        Forgery(
            "a content that outlives its item",
            "a former content has no thing, or is out of range"
        ) {
            let thing = UInt64($0.index(of: "c") + 1)
            for index in $0.versions.indices where $0.versions[index].thing == thing {
                $0.versions[index].revision = 7
            }
        },
    ]

    @Test("are refused", arguments: forgeries)
    func refused(_ forgery: Forgery) throws {
        let bytes = try room().engine.encodeImage()
        var image = try EditableImage(bytes)
        #expect(image.bytes == bytes)
        forgery.edit(&image)
        #expect(throws: ImageError.malformed(forgery.error)) {
            try image.bytes.withUnsafeBytes { _ = try Engine(image: $0) }
        }
    }

    @Test("that are not refused are rooms in which everything works", arguments: 1...16)
    func harmless(seed: UInt64) throws {
        let image = try EditableImage(history(seed).encodeImage())
        var random = SplitMix64(seed: seed &* 53)
        var readCount = 0
        for _ in 0..<40 {
            var forged = image
            for _ in 0..<(1 + random.below(3)) { edit(&forged, &random) }
            let engine = try? forged.bytes.withUnsafeBytes { try Engine(image: $0) }
            guard let engine else { continue }
            readCount += 1
            read(engine)
            #expect(throws: Never.self, "seed \(seed)") { _ = try engine.reloaded() }
            change(engine, &random)
            engine.advanceHorizon(to: engine.revision)
            engine.checkInvariants()
        }
        #expect(readCount > 0, "seed \(seed): all are refused")
    }

    /// An engine after a random history.
    private func history(_ seed: UInt64) throws -> Engine {
        var generator = HistoryGenerator(seed: seed)
        let engine = Engine()
        let twin = Twin()
        for _ in 0..<60 {
            switch generator.next(twin) {
            case .advanceHorizon(let revision):
                engine.advanceHorizon(to: revision)
                twin.advanceHorizon(to: revision)
            case .submit(let transaction, let author):
                _ = try? engine.submit(transaction, by: author)
                _ = try? twin.submit(transaction, by: author)
            default: break
            }
        }
        return engine
    }

    // MARK: Editing

    /// Changes one number: to one nearby, or to another one in the image's range.
    private func edit(_ image: inout EditableImage, _ random: inout SplitMix64) {
        func changed(_ number: UInt64, below limit: Int) -> UInt64 {
            switch random.below(4) {
            case 0: number + 1
            case 1: number - min(number, 1)
            default: UInt64(random.below(limit))
            }
        }
        let thing = image.things.indices.randomElement(using: &random)
        let node = image.nodes.indices.randomElement(using: &random)
        let limit = max(image.nodes.count, Int(image.revision)) + 2
        switch random.below(8) {
        case 0: image.horizon = changed(image.horizon, below: Int(image.revision) + 1)
        case 1: image.revision = changed(image.revision, below: Int(image.revision) + 3)
        case 2:
            guard let version = image.versions.indices.randomElement(using: &random) else { return }
            image.versions[version].thing = changed(
                image.versions[version].thing, below: image.things.count + 1)
            image.versions[version].revision = changed(
                image.versions[version].revision, below: Int(image.revision) + 1)
        case 3, 4:
            guard let thing, let number = EditableImage.Thing.numbers.randomElement(using: &random)
            else { return }
            image.things[thing][keyPath: number] = changed(
                image.things[thing][keyPath: number], below: limit)
        default:
            guard let node, let number = EditableImage.Node.numbers.randomElement(using: &random)
            else { return }
            image.nodes[node][keyPath: number] = changed(
                image.nodes[node][keyPath: number], below: limit)
        }
    }

    // MARK: Everything that can be done with a room

    /// Reads all that the room remembers.
    private func read(_ engine: Engine) {
        engine.checkInvariants()
        for revision in engine.horizon...engine.revision {
            _ = engine.snapshot(at: revision)
            _ = engine.batch(from: engine.horizon, to: revision)
            _ = engine.batch(from: revision, to: engine.revision)
            if let window = engine.window(at: revision) { read(window) }
            guard var walk = RoomWalk(engine, at: revision) else { continue }
            while walk.read(
                engine, stepLimit: 20, section: { _ in true }, item: { _ in true }) == .more
            {}
        }
        engine.forEachBatch(from: engine.horizon, to: engine.revision) { _ in true }
    }

    private func read(_ window: RoomWindow) {
        for section in 0..<window.sectionCount {
            if let key = window.sectionKey(at: section) { _ = window.sectionIndex(of: key) }
            for item in 0..<window.itemCount(inSection: section) {
                let path = ItemPath(section: section, item: item)
                guard let key = window.itemKey(at: path) else { continue }
                _ = (window.path(ofItem: key), window.item(key))
                _ = window.hasMoved(key, since: window.revision - min(window.revision, 2))
            }
        }
    }

    /// Changes the room from all revisions that it remembers.
    private func change(_ engine: Engine, _ random: inout SplitMix64) {
        let snapshots = (engine.horizon...engine.revision).compactMap { engine.snapshot(at: $0) }
        for number in 0..<30 {
            guard let known = snapshots.randomElement(using: &random),
                let sections = known.sections.randomElement(using: &random)
            else { continue }
            let section = sections.section.id
            let item = sections.items.randomElement(using: &random)?.id ?? section
            let index = Placement(section: section, position: .index(UInt64(random.below(9))))
            let operations: [ListOperation] = [
                .delete(item), .move(item, to: index), .deleteSection(section),
                .insert("new\(number)", .after(item.text)), .moveSection(section, to: .end),
                .insert("new\(number)", .before(item.text, in: section.text)),
                .set(field("f", .text("\(number)")), of: item.text),
                .insertSection(section.text, .end),
            ]
            let chosen = (0..<3).compactMap { _ in operations.randomElement(using: &random) }
            let transaction = ListTransaction(base: known.revision, operations: chosen)
            _ = try? engine.submit(transaction, by: name("stranger \(number)"))
            engine.checkInvariants()
            if random.below(6) == 0 { engine.advanceHorizon(to: engine.horizon + 1) }
        }
    }
}
