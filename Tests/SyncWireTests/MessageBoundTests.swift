import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Limits on the size and content of client messages, checked while they are read.
@Suite("Bounds of messages")
struct MessageBoundTests {
    @Test("a client's frame inflates to at most a transaction and a margin", arguments: [-1, 0, 1])
    func inflatedSize(extra: Int) throws {
        var limits = WireLimits()
        limits.transactionBytes = 10_000
        let size = limits.clientFrameBytes + extra
        #expect(limits.clientFrameBytes == 10_000 + 65_536)
        // An unknown field pads the message to the required length.
        let padding = field(99, [UInt8](repeating: 0, count: size - 7 - 5))
        let body = field(19, [0x08, 0x03] + padding)
        try #require(body.count == size - 1 || body.count == size)
        let whole = body.count < size ? field(19, [0x08, 0x80, 0x01] + padding) : body
        try #require(whole.count == size)
        let decoder = MessageDecoder(limits: limits)
        #expect(
            decoder.codeOfError(in: try deflatedFrame(whole)) == (extra > 0 ? .frameTooLarge : nil))
        // A frame over the limit was inflated, too.
        let work = try #require(decoder.takeWork())
        #expect(work.inflatedBytes == size)
        #expect(work.inflatedFrames == 1)
        #expect(decoder.takeWork() == nil)
    }

    @Test(
        "a heartbeat names no more rooms than a client may join", arguments: [0, 1, 2_000_000])
    func heartbeat(extra: Int) throws {
        var limits = WireLimits()
        limits.rooms = 64
        let entry = field(1, [0x08, 0x01])
        let rooms = [[UInt8]](repeating: entry, count: 64 + extra).flatMap { $0 }
        limits.transactionBytes = rooms.count
        let decoder = MessageDecoder(limits: limits)
        let code: ErrorCode? = extra == 0 ? nil : .badMessage
        #expect(decoder.codeOfError(in: field(6, rooms)) == code)
        #expect(decoder.codeOfError(in: try deflatedFrame(field(6, rooms))) == code)
    }

    @Test("a request for items names no more than it may, and nothing invalid")
    func items() {
        let decoder = MessageDecoder()
        func code(limit: UInt8 = 1, _ what: [UInt8]) -> ErrorCode? {
            decoder.codeOfError(in: field(26, field(2, Array("room".utf8)) + [0x28, limit] + what))
        }
        let ids = (0..<1000).flatMap { field(1, Array("i\($0)".utf8)) }
        #expect(code(field(8, ids)) == nil)
        #expect(code(field(8, ids + field(1, [0x61]))) == .limitExceeded)
        // Names beyond the limit are not checked any more.
        #expect(code(field(8, ids + field(1, [0x61]) + field(1, [0x07]))) == .limitExceeded)
        #expect(code(field(8, field(1, [0x07]))) == .badContent)
        #expect(code(limit: 0, field(8, ids)) == .badContent)
        let limit1001: [UInt8] = [0x28, 0xE9, 0x07]
        #expect(decoder.codeOfError(in: field(26, limit1001 + field(6, []))) == .badContent)
        #expect(code(field(6, [])) == nil)
        #expect(code(field(6, field(2, [0x07]))) == .badContent)
        // An empty name is none, as it may be left out.
        #expect(code(field(6, field(1, []) + field(2, []))) == nil)
        #expect(code(field(7, field(1, [UInt8](repeating: 0x61, count: 256)))) == nil)
        #expect(code(field(7, field(1, [UInt8](repeating: 0x61, count: 257)))) == .badContent)
        #expect(code(field(7, [])) == .badContent)
        #expect(code([]) == .unsupported)
    }

    @Test("a presence's ids are not read beyond the limit")
    func presence() {
        let ids = (0..<1000).flatMap { field(2, Array("i\($0)".utf8)) }
        let presence = { (more: [UInt8]) in field(11, [0x08, 0x07] + ids + more) }
        let decoder = MessageDecoder()
        #expect(decoder.codeOfError(in: presence([])) == nil)
        #expect(decoder.codeOfError(in: presence(field(2, [0x61]))) == .limitExceeded)
        // Names beyond the limit are not checked any more.
        let noName = field(2, [0x07])
        #expect(decoder.codeOfError(in: field(11, noName)) == .badContent)
        #expect(decoder.codeOfError(in: presence(field(2, [0x61]) + noName)) == .limitExceeded)
    }
}
