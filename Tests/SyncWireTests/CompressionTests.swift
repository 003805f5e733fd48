import Foundation
import SeededRandom
import SyncBytes
import SyncModel
import SyncWire
import Testing

@Suite("Compression")
struct CompressionTests {
    @Test(
        "a deflated frame reads like the plain one", arguments: [UInt64](1...10), [true, false])
    func roundTrip(seed: UInt64, hasDictionary: Bool) throws {
        var generator = SplitMix64(seed: seed)
        let encoder = MessageEncoder()
        let deflater = Deflater(thresholdBytes: 0, hasDictionary: hasDictionary)
        let decoder = MessageDecoder()
        var deflatedFrames = 0
        let kinds = ServerMessageKind.allCases
        for round in 0..<100 {
            let message = try generator.serverMessage(kinds[round % kinds.count])
            let frame = encoder.encode(message)
            let sent = frame.bytes(by: deflater)
            #expect(sent.count <= frame.plain.count)
            #expect(sent === frame.bytes(by: deflater), "the frame is encoded once")
            if sent !== frame.plain { deflatedFrames += 1 }
            #expect(try decoder.serverMessages(sent) == [message], "seed \(seed), round \(round)")
        }
        #expect(deflatedFrames > 10)
    }

    @Test("each form is encoded once, and reads the same")
    func forms() throws {
        let text = String(repeating: "title of an item ", count: 40)
        let frame = MessageEncoder().encode(.error(ErrorMessage(.unavailable, text)))
        let known = Deflater()
        let plain = Deflater(hasDictionary: false)
        let (first, second) = (frame.bytes(by: known), frame.bytes(by: plain))
        #expect(first !== second && first !== frame.plain && second !== frame.plain)
        #expect(frame.bytes(by: known) === first && frame.bytes(by: plain) === second)
        let decoder = MessageDecoder()
        #expect(try decoder.serverMessages(first) == decoder.serverMessages(second))
        #expect(first.count < second.count)
    }

    @Test("small frames, and those of peers that can't inflate, stay plain")
    func threshold() {
        let encoder = MessageEncoder()
        let small = encoder.encode(
            .error(ErrorMessage(.unavailable, String(repeating: "a", count: 200))))
        let large = encoder.encode(
            .error(ErrorMessage(.unavailable, String(repeating: "a", count: 300))))
        let deflater = Deflater()
        #expect(small.bytes(by: deflater) === small.plain)
        #expect(large.bytes(by: nil) === large.plain)
        #expect(large.bytes(by: deflater).count < 50)
    }

    @Test("incompressible frames stay plain")
    func incompressible() throws {
        var generator = SplitMix64(seed: 3)
        let noise = String(
            (0..<400).map { _ in Character(UnicodeScalar(UInt8(33 + generator.below(90)))) })
        let frame = MessageEncoder().encode(.error(ErrorMessage(.unavailable, noise)))
        let sent = frame.bytes(by: Deflater())
        #expect(sent.count <= frame.plain.count)
        #expect(try MessageDecoder().serverMessages(sent).count == 1)
    }

    @Test("a bomb is an error at the limit, and the decoder goes on")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 5_000_000)
        let bomb = try deflatedFrame(zeros)
        #expect(bomb.count < 50_000)
        var limits = WireLimits()
        limits.frameBytes = 1 << 20
        let decoder = MessageDecoder(limits: limits)
        #expect(decoder.codeOfError(in: bomb) == .frameTooLarge)
        let good = try deflatedFrame(ClientMessage.listRooms(ListRooms(request: 3)).bytes())
        #expect(
            try good.withUnsafeBytes { try decoder.clientMessage($0) }
                == .listRooms(ListRooms(request: 3)))
    }

    @Test("the limit applies to the inflated frame, to the byte", arguments: [-1, 0, 1])
    func exactLimit(extra: Int) throws {
        let text = String(repeating: "x", count: 100_000)
        let insert = try ListOperation.insert(
            "a", ["text": .text(text)], at: Placement(section: "main"))
        let transaction = ListTransaction(base: 0, operations: [insert])
        let body = ClientMessage.submit(
            try Submit(room: 1, counter: 1, transaction: transaction)
        ).bytes()
        var limits = WireLimits()
        limits.frameBytes = body.count + extra
        let code = MessageDecoder(limits: limits).codeOfError(in: try deflatedFrame(body))
        #expect(code == (extra < 0 ? .frameTooLarge : nil))
    }

    @Test("a deflated frame in a deflated frame is an error")
    func nested() throws {
        let inner = try deflatedFrame(ClientMessage.listRooms(ListRooms(request: 3)).bytes())
        #expect(MessageDecoder().codeOfError(in: try deflatedFrame(inner)) == .badFrame)
    }

    @Test("a deflated body that is truncated or followed by bytes is an error")
    func damaged() throws {
        let text = String(repeating: "collsync ", count: 100)
        let whole = try deflate(ClientMessage.hello(Hello(agent: text)).bytes())
        for count in 0..<whole.count {
            let code = MessageDecoder().codeOfError(in: deflatedBody([UInt8](whole[..<count])))
            #expect(code == .badFrame, "cut to \(count)")
        }
        #expect(MessageDecoder().codeOfError(in: deflatedBody(whole)) == nil)
        #expect(MessageDecoder().codeOfError(in: deflatedBody(whole + [0])) == .badFrame)
    }

    @Test("the dictionary is the published one")
    func dictionary() throws {
        let published = try Data(contentsOf: protocolFolder.appending(path: "dictionary.bin"))
        #expect(published.elementsEqual(WireDictionary.bytes))
        #expect(published.count == 1232)
    }
}

extension MessageDecoder {
    /// The messages in complete frames.
    func serverMessages(_ bytes: SharedBytes) throws(WireError) -> [ServerMessage] {
        var decoder = FrameDecoder()
        var input = bytes.bytes
        var messages: [ServerMessage] = []
        while let frame = try decoder.next(&input) { messages.append(try serverMessage(frame)) }
        return messages
    }

    /// The error code for a client's frame without its length.
    func codeOfError(in frame: [UInt8]) -> ErrorCode? {
        frame.withUnsafeBytes { bytes in
            do throws(WireError) {
                _ = try clientMessage(bytes)
                return nil
            } catch {
                return error.message.code
            }
        }
    }
}

extension EncodedFrame {
    /// A copy of the plain bytes, including the length.
    var plainArray: [UInt8] {
        plain.array
    }
}

/// Bytes deflated with the dictionary.
func deflate(_ bytes: [UInt8]) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: bytes.count + 100)
    let count = bytes.withUnsafeBytes { input in
        output.withUnsafeMutableBytes { Deflater().deflate(input, into: $0) }
    }
    return [UInt8](output.prefix(try #require(count)))
}

/// A `Frame` without a length, with an arbitrary deflated body.
func deflatedBody(_ deflated: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    deflated.withUnsafeBytes { writer.write(field: 1, bytes: $0) }
    return writer.makeArray()
}

/// A `Frame` without a length, whose deflated body contains arbitrary bytes.
func deflatedFrame(_ bytes: [UInt8]) throws -> [UInt8] {
    deflatedBody(try deflate(bytes))
}

/// The folder of the published protocol.
let protocolFolder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Protocol")
