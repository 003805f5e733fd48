/// A condition of an operation: its own item or section must not have changed since a revision.
///
///     try await room.submit(.delete("milk").ifUnchanged(since: 7, content: true))
///
/// A guard always covers the life of the thing: that it was not deleted, inserted, or inserted
/// anew. The room is compared as it was directly before the transaction, so what the same
/// transaction did before does not count. `Protocol/merge-rules.md` has the rules (G1 to G9).
///
/// If something has changed, the operation is lost with ``Superseded/Reason/changed``, and
/// ``Superseded/changed`` says what. With ``ListTransaction/isAllOrNothing`` the whole transaction
/// is refused with ``Rejection/Code/conflict`` instead.
public struct Guard: Sendable, Hashable {
    /// What was seen: a revision that is not above the room's.
    public var revision: Revision
    /// Whether it covers the place: no move, also none back to the same place.
    public var place: Bool
    /// Whether it covers the content: kind, size, fields and flags of an item; fields,
    /// supplementaries and flags of a section.
    public var content: Bool
    /// The names of fields that it covers, if it does not cover the whole content. More than
    /// ``maximumFields`` are refused with `limitExceeded`.
    public var fields: [Identifier]

    /// The most fields that a guard may name.
    public static let maximumFields = 16

    /// Makes a guard; without further arguments, one that covers the life alone.
    public init(
        since revision: Revision, place: Bool = false, content: Bool = false,
        fields: [Identifier] = []
    ) {
        self.revision = revision
        self.place = place
        self.content = content
        self.fields = fields
    }
}

/// What of a guarded item or section has changed (``Superseded/changed``).
///
///     for lost in commit.superseded where lost.changed.contains(.content) {
///         print("operation", lost.operation, "was made for other content")
///     }
public struct GuardedChanges: OptionSet, Sendable, Hashable {
    /// Bits 0 to 3 stand for the parts below, bits 16 to 31 for the named fields, by their
    /// positions in the guard.
    public let rawValue: UInt32

    /// Makes a set of its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The thing was deleted, inserted, or inserted anew. Then nothing else is looked at.
    public static let life = GuardedChanges(rawValue: 1)
    /// It has another place.
    public static let place = GuardedChanges(rawValue: 2)
    /// It has, or had in between, other content.
    public static let content = GuardedChanges(rawValue: 4)
    /// The room does not remember the guard's revision any more.
    public static let horizon = GuardedChanges(rawValue: 8)

    /// The field at a position in the guard's list has, or had in between, another value.
    public static func field(at position: Int) -> GuardedChanges {
        precondition(
            (0..<Guard.maximumFields).contains(position), "a guard names at most 16 fields")
        return GuardedChanges(rawValue: 1 << UInt32(firstField + position))
    }

    /// The positions of the named fields that have changed.
    public var fields: [Int] {
        (0..<Guard.maximumFields).filter { rawValue & 1 << UInt32(Self.firstField + $0) != 0 }
    }

    private static let firstField = 16
}

extension GuardedChanges {
    /// A sentence for people.
    package var explanation: String {
        if contains(.horizon) { return "the room no longer remembers the revision of its guard" }
        let named = GuardedChanges.named.filter { contains($0.part) }
        let parts = named.map { "its \($0.name)" } + fields.map { "field \($0) of its guard" }
        return "since the revision of its guard, \(parts.joined(separator: " and ")) changed"
    }
}

extension ListTransaction {
    /// Whether an operation has a guard.
    package var hasGuards: Bool {
        operations.contains { if case .guarded = $0 { true } else { false } }
    }
}

extension ListOperation {
    /// The operation, to be applied only if its item or section has not changed since a revision.
    ///
    /// - Parameters:
    ///   - revision: what was seen; not above the room's revision.
    ///   - place: whether the place must be the same.
    ///   - content: whether the content must be the same.
    ///   - fields: the names of fields that must be the same.
    /// - Returns: the operation with this guard, instead of one that it may have.
    public func ifUnchanged(
        since revision: Revision, place: Bool = false, content: Bool = false,
        fields: [Identifier] = []
    ) -> ListOperation {
        let condition = Guard(since: revision, place: place, content: content, fields: fields)
        return .guarded(unguarded, by: condition)
    }

    /// The operation without its guard.
    public var unguarded: ListOperation {
        var operation = self
        while case .guarded(let inner, _) = operation { operation = inner }
        return operation
    }
}
