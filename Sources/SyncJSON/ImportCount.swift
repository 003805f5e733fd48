package import SyncModel

/// A transaction of an import.
package struct ImportStep: Sendable {
    /// What an operation inserts.
    package enum Insert: Sendable, Equatable {
        case item
        case section(Identifier)
    }

    package let operations: [ListOperation]
    /// The part of the snapshot that each is made of; `nil` for one that is made of none.
    private let places: [SnapshotReader.Place?]
    /// It changes this section, and only if the import has made it; `nil` for any other.
    package let section: Identifier?

    init(
        _ operations: [ListOperation], places: [SnapshotReader.Place?],
        of section: Identifier? = nil
    ) {
        self.operations = operations
        self.places = places
        self.section = section
    }

    /// What is to know of it while it is in flight.
    package var origin: ImportOrigin {
        let inserts: [Insert?] = operations.map { operation in
            switch operation {
            case .insert: .item
            case .insertSection(let section, _): .section(section.id)
            default: nil
            }
        }
        return ImportOrigin(inserts: inserts, places: places)
    }
}

/// What the operations of a step insert, and where they come from.
package struct ImportOrigin: Sendable, Equatable {
    fileprivate let inserts: [ImportStep.Insert?]
    fileprivate let places: [SnapshotReader.Place?]

    /// A rejection of the step, with the place in the snapshot.
    package func placed(_ rejection: Rejection) -> Rejection {
        guard let operation = rejection.operation, places.indices.contains(operation),
            let place = places[operation]
        else { return rejection }
        var placed = rejection
        placed.message = "\(place): \(rejection.message)"
        return placed
    }
}

/// What an import has inserted, and what was there already.
package struct ImportCount: Sendable, Equatable {
    /// How many items it has inserted.
    package private(set) var items = 0
    /// How many items were there already.
    package private(set) var skippedItems = 0
    /// The sections that were there already. There are no more than the room has.
    private var skippedSections: Set<Identifier> = []
    private var inFlight: [UInt64: ImportOrigin] = [:]

    package init() {}

    /// How many transactions are not answered yet.
    package var unanswered: Int { inFlight.count }

    /// Whether something was there already.
    package var hasSkipped: Bool { skippedItems > 0 || !skippedSections.isEmpty }

    /// Whether it is known if a step is to be sent, where at most so many may be in flight.
    package func canJudge(section: Identifier?, mostInFlight: Int) -> Bool {
        unanswered < (section == nil ? mostInFlight : 1)
    }

    /// Whether a step that is about a section is to be sent.
    package func allows(section: Identifier?) -> Bool {
        section.map { !skippedSections.contains($0) } ?? true
    }

    package mutating func didSend(_ number: UInt64, _ origin: ImportOrigin) {
        inFlight[number] = origin
    }

    /// A transaction is committed, but for the effect of some operations.
    ///
    /// - Returns: how many items it has inserted.
    @discardableResult
    package mutating func didCommit(_ number: UInt64, without superseded: [Superseded]) -> Int {
        guard let inserts = inFlight.removeValue(forKey: number)?.inserts else { return 0 }
        var inserted = inserts.count { $0 == .item }
        for lost in superseded where lost.operation < inserts.count {
            switch inserts[lost.operation] {
            case .item:
                inserted -= 1
                skippedItems += 1
            case .section(let id): skippedSections.insert(id)
            case nil: break
            }
        }
        items += inserted
        return inserted
    }

    /// A transaction is refused.
    ///
    /// - Returns: the rejection, with the place in the snapshot.
    package mutating func didReject(_ number: UInt64, _ rejection: Rejection) -> Rejection {
        inFlight.removeValue(forKey: number)?.placed(rejection) ?? rejection
    }
}
