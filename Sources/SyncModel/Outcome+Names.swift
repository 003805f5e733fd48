import SyncBytes

// The stable names of outcomes. They are part of the protocol: a name that was published stays.

extension Superseded.Reason: Choice {
    /// The reason's stable name.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .deleted: "deleted"
        case .notEmpty: "notEmpty"
        case .exists: "exists"
        case .notNumber: "notNumber"
        case .changed: "changed"
        }
    }
}

extension Rejection.Code: Choice {
    /// The code's stable name.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .malformed: "malformed"
        case .limitExceeded: "limitExceeded"
        case .notAllowed: "notAllowed"
        case .badBase: "badBase"
        case .unknownItem: "unknownItem"
        case .unknownSection: "unknownSection"
        case .forgotten: "forgotten"
        case .unavailable: "unavailable"
        case .roomDeleted: "roomDeleted"
        case .roomChanged: "roomChanged"
        case .refused: "refused"
        case .conflict: "conflict"
        }
    }
}

extension GuardedChanges {
    /// The parts, in the order in which they are told, with their stable names. Named fields have
    /// positions instead.
    package static let named: [(name: StaticString, part: GuardedChanges)] = [
        ("life", .life), ("place", .place), ("content", .content), ("horizon", .horizon),
    ]
}
