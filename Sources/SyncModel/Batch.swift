/// An item's place: its section's index and its own index in it.
public struct ItemPath: Sendable, Hashable, Comparable {
    /// The section's index in the room.
    public var section: Int
    /// The item's index in the section.
    public var item: Int

    /// Makes a path.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Section by section, then item by item.
    public static func < (left: ItemPath, right: ItemPath) -> Bool {
        left.section != right.section ? left.section < right.section : left.item < right.item
    }
}

/// What takes a client from revision `from` exactly to revision `to`.
///
/// Its stages are applied one after the other; each is legal for `performBatchUpdates` by itself, its
/// old indices being those after the stage before.
public struct Batch: Sendable, Equatable {
    /// The revision the client holds.
    public var from: Revision
    /// The revision it holds afterwards.
    public var to: Revision
    /// What to do; none if nothing differs.
    public var stages: [Stage]
    /// How many sections there are afterwards.
    public var sections: Int
    /// How many items there are afterwards in each section where items came, went or moved, by
    /// ascending index.
    public var counts: [SectionCount]

    /// Makes a batch.
    public init(
        from: Revision, to: Revision, stages: [Stage] = [], sections: Int,
        counts: [SectionCount] = []
    ) {
        self.from = from
        self.to = to
        self.stages = stages
        self.sections = sections
        self.counts = counts
    }
}

/// How many items a section has after a batch.
public struct SectionCount: Sendable, Equatable {
    /// The section's index after the batch.
    public var section: Int
    /// How many items it has.
    public var items: Int

    /// Makes a count.
    public init(section: Int, items: Int) {
        self.section = section
        self.items = items
    }
}

/// One legal step of a batch. Deletes, reloads and the sources of moves are indices before the
/// stage; inserts and the targets of moves are indices after it. All lists ascend.
public struct Stage: Sendable, Equatable {
    /// An item with the place it is reloaded or inserted at.
    public struct PlacedItem: Sendable, Equatable {
        /// Where.
        public var path: ItemPath
        /// The whole item.
        public var item: Item

        /// Makes a placed item.
        public init(path: ItemPath, item: Item) {
            self.path = path
            self.item = item
        }
    }

    /// A section, without its items, with the index it is changed or inserted at.
    public struct PlacedSection: Sendable, Equatable {
        /// Where.
        public var index: Int
        /// The whole section, without its items.
        public var section: ListSection

        /// Makes a placed section.
        public init(index: Int, section: ListSection) {
            self.index = index
            self.section = section
        }
    }

    /// An item's way.
    public struct ItemMove: Sendable, Equatable {
        /// Where it was before the stage.
        public var from: ItemPath
        /// Where it is after the stage.
        public var to: ItemPath

        /// Makes a move.
        public init(from: ItemPath, to: ItemPath) {
            self.from = from
            self.to = to
        }
    }

    /// A section's way.
    public struct SectionMove: Sendable, Equatable {
        /// Where it was before the stage.
        public var from: Int
        /// Where it is after the stage.
        public var to: Int

        /// Makes a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Items whose content changed, with their final content.
    public var reloads: [PlacedItem] = []
    /// Sections whose own fields, supplementaries or flags changed; their items stay.
    public var changedSections: [PlacedSection] = []
    /// New sections, still without items.
    public var insertSections: [PlacedSection] = []
    /// Sections that stand elsewhere now.
    public var moveSections: [SectionMove] = []
    /// Items that went, but for those that go with their section.
    public var deletes: [ItemPath] = []
    /// Items that came.
    public var inserts: [PlacedItem] = []
    /// Items that stand elsewhere now; by ascending target.
    public var moves: [ItemMove] = []
    /// Sections that went.
    public var deleteSections: [Int] = []

    /// Makes a stage in which nothing happens.
    public init() {}
}

/// A whole room at one revision.
public struct Snapshot: Sendable, Equatable {
    /// A section and its items.
    public struct SectionState: Sendable, Equatable {
        /// The section.
        public var section: ListSection
        /// Its items, in order.
        public var items: [Item]

        /// Makes a section's state.
        public init(section: ListSection, items: [Item] = []) {
            self.section = section
            self.items = items
        }
    }

    /// The revision.
    public var revision: Revision
    /// The sections, in order.
    public var sections: [SectionState]

    /// Makes a snapshot.
    public init(revision: Revision, sections: [SectionState]) {
        self.revision = revision
        self.sections = sections
    }
}
