package import SyncModel

/// The kinds of values; see ``OperationKind``.
package enum ValueKind: CaseIterable, Sendable {
    case null, bool, number, text, list, object

    package init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool: .bool
            case .number: .number
            case .text: .text
            case .list: .list
            case .object: .object
            }
    }

    /// Whether a value of this kind contains values.
    package var isNested: Bool {
        switch self {
        case .null, .bool, .number, .text: false
        case .list, .object: true
        }
    }

    /// The kinds that a value may have if it may contain values, or if it may not.
    package static func kinds(canNest: Bool) -> [ValueKind] {
        allCases.filter { canNest || !$0.isNested }
    }
}
