import SeededRandom
import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Any input becomes a message or a typed error. The tests run to their end, which proves that
/// nothing traps.
@Suite("Hostile input")
struct HostileInputTests {
    private let decoder = MessageDecoder()

    @Test("truncation at every byte is an error", arguments: [UInt64](1...4))
    func truncation(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for kind in ClientMessageKind.allCases {
            let bytes = try generator.clientMessage(kind).bytes()
            for count in 0..<bytes.count {
                #expect(decoder.codeOfError(in: [UInt8](bytes[..<count])) == .badMessage)
            }
        }
        for kind in ServerMessageKind.allCases {
            let bytes = try generator.serverMessage(kind).bytes()
            for count in 0..<bytes.count { #expect(!reads([UInt8](bytes[..<count]))) }
        }
    }

    @Test("flipped bits give a message or an error", arguments: [UInt64](1...8))
    func flips(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for round in 0..<400 {
            var bytes =
                round % 2 == 0
                ? try generator.clientMessage(generator.pick(ClientMessageKind.self)).bytes()
                : try generator.serverMessage(generator.pick(ServerMessageKind.self)).bytes()
            if generator.chance(20) { bytes = try deflatedFrame(bytes) }
            for _ in 0..<(1 + generator.below(4)) where !bytes.isEmpty {
                bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            }
            readBoth(bytes)
        }
    }

    @Test("random bytes give a message or an error", arguments: [UInt64](1...4))
    func noise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            var bytes = (0..<generator.below(60)).map { _ in
                // Small bytes more often form tags, lengths and varints.
                UInt8(generator.below(generator.chance(50) ? 32 : 256))
            }
            if generator.chance(50) {
                var writer = ByteWriter()
                bytes.withUnsafeBytes { writer.write(field: 1 + generator.below(40), bytes: $0) }
                bytes = writer.makeArray()
            }
            readBoth(bytes)
        }
    }

    @Test("whatever was read is written so that it reads the same", arguments: [UInt64](1...4))
    func stability(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var read = 0
        for _ in 0..<2000 {
            var bytes = try generator.clientMessage(generator.pick(ClientMessageKind.self))
                .bytes()
            bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            let message = bytes.withUnsafeBytes { try? decoder.clientMessage($0) }
            guard let message else { continue }
            // A faulty part is dropped when the message is read.
            if case .view(let view) = message, view.fault != nil { continue }
            if case .drag(let drag) = message, drag.fault != nil { continue }
            read += 1
            let again = try message.bytes().withUnsafeBytes { try decoder.clientMessage($0) }
            #expect(again == message, "seed \(seed), \(bytes)")
        }
        #expect(read > 100)
    }

    @Test("lengths beyond the end, or of 2^64, are errors")
    func oversizedLengths() {
        for length in [2, 1 << 20, 1 << 31, 1 << 32, 1 << 63, UInt64.max] {
            var writer = ByteWriter()
            writer.write(tag: 2, .lengthDelimited)
            writer.write(varint: length)
            writer.write(byte: 0)
            #expect(decoder.codeOfError(in: writer.makeArray()) == .badMessage)
        }
        let overlong: [UInt8] = [0x12] + [UInt8](repeating: 0x80, count: 10) + [0x01]
        #expect(decoder.codeOfError(in: overlong) == .badMessage)
    }

    @Test("nesting deeper than the limit is an error, not a stack overflow")
    func depth() throws {
        for (depth, fits) in [(Value.maximumDepth, true), (Value.maximumDepth + 1, false)] {
            let message = submit(insertWithValue(nested(depth)))
            #expect((decoder.codeOfError(in: message) == nil) == fits, "depth \(depth)")
        }
        #expect(decoder.codeOfError(in: submit(insertWithValue(nested(20_000)))) == .badMessage)
    }

    private func readBoth(_ bytes: [UInt8]) {
        _ = decoder.codeOfError(in: bytes)
        _ = reads(bytes)
    }

    private func reads(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { (try? decoder.serverMessage($0)) != nil }
    }
}

/// Nested lists, as the body of a `Value`.
func nested(_ depth: Int) -> [UInt8] {
    var value: [UInt8] = [0x08, 0x01]
    for _ in 0..<depth { value = field(6, field(1, value)) }
    return value
}

/// The body of an `Operation` that inserts an item with one field of an arbitrary value.
func insertWithValue(_ value: [UInt8]) -> [UInt8] {
    let item = field(1, Array("a".utf8)) + field(4, field(1, Array("f".utf8)) + field(2, value))
    return field(1, field(1, item))
}

/// A length-delimited field.
func field(_ number: Int, _ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    body.withUnsafeBytes { writer.write(field: number, bytes: $0) }
    return writer.makeArray()
}

/// A `Frame` without a length, which submits operations as the 9th transaction to room 7.
func submit(_ operations: [UInt8]...) -> [UInt8] {
    let transaction = operations.flatMap { field(2, $0) }
    return field(2, [0x08, 0x07, 0x10, 0x09] + field(3, transaction))
}
