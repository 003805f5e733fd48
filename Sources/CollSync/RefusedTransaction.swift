import SyncIO
public import SyncModel

/// A transaction that was refused as a whole, with everything that is needed to send it again in
/// pieces.
///
///     do {
///         try await room.submit(operations)
///     } catch {
///         guard let refused = error.refused, refused.isTooLarge else { throw error }
///         try await room.submitInPieces(refused)
///     }
///
/// In pieces it is no longer all or nothing: others may see a part of them, and change the room
/// between two pieces.
public struct RefusedTransaction: Sendable, Equatable {
    /// The transaction's number.
    public let number: UInt64
    /// Its operations, in order.
    public let operations: [ListOperation]
    /// The last revision that its author had seen; `nil` for the client's revision at that time.
    public let base: Revision?
    /// The history that the base belongs to; `nil` for that of the client's content.
    public let origin: RoomOrigin?
    /// Whether it asked for all of its operations or none.
    public let isAllOrNothing: Bool
    /// Why it was refused.
    public let rejection: Rejection

    /// Makes a refused transaction of its parts.
    public init(
        number: UInt64, operations: [ListOperation], base: Revision?, origin: RoomOrigin? = nil,
        isAllOrNothing: Bool = false, rejection: Rejection
    ) {
        self.number = number
        self.operations = operations
        self.base = base
        self.origin = origin
        self.isAllOrNothing = isAllOrNothing
        self.rejection = rejection
    }

    /// Whether it was refused with `limitExceeded` and has several operations, so that the server
    /// may accept it in pieces. One that asked for all or nothing has no pieces.
    public var isTooLarge: Bool {
        rejection.code == .limitExceeded && operations.count > 1 && !isAllOrNothing
    }

    /// Splits its operations into that many pieces of nearly the same length, in order; into fewer
    /// if there are not as many operations, and into one if `count` is below 1. Sent in this order,
    /// all with its base, the pieces have the effect of the whole, except for places that are named
    /// by index.
    public func split(into count: Int = 2) -> [[ListOperation]] {
        RefusedTransaction.split(operations, into: count)
    }

    static func split(_ operations: [ListOperation], into count: Int) -> [[ListOperation]] {
        let pieces = max(1, min(count, operations.count))
        return (0..<pieces).map { piece in
            // Dividing first keeps the products from overflowing.
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

    /// Removes and returns the transaction of ``send(_:base:origin:number:allOrNothing:)`` with
    /// that number, if it was refused as too large; `nil` if there is none.
    /// ``RoomEvent/rejected(number:_:)`` has the number. So an app need not keep what it has sent.
    /// The newest eight are kept.
    public func refused(_ number: UInt64) -> RefusedTransaction? {
        refusals.withLock { $0.take(number) }
    }

    /// Submits a refused transaction in pieces, one after the other, and waits until all are on the
    /// server's disk. A piece that is still too large is halved again.
    ///
    /// - Parameters:
    ///   - refused: the transaction.
    ///   - count: the number of pieces to begin with.
    /// - Returns: the result of each piece, in order.
    /// - Throws: as ``submit(_:base:origin:allOrNothing:)``, for the first piece that can't be
    ///   committed. The pieces before it are committed.
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
