import SeededRandom
import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Submitted transactions in which some operations are canonical and others are not.
@Suite("Transactions that are partly canonical")
struct TransactionPackingTests {
    @Test("they read the same as by the slow path alone", arguments: [UInt64](1...12))
    func same(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var taken = 0
        for _ in 0..<300 {
            var body: [UInt8] = []
            for _ in 0..<(1 + generator.below(4)) {
                var bytes = try packed(try generator.transaction())
                if !bytes.isEmpty, generator.below(2) == 0 {
                    bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
                }
                body += bytes
            }
            let long = body.withUnsafeBytes { bytes -> Result<PackedTransaction, Rejection> in
                do throws(Rejection) {
                    return .success(try PackedTransaction(try ListTransaction(parsing: bytes)))
                } catch {
                    return .failure(error)
                }
            }
            let found = read(body)
            switch (found, long) {
            case (.success(let found), .success(let long)):
                taken += 1
                #expect(found == long, "seed \(seed)")
            case (.failure(let found), .failure(let long)):
                #expect(found.code == long.code, "seed \(seed)")
            default: Issue.record("seed \(seed): \(found) and \(long)")
            }
        }
        #expect(taken > 50)
    }

    /// An item with unordered fields, of about this many bytes.
    private func disorderly(_ count: Int) -> [UInt8] {
        let texts = stride(from: count, to: 0, by: -1000).enumerated().map { index, rest in
            field(
                4,
                field(1, Array("f\(900 - index)".utf8))
                    + field(2, field(5, [UInt8](repeating: 0x61, count: min(rest, 1000)))))
        }
        return field(2, field(1, field(1, field(1, [0x61]) + texts.flatMap { $0 })))
    }

    @Test("up to 64 KiB may be non-canonical, beside any amount of canonical bytes")
    func limit() throws {
        let name = Identifier("b")
        let text = Value.text(String(repeating: "b", count: 200_000))
        let content = try ItemContent(fields: [Field(name: name, value: text)])
        let insert = ListOperation.insert(Item(id: name, content: content), to: Placement())
        let canonical = try packed(
            ListTransaction(base: 0, operations: [ListOperation](repeating: insert, count: 10)))
        #expect(throws: Never.self) { try read(canonical + disorderly(60_000)).get() }
        #expect(throws: Never.self) { try read(disorderly(60_000) + canonical).get() }
        for body in [disorderly(70_000), disorderly(40_000) + canonical + disorderly(40_000)] {
            guard case .failure(let rejection) = read(body) else {
                Issue.record("it is taken")
                continue
            }
            #expect(rejection.code == .limitExceeded)
            #expect(rejection.operation == (body.count < 80_000 ? 0 : 11))
            #expect(rejection.message.contains("65536"))
        }
        // Exceeding another limit is reported as that.
        guard case .failure(let rejection) = read(disorderly(300_000)) else {
            Issue.record("it is taken")
            return
        }
        #expect(rejection.message.contains("of 262144 bytes"))
        // Unknown fields count as well.
        let unknown = [[UInt8]](repeating: [0x18, 0x01], count: 5000).flatMap { $0 }
        #expect(throws: Rejection.self) { try read(canonical + unknown).get() }
        #expect(throws: Never.self) { try read(canonical + unknown.prefix(1000)).get() }
    }

    @Test("non-canonical bytes are counted separately, whether they are accepted or not")
    func work() throws {
        let decoder = MessageDecoder()
        func work(_ transaction: [UInt8], deflated: Bool = false) throws -> DecodingWork? {
            let frame = field(2, [0x08, 0x07, 0x10, 0x09] + field(3, transaction))
            let sent = deflated ? try deflatedFrame(frame) : frame
            _ = sent.withUnsafeBytes { try? decoder.clientMessage($0) }
            return decoder.takeWork()
        }
        let good = field(2, field(2, field(1, [0x61])))
        #expect(try work(good) == nil)
        #expect(try #require(try work(disorderly(60_000))).nonCanonicalBytes >= 60_000)
        let bad = disorderly(60_000) + field(2, field(2, []))
        #expect(try #require(try work(bad)).nonCanonicalBytes >= 60_000)
        #expect(try #require(try work(bad)).checkedBytes == bad.count)
        let many = [[UInt8]](repeating: good, count: 5000).flatMap { $0 }
        #expect(try #require(try work(many, deflated: true)).inflatedBytes >= many.count)
        #expect(try #require(try work(good, deflated: true)).inflatedFrames == 1)
    }

    private func packed(_ transaction: ListTransaction) throws -> [UInt8] {
        var writer = ByteWriter()
        try PackedTransaction(transaction).write(to: &writer)
        return writer.makeArray()
    }

    /// The result of reading a transaction's body on a server.
    private func read(_ body: [UInt8]) -> Result<PackedTransaction, Rejection> {
        let frame = field(2, [0x08, 0x07, 0x10, 0x09] + field(3, body))
        let decoder = MessageDecoder()
        return frame.withUnsafeBytes { bytes in
            defer { withExtendedLifetime(decoder) {} }
            do throws(WireError) {
                var message: ClientMessage?
                var join: RequestID?
                let submit = try decoder.readClientFrame(bytes, &message, naming: &join)
                guard let submit else { return .failure(.unreadable) }
                return .success(PackedTransaction(submit.transaction))
            } catch .refusedSubmit(_, _, let rejection) {
                return .failure(rejection)
            } catch {
                return .failure(.unreadable)
            }
        }
    }
}

extension Rejection {
    fileprivate static let unreadable = Rejection(
        operation: nil, code: .unavailable, message: "the frame can't be read")
}
