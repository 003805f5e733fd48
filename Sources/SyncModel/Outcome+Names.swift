// The stable names of outcomes. They are part of the protocol: a name that was published stays.

extension Superseded.Reason {
    /// The reason's stable name.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .deleted: "deleted"
        case .notEmpty: "notEmpty"
        case .exists: "exists"
        case .notNumber: "notNumber"
        }
    }

    /// The reason of that name, if there is one.
    package init?(name: String) {
        guard let reason = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = reason
    }
}

extension Rejection.Code {
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
        }
    }

    /// The code of that name, if there is one.
    package init?(name: String) {
        guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = code
    }
}
