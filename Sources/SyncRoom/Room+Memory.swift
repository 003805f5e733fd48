import SyncEngine

/// How near a server's memory is to its limit, and so what its rooms do.
package enum MemoryPressure: Int, Sendable, Comparable {
    case none
    /// What can be made again goes: layouts that nobody looks at, snapshots that nobody is sent.
    case sheds
    /// Only transactions that delete are taken; others are answered `unavailable`.
    case refusesGrowth
    /// No transaction is taken.
    case refusesAll

    package static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Room {
    /// How many bytes wait to be applied, to be answered and to be on disk, about. O(1).
    package var queuedBytes: Int {
        queue.byteCount + draft.byteCount + answers.byteCount
    }

    /// How many bytes its items and sections take, and what it remembers of the past. O(1).
    package var stateBytes: Int { state.engine.byteCount }

    /// Whether memory is too short for a transaction.
    func lacksMemory(for transaction: TransactionView) -> Bool {
        pressure == .refusesAll || (pressure == .refusesGrowth && !transaction.onlyDeletes)
    }
}

extension TransactionView {
    /// Whether it holds nothing but deletes.
    fileprivate var onlyDeletes: Bool {
        var onlyDeletes = true
        forEachOperation { operation in
            onlyDeletes = operation.kind == .delete || operation.kind == .deleteSection
            return onlyDeletes
        }
        return onlyDeletes
    }
}

extension Rejection {
    /// The server's memory is short.
    static let outOfMemory = Rejection(
        code: .unavailable, message: "the server is short of memory; send it again in a while")
}
