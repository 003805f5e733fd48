import EngineTwin
import SyncModel
import Testing

/// The checker of batches refuses every kind of illegal batch. A lenient checker makes the property
/// tests worthless.
@Suite struct LegalityCheckerTests {
    /// `main[a b c] s[d]`.
    private static let room = Snapshot(
        revision: 1,
        sections: [
            .init(section: ListSection(id: name("main")), items: ["a", "b", "c"].map(item)),
            .init(section: ListSection(id: name("s")), items: [item("d")]),
        ])

    private static func item(_ id: String) -> Item { Item(id: name(id)) }

    private static func path(_ section: Int, _ item: Int) -> ItemPath {
        ItemPath(section: section, item: item)
    }

    private static func placed(_ id: String, _ section: Int, _ index: Int) -> Stage.PlacedItem {
        .init(path: path(section, index), item: item(id))
    }

    /// A stage with one or more of its lists filled.
    private static func stage(_ fill: (inout Stage) -> Void) -> Stage {
        var stage = Stage()
        fill(&stage)
        return stage
    }

    private func apply(
        _ stages: [Stage], sections: Int = 2, counts: [SectionCount] = []
    ) throws -> Snapshot {
        let batch = Batch(from: 1, to: 2, stages: stages, sections: sections, counts: counts)
        return try LegalityChecker.apply(batch, to: LegalityCheckerTests.room)
    }

    @Test func whatIsLegalIsApplied() throws {
        let stages = [
            Self.stage { $0.reloads = [Self.placed("b", 0, 1)] },
            Self.stage { stage in
                stage.insertSections = [.init(index: 0, section: ListSection(id: name("t")))]
                stage.moveSections = [.init(from: 0, to: 2)]
            },
            Self.stage { stage in
                stage.deletes = [Self.path(2, 0)]
                stage.inserts = [Self.placed("x", 0, 0)]
                stage.moves = [.init(from: Self.path(1, 0), to: Self.path(0, 1))]
            },
            Self.stage { $0.deleteSections = [1] },
        ]
        let counts = [SectionCount(section: 0, items: 2), SectionCount(section: 1, items: 2)]
        let result = try apply(stages, counts: counts)
        #expect(TestRoom.text(result) == "t[x d] main[b c]")
    }

    @Test(arguments: [
        ("an empty stage", [Stage()]),
        (
            "two roles in one stage",
            [
                stage { stage in
                    stage.deletes = [path(0, 0)]
                    stage.deleteSections = [1]
                }
            ]
        ),
        (
            "stages out of order",
            [stage { $0.deleteSections = [1] }, stage { $0.deletes = [path(0, 0)] }]
        ),
        ("one index deleted twice", [stage { $0.deletes = [path(0, 0), path(0, 0)] }]),
        ("deletes that descend", [stage { $0.deletes = [path(0, 1), path(0, 0)] }]),
        (
            "a delete and a move of one item",
            [
                stage { stage in
                    stage.deletes = [path(0, 0)]
                    stage.moves = [.init(from: path(0, 0), to: path(0, 1))]
                }
            ]
        ),
        (
            "an insert and a move to one place",
            [
                stage { stage in
                    stage.inserts = [placed("x", 0, 1)]
                    stage.moves = [.init(from: path(0, 0), to: path(0, 1))]
                }
            ]
        ),
        ("a delete out of range", [stage { $0.deletes = [path(0, 3)] }]),
        ("a delete in no section", [stage { $0.deletes = [path(2, 0)] }]),
        ("an insert out of range", [stage { $0.inserts = [placed("x", 0, 4)] }]),
        ("an insert of what is there", [stage { $0.inserts = [placed("d", 0, 0)] }]),
        ("a reload out of range", [stage { $0.reloads = [placed("a", 0, 3)] }]),
        ("a reload of another item", [stage { $0.reloads = [placed("b", 0, 0)] }]),
        (
            "a changed section out of range",
            [stage { $0.changedSections = [.init(index: 2, section: ListSection(id: name("s")))] }]
        ),
        (
            "a section moved twice",
            [stage { $0.moveSections = [.init(from: 0, to: 0), .init(from: 0, to: 1)] }]
        ),
        (
            "a section inserted out of range",
            [stage { $0.insertSections = [.init(index: 3, section: ListSection(id: name("t")))] }]
        ),
        ("a section deleted out of range", [stage { $0.deleteSections = [2] }]),
        (
            "an item listed that goes with its section",
            [stage { $0.deletes = [path(1, 0)] }, stage { $0.deleteSections = [1] }]
        ),
    ])
    func whatIsIllegalIsRefused(what: String, stages: [Stage]) {
        let deleted = stages.last?.deleteSections.count ?? 0
        let inserted = stages.last?.insertSections.count ?? 0
        #expect(throws: Illegality.self, "\(what)") {
            // The counts of the lists as they are, so that nothing else is wrong.
            let items = stages.reduce(3) { $0 + $1.inserts.count - $1.deletes.count }
            let isTouched = stages.contains { !$0.deletes.isEmpty || !$0.inserts.isEmpty }
            _ = try apply(
                stages, sections: 2 - deleted + inserted,
                counts: isTouched ? [SectionCount(section: 0, items: items)] : [])
        }
    }

    @Test func wrongCountsAreRefused() {
        let stages = [Self.stage { $0.deletes = [Self.path(0, 0)] }]
        let right = SectionCount(section: 0, items: 2)
        #expect(throws: Never.self) { try apply(stages, counts: [right]) }
        #expect(throws: Illegality.self) { try apply(stages, sections: 3, counts: [right]) }
        #expect(throws: Illegality.self) { try apply(stages, counts: []) }
        #expect(throws: Illegality.self) {
            try apply(stages, counts: [SectionCount(section: 0, items: 3)])
        }
        #expect(throws: Illegality.self) {
            try apply(stages, counts: [right, SectionCount(section: 1, items: 1)])
        }
    }

    @Test func aBatchFromAnotherRevisionIsRefused() {
        let batch = Batch(from: 2, to: 3, sections: 2)
        #expect(throws: Illegality.self) {
            try LegalityChecker.apply(batch, to: LegalityCheckerTests.room)
        }
    }
}
