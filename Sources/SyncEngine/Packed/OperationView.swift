import SyncBytes
package import SyncModel

/// A view of an operation in a ``PackedTransaction``; valid as long as that is lent.
package struct OperationView: BitwiseCopyable {
    /// What it does.
    package let kind: ListOperation.Kind
    /// Whether it has a guard (``condition(of:)``).
    let isGuarded: Bool
    /// The id of the item or section that it is about.
    package let id: UnsafeRawBufferPointer
    /// What it brings: the content of a new thing, the body of an update behind the id, or the
    /// field and the amount of an increment.
    package private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The body of the message `Placement`, where there is one.
    package private(set) var placement = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Finds the parts of a canonical message `Operation`; `nil` if it is none.
    @inline(__always)
    package init?(_ message: UnsafeRawBufferPointer) {
        do throws(ByteError) {
            var outer = ByteReader(message)
            // All tags here are one byte.
            guard let kind = ListOperation.Kind(rawValue: try outer.readByte() >> 3) else {
                return nil
            }
            self.kind = kind
            var reader = ByteReader(try outer.readLengthDelimited())
            // Nothing else follows in a canonical message.
            isGuarded = !outer.isAtEnd
            switch kind {
            case .insert, .insertSection:
                var body = ByteReader(try OperationView.next(&reader))
                id = try OperationView.next(&body)
                content = body.rest
                placement = try OperationView.next(&reader)
            case .move, .moveSection:
                id = try OperationView.next(&reader)
                placement = try OperationView.next(&reader)
            case .delete, .deleteSection:
                id = try OperationView.next(&reader)
            case .update, .updateSection, .increment:
                id = try OperationView.next(&reader)
                content = reader.rest
            }
        } catch {
            return nil
        }
    }

    /// The body of the message `Guard` in a canonical message `Operation` that has one. A view does
    /// not keep it: few operations have guards, and all would pay for the room.
    @inline(never)
    static func condition(of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var reader = ByteReader(message)
        guard (try? next(&reader)) != nil, let body = reader.take(ListOperation.guardNumber) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return body
    }

    /// Skips a tag and reads the body behind it.
    @inline(__always)
    private static func next(
        _ reader: inout ByteReader
    ) throws(ByteError) -> UnsafeRawBufferPointer {
        _ = try reader.readByte()
        return try reader.readLengthDelimited()
    }
}

extension TransactionView {
    /// Calls `body` with each operation in turn, until it returns `false`.
    @inline(__always)
    package func forEachOperation(_ body: (OperationView) -> Bool) {
        var reader = ByteReader(bytes)
        while let message = reader.take(PackedTransaction.Number.operations),
            let operation = OperationView(message), body(operation)
        {}
    }
}
