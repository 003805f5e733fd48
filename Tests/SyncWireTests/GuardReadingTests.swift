import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Guards that are not written as this program writes them.
@Suite struct GuardReadingTests {
    private func read(_ condition: [UInt8], all: Bool = false) throws -> ListTransaction {
        var writer = ByteWriter()
        writer.write(message: 2) { writer in
            writer.write(message: 2) { writer in writer.write(field: 1, utf8Of: "milk") }
            condition.withUnsafeBytes { writer.write(field: 10, bytes: $0) }
        }
        if all { writer.write(field: 3, varint: 1) }
        return try ListTransaction(parsing: writer.bytes)
    }

    @Test func partsAreReadInAnyOrder() throws {
        let transaction = try read([0x18, 1, 0x22, 1, 0x66, 0x08, 7], all: true)
        let delete = ListOperation.delete("milk")
        #expect(
            transaction.operations == [
                delete.ifUnchanged(since: 7, content: true, fields: ["f"])
            ])
        #expect(transaction.isAllOrNothing)
    }

    /// It may be a condition, which must not be passed over.
    @Test func whatIsUnknownIsRefused() {
        #expect {
            try read([0x08, 7, 0x28, 1])
        } throws: {
            ($0 as? Rejection)?.code == .malformed && ($0 as? Rejection)?.operation == 0
        }
    }

    @Test func fieldsAreLimited() throws {
        let field: [UInt8] = [0x22, 1, 0x66]
        let most = Array(repeatElement(field, count: Guard.maximumFields).joined())
        #expect(try read(most).operations.count == 1)
        #expect {
            try read(most + field)
        } throws: {
            ($0 as? Rejection)?.code == .limitExceeded
        }
    }
}
