import SyncBytes
import SyncModel

/// Brings a submitted transaction into canonical form.
///
/// Operations that are canonical are copied as they are. The others are parsed and written again,
/// which takes many times as long for each byte. Their bytes are therefore limited
/// (``WireLimits/nonCanonicalBytes``) and counted.
///
/// The output equals that of ``PackedTransaction/init(_:)`` for the parsed transaction; a test
/// compares the two.
struct TransactionPacking {
    private let limits: WireLimits
    private(set) var base: Revision = 0
    private(set) var operationCount = 0
    private(set) var isAllOrNothing = false
    /// Bytes that were checked, and those of them that are not canonical; also if packing failed.
    private(set) var checkedBytes = 0
    private(set) var nonCanonicalBytes = 0

    /// A field other than an operation counts as so many bytes, however short it is.
    private static let bytesOfOtherField = 16

    init(_ limits: WireLimits) {
        self.limits = limits
    }

    /// Writes the operations of a transaction's body, which may be anything, in canonical form.
    ///
    /// - Throws: the answer to its author.
    mutating func pack(
        _ bytes: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) throws(Rejection) {
        guard bytes.count <= limits.transactionBytes else {
            throw Rejection(limits.transactionFault(bytes: bytes.count))
        }
        checkedBytes += bytes.count
        var atFault: Int?
        do throws(FieldError) {
            var reader = FieldReader(bytes)
            while let field = try reader.next() {
                if field == PackedTransaction.Number.operations {
                    guard operationCount < limits.transactionOperations else {
                        throw limits.operationsFault
                    }
                    atFault = operationCount
                    try pack(operation: try reader.body(), into: &writer)
                    operationCount += 1
                    atFault = nil
                    continue
                }
                try addNonCanonical(TransactionPacking.bytesOfOtherField)
                switch field {
                case PackedTransaction.Number.base: base = try reader.number()
                case PackedTransaction.Number.all: isAllOrNothing = try reader.bool()
                default: try reader.skip()
                }
            }
        } catch {
            throw Rejection(error, operation: atFault)
        }
    }

    private mutating func pack(
        operation: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) throws(FieldError) {
        if CanonicalContent.isOperation(operation, within: limits) {
            return writer.write(field: PackedTransaction.Number.operations, bytes: operation)
        }
        if nonCanonicalBytes + operation.count > limits.nonCanonicalBytes {
            // An operation that exceeds another limit, too, is refused for that one.
            try ListOperation.checkContent(of: operation, limits)
        }
        try addNonCanonical(operation.count)
        let parsed = try ListOperation(fields: operation, limits: limits)
        do throws(ModelError) {
            try writer.write(message: PackedTransaction.Number.operations) {
                (writer) throws(ModelError) in
                try parsed.write(to: &writer)
            }
        } catch {
            throw .model(error)
        }
    }

    private mutating func addNonCanonical(_ bytes: Int) throws(FieldError) {
        guard nonCanonicalBytes + bytes <= limits.nonCanonicalBytes else {
            throw .limit(
                "more than \(limits.nonCanonicalBytes) bytes of the transaction are not canonical")
        }
        nonCanonicalBytes += bytes
    }
}

extension ListOperation {
    /// Checks the size of an operation's content without parsing it.
    fileprivate static func checkContent(
        of bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) {
        var outer = FieldReader(bytes)
        guard let number = try outer.next(),
            let kind = UInt8(exactly: number).flatMap(ListOperation.Kind.init(rawValue:))
        else { throw .malformed }
        let body = try outer.body()
        switch kind {
        case .update, .updateSection: try limits.check(contentBytes: body.count)
        case .insert, .insertSection:
            var reader = FieldReader(body)
            while let field = try reader.next() {
                guard field == 1 else {
                    try reader.skip()
                    continue
                }
                let content = try reader.body()
                try limits.check(contentBytes: content.count)
                if kind == .insert {
                    try FieldReader.checkItemFields(content, limits)
                } else {
                    try FieldReader.checkSectionFields(content, limits)
                }
            }
        case .delete, .deleteSection, .move, .moveSection, .increment: break
        }
    }
}

extension WireLimits {
    /// Why a transaction of so many bytes is refused.
    func transactionFault(bytes: Int) -> FieldError {
        .limit("the transaction has \(bytes) of \(transactionBytes) bytes")
    }

    /// Why a transaction of more operations is refused.
    var operationsFault: FieldError {
        .limit("the transaction has more than \(transactionOperations) operations")
    }
}
