import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Texts are bytes with a bound, and what is not allowed in a phase is not decoded.
@Suite struct TextBoundTests {
    private func frame(_ number: Int, _ body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        body.withUnsafeBytes { writer.write(field: number, bytes: $0) }
        return writer.makeArray()
    }

    private func error(_ frame: [UInt8], isGreeting: Bool) -> WireError? {
        frame.withUnsafeBytes { bytes in
            var message: ClientMessage?
            var join: RequestID?
            do throws(WireError) {
                _ = try MessageDecoder().readClientFrame(
                    bytes, &message, naming: &join, isGreeting: isGreeting)
                return nil
            } catch {
                return error
            }
        }
    }

    private func hello(_ fields: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        fields(&writer)
        return frame(16, writer.makeArray())
    }

    private let magic = Array("collsync".utf8)

    @Test("a hello is refused by its number once it was said, whatever it holds")
    func secondHello() {
        let whole = hello { $0.write(field: 1, bytes: magic) }
        #expect(error(whole, isGreeting: true) == nil)
        #expect(error(whole, isGreeting: false) == .broken(.badMessage, "a hello comes once"))
        let garbage = frame(16, [UInt8](repeating: 0xFF, count: 40))
        #expect(error(garbage, isGreeting: false) == .broken(.badMessage, "a hello comes once"))
    }

    @Test("before the hello every other message is refused by its number, whatever it holds")
    func beforeHello() {
        for number in 1...50 where number != 16 && number != 1 {
            let found = error(
                frame(number, [UInt8](repeating: 0xFF, count: 40)), isGreeting: true)
            // Beside a message, these name its room, request or view.
            let isAddress = [10, 40, 41].contains(number)
            #expect(
                found
                    == (isAddress
                        ? .broken(.badMessage, "a frame holds exactly one message")
                        : .broken(.badHandshake, "the first message is a hello")),
                "\(number)")
        }
    }

    @Test("a magic is compared by its bytes")
    func magicIsBytes() {
        let marks = String(repeating: "\u{301}\u{323}", count: 8192)
        for other in ["", "collsyn", "collsync\u{301}", "COLLSYNC", marks] {
            let found = error(
                hello { $0.write(field: 1, bytes: Array(other.utf8)) }, isGreeting: true)
            guard case .broken(.badHandshake, _) = found else {
                Issue.record("'\(other.prefix(20))' is taken")
                continue
            }
        }
    }

    @Test("a token that is too long is no token, and the answer says so")
    func longTokens() {
        let long = [UInt8](repeating: 0x61, count: TokenBounds.maximumBytes + 1)
        let found = error(
            hello { writer in
                writer.write(field: 1, bytes: magic)
                writer.write(field: 5, bytes: long)
            }, isGreeting: true)
        guard case .broken(.badToken, _) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        let renew = Renew(request: 7, token: String(decoding: long, as: UTF8.self))
        var writer = ByteWriter()
        ClientMessage.renew(renew).write(to: &writer)
        guard
            case .refused(.request(7), .badToken, _) = error(writer.makeArray(), isGreeting: false)
        else {
            Issue.record("a token of \(long.count) bytes is taken")
            return
        }
    }

    @Test("a hello has a bound, also when it is inflated, and so has the name of a program")
    func longHellos() throws {
        func whole(_ bytes: Int) -> [UInt8] {
            hello { writer in
                writer.write(field: 1, bytes: magic)
                writer.write(field: 90, bytes: [UInt8](repeating: 0x61, count: bytes))
            }
        }
        let most = MessageDecoder.helloBytes
        #expect(most == 65_536)
        let rest = most - (whole(most).count - most)
        #expect(whole(rest).count == most)
        #expect(error(try deflatedFrame(whole(rest)), isGreeting: true) == nil)
        let inflated = error(try deflatedFrame(whole(rest + 1)), isGreeting: true)
        #expect(inflated?.message.code == .frameTooLarge)
        func named(_ bytes: Int) -> WireError? {
            error(
                hello { writer in
                    writer.write(field: 1, bytes: magic)
                    writer.write(field: 6, bytes: [UInt8](repeating: 0x61, count: bytes))
                }, isGreeting: true)
        }
        #expect(named(1024) == nil)
        #expect(named(1025)?.message.code == .badMessage)
    }

    @Test("a text of others offers nothing that compares it but by its bytes")
    func foreignTexts() throws {
        let text: Any = ForeignText(bounded: "a")
        #expect(!(text is any Equatable))
        #expect(!(text is any Hashable))
        #expect(!(text is any Sequence))
    }

    @Test("choices are found by bytes, and by no other spelling")
    func choices() {
        func role(_ text: String) -> Role? { text.withBytes { Role(named: $0) } }
        #expect(role("editor") == .editor && role("admin") == .admin)
        for other in ["", "edito", "editors", "Editor", "editor\u{301}", "e\u{200D}ditor"] {
            #expect(role(other) == nil, "\(other)")
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(field: Int, bytes: [UInt8]) {
        bytes.withUnsafeBytes { write(field: field, bytes: $0) }
    }
}
