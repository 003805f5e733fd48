import SyncJSON
import SyncModel
import SyncWire

/// A transaction of an import, as it is sent.
struct ImportTransaction: Sendable {
    /// Its operations without their base, or why they can't be sent.
    let operations: Result<PackedTransaction, Rejection>
    let origin: ImportOrigin
    /// The section that it changes if the import has made it.
    let section: Identifier?

    init(_ step: ImportStep, within limits: WireLimits) {
        let origin = step.origin
        operations = PackedTransaction.packing(step.operations, within: limits)
            .mapError { origin.placed($0) }
        self.origin = origin
        section = step.section
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
    var memoryBytes: Int { reader.keptBytes + operations.keptBytes }

    mutating func read(
        _ piece: [UInt8], isLast: Bool
    ) -> Result<[ImportTransaction], ImportError> {
        var read: [ImportStep] = []
        do {
            piece.withUnsafeBytes { reader.append($0) }
            while let part = try reader.next() {
                read += try operations.add(part, at: reader.placeOfPart)
            }
            if isLast {
                try reader.finish()
                read += operations.finish()
            }
            return .success(read.map { ImportTransaction($0, within: limits) })
        } catch let repeated as RepeatedID {
            return .failure(
                ImportError(status: 422, code: "repeated", text: repeated.description))
        } catch {
            return .failure(ImportError(status: 400, code: "malformed", text: "\(error)"))
        }
    }
}

/// Why an import ends.
struct ImportError: Error {
    var status: Int
    var code: String
    var text: String
    var retryAfterMilliseconds: UInt32?
}
