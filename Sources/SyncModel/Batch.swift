/// An item's place: the index of its section and its own index in that. Both count from 0.
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

    /// Whether the left place comes first in the room: by section, then by item.
    public static func < (left: ItemPath, right: ItemPath) -> Bool {
        left.section != right.section ? left.section < right.section : left.item < right.item
    }
}

/// What changes a room's content from one revision to a later one.
///
/// Its stages are applied one after the other. Each is legal for `performBatchUpdates` by itself,
/// and begins with the indices that the stage before led to. `CollectionList` applies them; an
/// app that does it by itself goes through them in order:
///
///     for stage in batch.stages {
///         for placed in stage.reloads { print("reload", placed.path, placed.item.id) }
///         for path in stage.deletes { print("delete", path) }
///         for placed in stage.inserts { print("insert", placed.path, placed.item.id) }
///         for move in stage.moves { print("move", move.from, "to", move.to) }
///     }
public struct Batch: Sendable, Equatable {
    /// The revision that it begins at.
    public var from: Revision
    /// The revision that it leads to, which is a later one.
    public var to: Revision
    /// The steps, in order; none if the content of both revisions is the same.
    public var stages: [Stage]
    /// The number of sections after the batch.
    public var sections: Int
    /// The number of items after the batch, for each section where items came, went or moved; by
    /// ascending index of the section.
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

/// The number of items in a section after a batch.
public struct SectionCount: Sendable, Equatable {
    /// The section's index after the batch, from 0.
    public var section: Int
    /// The number of its items.
    public var items: Int

    /// Makes a count.
    public init(section: Int, items: Int) {
        self.section = section
        self.items = items
    }
}

/// One step of a batch, legal for one `performBatchUpdates`.
///
/// Indices count from 0. Those of deletes, reloads, changed sections and the sources of moves are
/// from before the stage; those of inserts and the targets of moves are from after it. All lists
/// ascend, moves by target.
public struct Stage: Sendable, Equatable {
    /// An item, and the place where it is reloaded or inserted.
    public struct PlacedItem: Sendable, Equatable {
        /// The place: before the stage for a reload, after it for an insert.
        public var path: ItemPath
        /// The item with all its content.
        public var item: Item

        /// Makes a placed item.
        public init(path: ItemPath, item: Item) {
            self.path = path
            self.item = item
        }
    }

    /// A section without its items, and the index where it is changed or inserted.
    public struct PlacedSection: Sendable, Equatable {
        /// The index: before the stage for a change, after it for an insert.
        public var index: Int
        /// The section with all its own content, without its items.
        public var section: ListSection

        /// Makes a placed section.
        public init(index: Int, section: ListSection) {
            self.index = index
            self.section = section
        }
    }

    /// The move of an item.
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

    /// The move of a section, with its items.
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

    /// Items whose content changed, with their content after the batch.
    public var reloads: [PlacedItem] = []
    /// Sections whose own fields, supplementaries or flags changed; their items stay.
    public var changedSections: [PlacedSection] = []
    /// New sections, still without items.
    public var insertSections: [PlacedSection] = []
    /// Sections that moved.
    public var moveSections: [SectionMove] = []
    /// Items that were deleted, without those that are deleted with their section.
    public var deletes: [ItemPath] = []
    /// New items.
    public var inserts: [PlacedItem] = []
    /// Items that moved, also to another section.
    public var moves: [ItemMove] = []
    /// Sections that were deleted, with the items that are still in them.
    public var deleteSections: [Int] = []

    /// Makes an empty stage.
    public init() {}
}

/// All content of a room at one revision.
///
///     let snapshot = try await room.snapshot()
///     for state in snapshot.sections {
///         print(state.section.id, state.items.map { $0["title"]?.asText ?? "" })
///     }
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

    /// The revision whose content it is.
    public var revision: Revision
    /// The sections, in order.
    public var sections: [SectionState]

    /// Makes a snapshot.
    public init(revision: Revision, sections: [SectionState]) {
        self.revision = revision
        self.sections = sections
    }
}
