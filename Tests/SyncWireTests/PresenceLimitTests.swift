import SyncBytes
import SyncModel
import SyncWire
import Testing

@Suite("Limits of presence")
struct PresenceLimitTests {
    private let decoder = MessageDecoder()

    @Test("ids up to the limit are read, and one more is refused with an error about the room")
    func ids() throws {
        for number in [2, 3] {
            let most = (0..<PresenceLimits.mostItems).flatMap {
                field(number, Array("i\($0)".utf8))
            }
            let message = try read(field(11, [0x08, 0x07] + most))
            guard case .presence(let presence) = message else {
                Issue.record("\(message) is no presence")
                return
            }
            let list = number == 2 ? presence.state.selected : presence.state.highlighted
            #expect(list.count == PresenceLimits.mostItems)
            expectRefusal([0x08, 0x07] + most + field(number, [0x61]))
            // The room may come after the refused part.
            expectRefusal(most + field(number, [0x61]) + [0x08, 0x07])
        }
    }

    @Test("a custom value up to the limit is read, and a longer one is refused")
    func custom() throws {
        // The text's own tag and length take three bytes.
        let most = field(5, [UInt8](repeating: 0x61, count: PresenceLimits.mostCustomBytes - 3))
        #expect(most.count == PresenceLimits.mostCustomBytes)
        let message = try read(field(11, [0x08, 0x07] + field(4, most)))
        guard case .presence(let presence) = message else {
            Issue.record("\(message) is no presence")
            return
        }
        #expect(presence.state.custom?.bytes == most)
        let more = field(5, [UInt8](repeating: 0x61, count: PresenceLimits.mostCustomBytes - 2))
        expectRefusal([0x08, 0x07] + field(4, more))
    }

    @Test("an update names a client, or says that all are gone")
    func updates() throws {
        let nobody = field(12, [0x08, 0x07])
        #expect(throws: WireError.self) {
            try nobody.withUnsafeBytes { try decoder.serverMessage($0) }
        }
        let allGone = field(12, [0x08, 0x07, 0x38, 0x01])
        let message = try allGone.withUnsafeBytes { try decoder.serverMessage($0) }
        #expect(message == .presenceUpdate(PresenceUpdate(room: 7, client: nil, left: true)))
    }

    @Test("a server may have lower limits")
    func fewer() {
        var limits = WireLimits()
        limits.presence.items = 2
        limits.presence.customBytes = 10
        let decoder = MessageDecoder(limits: limits)
        let ids = field(2, [0x61]) + field(2, [0x62])
        let custom = field(4, field(5, [UInt8](repeating: 0x61, count: 8)))
        #expect(throws: Never.self) { try read(field(11, [0x08, 0x07] + ids + custom), decoder) }
        let longer = field(4, field(5, [UInt8](repeating: 0x61, count: 9)))
        for more in [ids + field(2, [0x63]), longer] {
            #expect(throws: WireError.self) { try read(field(11, [0x08, 0x07] + more), decoder) }
        }
    }

    private func read(_ bytes: [UInt8], _ decoder: MessageDecoder) throws -> ClientMessage {
        try bytes.withUnsafeBytes { try decoder.clientMessage($0) }
    }

    private func read(_ bytes: [UInt8]) throws -> ClientMessage {
        try bytes.withUnsafeBytes { try decoder.clientMessage($0) }
    }

    private func expectRefusal(_ body: [UInt8]) {
        do {
            let message = try read(field(11, body))
            Issue.record("\(message) is not refused")
        } catch {
            guard case WireError.refused(.presence(in: 7), .limitExceeded, _) = error else {
                Issue.record("it is refused with \(error)")
                return
            }
        }
    }
}
