import SyncJSON
import SyncModel

/// Reads a snapshot by pieces, and makes transactions of it.
struct ImportReader: Sendable {
    private var reader: SnapshotReader
    private var operations: ImportOperations

    init(append: Bool, transactionBytes: Int, transactionOperations: Int, elementBytes: Int) {
        reader = SnapshotReader(maximumElementBytes: elementBytes)
        operations = ImportOperations(
            append: append, transactionBytes: transactionBytes,
            transactionOperations: transactionOperations)
    }

    /// About how many bytes it takes.
    var memoryBytes: Int { reader.keptBytes }

    mutating func read(
        _ piece: [UInt8], isLast: Bool
    ) -> Result<[[ListOperation]], ImportError> {
        var read: [[ListOperation]] = []
        do {
            piece.withUnsafeBytes { reader.append($0) }
            while let part = try reader.next() { read += try operations.add(part) }
            if isLast {
                try reader.finish()
                read += try operations.finish()
            }
            return .success(read)
        } catch {
            return .failure(ImportError(description: "\(error)"))
        }
    }
}

/// What is wrong with a snapshot.
struct ImportError: Error, CustomStringConvertible {
    var description: String
}
