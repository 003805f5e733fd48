/// What a transaction is beside its base and its bytes: how many operations it has, and what holds
/// for all of them. It is one word, as it is handed on for each transaction.
@usableFromInline
package struct TransactionTraits: Sendable, Equatable, BitwiseCopyable {
    @usableFromInline let word: UInt64

    @inlinable static var allOrNothing: UInt64 { 1 << 32 }
    @inlinable static var blind: UInt64 { 1 << 33 }

    /// - Parameter operationCount: at most `UInt32.max`.
    @inlinable
    package init(operationCount: Int, isAllOrNothing: Bool = false, hasSeenNothing: Bool = false) {
        word =
            UInt64(UInt32(clamping: operationCount))
            | (isAllOrNothing ? TransactionTraits.allOrNothing : 0)
            | (hasSeenNothing ? TransactionTraits.blind : 0)
    }

    @inlinable
    init(word: UInt64) {
        self.word = word
    }

    /// How many operations there are.
    @inlinable package var operationCount: Int { Int(UInt32(truncatingIfNeeded: word)) }
    /// Whether a guard that has changed has the whole transaction refused.
    @inlinable package var isAllOrNothing: Bool { word & TransactionTraits.allOrNothing != 0 }
    /// See ``ListTransaction/hasSeenNothing``. It is not among the bytes.
    @inlinable package var hasSeenNothing: Bool { word & TransactionTraits.blind != 0 }

    /// The same, of a transaction that has seen nothing.
    package var asSeenNothing: TransactionTraits {
        TransactionTraits(word: word | TransactionTraits.blind)
    }
}
