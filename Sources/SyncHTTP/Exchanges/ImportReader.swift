import SyncJSON
import SyncModel
import SyncWire

/// A transaction of an import, as it is sent.
struct ImportTransaction: Sendable {
    /// Its operations without their base, or why they can't be sent.
    let operations: Result<PackedTransaction, Rejection>
    /// Which of them insert items.
    let areItems: [Bool]

    init(_ operations: [ListOperation], within limits: WireLimits) {
        self.operations = PackedTransaction.packing(operations, within: limits)
        areItems = ImportCount.areItems(in: operations)
    }
}

/// Reads a snapshot by pieces, and makes transactions of it.
struct ImportReader: Sendable {
    private var reader: SnapshotReader
    private var operations: ImportOperations
    private let limits: WireLimits

    /// A transaction has little more bytes than these, unless it is a single long operation.
    private static let transactionBytes = 256 << 10

    init(append: Bool, within limits: WireLimits) {
        self.limits = limits
        reader = SnapshotReader(maximumElementBytes: limits.transactionBytes)
        operations = ImportOperations(
            append: append,
            transactionBytes: min(ImportReader.transactionBytes, limits.transactionBytes),
            transactionOperations: limits.transactionOperations)
    }

    /// About how many bytes it takes.
    var memoryBytes: Int { reader.keptBytes }

    mutating func read(
        _ piece: [UInt8], isLast: Bool
    ) -> Result<[ImportTransaction], ImportError> {
        var read: [[ListOperation]] = []
        do {
            piece.withUnsafeBytes { reader.append($0) }
            while let part = try reader.next() { read += try operations.add(part) }
            if isLast {
                try reader.finish()
                read += operations.finish()
            }
            return .success(read.map { ImportTransaction($0, within: limits) })
        } catch {
            return .failure(ImportError(description: "\(error)"))
        }
    }
}

/// What is wrong with a snapshot.
struct ImportError: Error, CustomStringConvertible {
    var description: String
}
