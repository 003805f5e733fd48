import SyncIO
public import SyncModel

/// A transaction that was refused as a whole, with all that it takes to send it in pieces.
///
///     do {
///         try await room.submit(operations)
///     } catch {
///         guard let refused = error.refused, refused.isTooLarge else { throw error }
///         try await room.submitInPieces(refused)
///     }
///
/// In pieces it is no longer all or nothing: others may see, and come between, any two of them.
public struct RefusedTransaction: Sendable, Equatable {
    /// The transaction's number.
    public let number: UInt64
    /// What it was to do.
    public let operations: [ListOperation]
    /// The last revision its author had seen; `nil` if that was what the client held.
    public let base: Revision?
    /// What the base is of; `nil` if that was what the client held.
    public let origin: RoomOrigin?
    /// Why it was refused.
    public let rejection: Rejection

    /// Describes a refused transaction.
    public init(
        number: UInt64, operations: [ListOperation], base: Revision?, origin: RoomOrigin? = nil,
        rejection: Rejection
    ) {
        self.number = number
        self.operations = operations
        self.base = base
        self.origin = origin
        self.rejection = rejection
    }

    /// Whether it is more than a server takes at once, so that pieces of it may be taken.
    public var isTooLarge: Bool { rejection.code == .limitExceeded && operations.count > 1 }

    /// The operations in so many pieces of nearly the same length, in order; fewer if there are not as many
    /// operations. Sent in this order, all from the base, they do what the whole would have done, where places
    /// are named by neighbours.
    public func split(into count: Int = 2) -> [[ListOperation]] {
        RefusedTransaction.split(operations, into: count)
    }

    static func split(_ operations: [ListOperation], into count: Int) -> [[ListOperation]] {
        let pieces = max(1, min(count, operations.count))
        return (0..<pieces).map { piece in
            // The quotient first: no count overflows.
            let (size, longer) = operations.count.quotientAndRemainder(dividingBy: pieces)
            let start = piece * size + min(piece, longer)
            return Array(operations[start..<(start + size + (piece < longer ? 1 : 0))])
        }
    }
}

extension CollectionRoom {
    /// The newest transactions that were refused as too large, kept for ``refused(_:)``.
    struct Refusals {
        private var list: [RefusedTransaction] = []

        /// How many are kept.
        private static let most = 8

        mutating func add(_ refused: RefusedTransaction) {
            list.append(refused)
            if list.count > Refusals.most { list.removeFirst() }
        }

        mutating func take(_ number: UInt64) -> RefusedTransaction? {
            guard let index = list.firstIndex(where: { $0.number == number }) else { return nil }
            return list.remove(at: index)
        }
    }

    /// A transaction that was refused as too large (``RoomEvent/rejected(number:_:)`` has told its number), so
    /// that it need not be kept by who sent it. The newest eight are kept, each until it is taken.
    public func refused(_ number: UInt64) -> RefusedTransaction? {
        refusals.withLock { $0.take(number) }
    }

    /// Sends a refused transaction in pieces, one after the other, and waits until all are on disk. A piece
    /// that is still too large is halved again.
    ///
    /// - Returns: what came of each piece, in order.
    /// - Throws: why a piece can't be taken. Those before it stand.
    @discardableResult
    public func submitInPieces(
        _ refused: RefusedTransaction, into count: Int = 2
    ) async throws(CollectionError) -> [Commit] {
        var pieces = Array(refused.split(into: count).reversed())
        var commits: [Commit] = []
        while let piece = pieces.popLast() {
            do throws(CollectionError) {
                commits.append(try await submit(piece, base: refused.base, origin: refused.origin))
            } catch {
                guard error.refused?.isTooLarge == true else { throw error }
                pieces += RefusedTransaction.split(piece, into: 2).reversed()
            }
        }
        return commits
    }
}
