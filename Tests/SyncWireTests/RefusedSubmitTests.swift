import SyncBytes
import SyncModel
import SyncWire
import Testing

/// An invalid transaction is an error that names it, so that it can be answered.
@Suite("Refused transactions and requests")
struct RefusedSubmitTests {
    private static let good = field(2, field(1, Array("a".utf8)))

    @Test(
        "an error in an operation names the operation",
        arguments: [
            ("empty", [UInt8]()),
            ("no such operation", field(10, [])),
            ("two operations in one", good + good),
            ("a delete without an id", field(2, [])),
            ("an id with a control character", field(2, field(1, [0x41, 0x07]))),
            ("an id with a C1 control character", field(2, field(1, [0xC2, 0x85]))),
            ("an id that is not UTF-8", field(2, field(1, [0xC0, 0xAF]))),
            ("an id of 129 bytes", field(2, field(1, [UInt8](repeating: 0x61, count: 129)))),
            ("an id of another type", field(2, [0x08, 0x01])),
            (
                "a section's placement in a section",
                field(8, field(1, [0x61]) + field(2, field(1, [0x62])))
            ),
            (
                "an infinite number",
                field(
                    5, field(1, [0x61]) + field(2, [0x62]) + [0x19, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F])
            ),
            ("a NaN in an item", insertWithValue([0x21, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F])),
            ("a value of no kind", insertWithValue([])),
            ("a length beyond the operation", [0x12, 0x05, 0x0A]),
            (
                "a field twice",
                field(4, field(1, [0x61]) + setField("f", 1) + setField("f", 2))
            ),
        ] as [(String, [UInt8])])
    func malformed(name: String, operation: [UInt8]) {
        let frame = submit(Self.good, operation, Self.good)
        expectRefusal(frame, code: .malformed, operation: 1, "\(name)")
    }

    @Test("a trail of 8 is accepted, and one of 9 is over the limit")
    func trail() {
        for count in [8, 9] {
            let trail = (0..<count).flatMap { _ in field(5, [0x61]) }
            let frame = submit(field(3, field(1, [0x62]) + field(2, trail)))
            if count == 8 {
                #expect(MessageDecoder().codeOfError(in: frame) == nil)
            } else {
                expectRefusal(frame, code: .limitExceeded, operation: 0, "trail of \(count)")
            }
        }
    }

    @Test("limits are enforced, and the error names the limit")
    func limits() {
        var limits = WireLimits()
        limits.transactionOperations = 3
        expectRefusal(
            submit(Self.good, Self.good, Self.good, Self.good), limits, code: .limitExceeded,
            operation: nil, "4 operations", says: "3 operations")
        limits = WireLimits()
        limits.transactionBytes = 20
        expectRefusal(
            submit(field(2, field(1, [UInt8](repeating: 0x61, count: 30)))), limits,
            code: .limitExceeded, operation: nil, "bytes of a transaction", says: "20 bytes")
        limits = WireLimits()
        limits.contentFields = 2
        let fields = setField("a", 1) + setField("b", 1) + setField("c", 1)
        expectRefusal(
            submit(Self.good, field(4, field(1, [0x61]) + fields)), limits, code: .limitExceeded,
            operation: 1, "fields of an update", says: "2 fields")
        expectRefusal(
            submit(insertOfFields(3)), limits, code: .limitExceeded, operation: 0,
            "fields of an item", says: "2 fields")
        #expect(MessageDecoder(limits: limits).codeOfError(in: submit(insertOfFields(2))) == nil)
        limits = WireLimits()
        limits.contentBytes = 40
        expectRefusal(
            submit(insertOfFields(10)), limits, code: .limitExceeded, operation: 0,
            "bytes of an item", says: "40 bytes")
    }

    @Test("an invalid room name refuses the request, not the connection")
    func roomName() {
        for number in [17, 20, 21, 22, 23] {
            let client = number == 17 ? field(3, [0x61]) : []
            expectError(
                field(number, [0x08, 0x05] + field(2, Array("a/b".utf8)) + client),
                .refused(
                    .request(5), .badRoomName,
                    "a room's name is 1 to 128 bytes of UTF-8 without control characters and '/'"))
        }
    }

    @Test("an unknown message differs from a broken one")
    func unknownMessage() {
        expectError(field(12, []), .unknownMessage(12))
        expectError(field(4711, [1, 2, 3]), .unknownMessage(4711))
        // A server's message that a client sends.
        expectError(field(3, []), .unknownMessage(3))
        #expect(WireError.unknownMessage(12).message.code == .unsupported)
        #expect(!ErrorCode.unsupported.closes)
    }

    @Test("a hello of another protocol is a bad handshake")
    func handshake() throws {
        let hello = field(16, field(1, Array("collsynk".utf8)))
        #expect(MessageDecoder().codeOfError(in: hello) == .badHandshake)
    }

    @Test("a client can't encode what no room may contain")
    func writing() {
        let item = Identifier(trusted: "a")
        let good = ListOperation.delete(item)
        let bad = ListOperation.increment(item, field: Identifier(trusted: "f"), by: .infinity)
        do throws(Rejection) {
            _ = try PackedTransaction(ListTransaction(base: 0, operations: [good, bad]))
            Issue.record("the transaction can be packed")
        } catch {
            #expect(error.code == .malformed)
            #expect(error.operation == 1)
            #expect(error.message == "a number is not finite")
        }
    }

    private func expectRefusal(
        _ frame: [UInt8], _ limits: WireLimits = WireLimits(), code: Rejection.Code,
        operation: Int?, _ name: Comment, says part: String = ""
    ) {
        frame.withUnsafeBytes { bytes in
            do throws(WireError) {
                _ = try MessageDecoder(limits: limits).clientMessage(bytes)
                Issue.record("nothing refused: \(name)")
            } catch .refusedSubmit(room: 7, counter: 9, let rejection) {
                #expect(rejection.code == code, name)
                #expect(rejection.operation == operation, name)
                #expect(part.isEmpty || rejection.message.contains(part), name)
            } catch {
                Issue.record("\(error): \(name)")
            }
        }
    }

    private func expectError(_ frame: [UInt8], _ expected: WireError) {
        frame.withUnsafeBytes { bytes in
            _ = #expect(throws: expected) { try MessageDecoder().clientMessage(bytes) }
        }
    }
}

/// A `set` field of an update: a name and a small integer.
private func setField(_ name: String, _ integer: UInt8) -> [UInt8] {
    field(2, field(1, Array(name.utf8)) + field(2, [0x18, integer]))
}

/// The body of an `Operation` that inserts an item with this many fields.
private func insertOfFields(_ count: Int) -> [UInt8] {
    let fields = (0..<count).flatMap { index in
        field(4, field(1, [0x61 + UInt8(index)]) + field(2, [0x18, 0x02]))
    }
    return field(1, field(1, field(1, [0x61]) + fields))
}

extension Identifier {
    fileprivate init(trusted text: String) {
        self = Array(text.utf8).withUnsafeBytes { Identifier(trusted: $0) }
    }
}
