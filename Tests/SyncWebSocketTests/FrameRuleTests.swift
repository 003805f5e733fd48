import SyncIO
import Testing

@testable import SyncWebSocket

/// What a peer sends, and what has to come of it.
struct RuleCase: Sendable, CustomTestStringConvertible {
    /// The rule, with its section of RFC 6455.
    let rule: String
    var kind = WebSocketProtocol.bytes
    var isServer = true
    let sent: [UInt8]
    /// What the stream's handler receives.
    var received = ""
    /// The code with which the stream closes; `nil` if it stays open.
    var code: UInt16?
    /// The answers before that.
    var answers: [Frame] = []

    var testDescription: String { rule }

    init(
        _ rule: String, _ frames: [Frame], kind: WebSocketProtocol = .bytes,
        isServer: Bool = true, received: String = "", code: UInt16? = nil, answers: [Frame] = []
    ) {
        self.init(
            rule, bytes: frames.flatMap { $0.bytes() }, kind: kind, isServer: isServer,
            received: received, code: code, answers: answers)
    }

    init(
        _ rule: String, bytes: [UInt8], kind: WebSocketProtocol = .bytes, isServer: Bool = true,
        received: String = "", code: UInt16? = nil, answers: [Frame] = []
    ) {
        (self.rule, self.kind, self.isServer, self.sent) = (rule, kind, isServer, bytes)
        (self.received, self.code, self.answers) = (received, code, answers)
    }
}

/// Each rule of RFC 6455 about frames, as bytes that keep it or break it.
@Suite("The rules of frames")
struct FrameRuleTests {
    private static let a = Frame(Frame.binary, [0x61])
    private static let b = Frame(Frame.binary, [0x62])

    static let framing: [RuleCase] = [
        RuleCase("5.1: a client's frame is masked", [a, b], received: "ab"),
        RuleCase(
            "5.1: a client's frame that is not masked ends the connection",
            [a, Frame(Frame.binary, [0x62], isMasked: false)], received: "a", code: 1002),
        RuleCase(
            "5.1: a server's frame is not masked",
            [Frame(Frame.binary, [0x61], isMasked: false)], isServer: false, received: "a"),
        RuleCase(
            "5.1: a server's frame that is masked ends the connection", [a], isServer: false,
            code: 1002),
        RuleCase(
            "5.2: bit 1 is reserved", [Frame(Frame.binary, [1], reservedBits: 4)], code: 1002),
        RuleCase(
            "5.2: bit 2 is reserved", [Frame(Frame.binary, [1], reservedBits: 2)], code: 1002),
        RuleCase(
            "5.2: bit 3 is reserved", [Frame(Frame.ping, [1], reservedBits: 1)], code: 1002),
        RuleCase(
            "5.2: the length has the fewest bytes, not two for 125",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0, count: 125)).bytes(.two), code: 1002),
        RuleCase(
            "5.2: the length has the fewest bytes, not eight for 125",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0, count: 125)).bytes(.eight),
            code: 1002),
        RuleCase(
            "5.2: the length has the fewest bytes, not eight for 65535",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0, count: 65_535)).bytes(.eight),
            code: 1002),
        RuleCase(
            "5.2: two bytes for 126",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0x61, count: 126)).bytes(.two),
            received: String(repeating: "a", count: 126)),
        RuleCase(
            "5.2: two bytes for 65535",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0x61, count: 65_535)).bytes(.two),
            received: String(repeating: "a", count: 65_535)),
        RuleCase(
            "5.2: eight bytes for 65536",
            bytes: Frame(Frame.binary, [UInt8](repeating: 0x61, count: 65_536)).bytes(.eight),
            received: String(repeating: "a", count: 65_536)),
        RuleCase(
            "5.2: the highest bit of a length is 0",
            bytes: Frame(Frame.binary, [0x61]).bytes(.eight, claiming: 1 << 63), code: 1002),
        RuleCase(
            "5.2: a length may be almost 2^63, and takes no memory",
            bytes: Frame(Frame.binary, [0x61]).bytes(.eight, claiming: 1 << 63 - 1), received: "a"),
    ]

    static let reservedOpcodes: [RuleCase] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map {
        RuleCase(
            "5.2: the opcode \($0) is reserved", [a, Frame($0, [0x62])], received: "a", code: 1002)
    }

    static let fragments: [RuleCase] = [
        RuleCase(
            "5.4: a message may come in fragments, also in empty ones",
            [
                Frame(Frame.binary, isFinal: false),
                Frame(Frame.continuation, [0x61], isFinal: false),
                Frame(Frame.continuation, isFinal: false), Frame(Frame.continuation, [0x62]), a,
            ], received: "aba"),
        RuleCase(
            "5.4: frames about the connection may come between",
            [
                Frame(Frame.binary, [0x61], isFinal: false), Frame(Frame.ping, [7]),
                Frame(Frame.pong, [8]), Frame(Frame.continuation, [0x62]),
            ], received: "ab", answers: [Frame(Frame.pong, [7], isMasked: false)]),
        RuleCase(
            "5.4: nothing goes on that has not begun", [Frame(Frame.continuation, [0x61])],
            code: 1002),
        RuleCase(
            "5.4: nothing goes on that has ended", [a, Frame(Frame.continuation, [0x61])],
            received: "a", code: 1002),
        RuleCase(
            "5.4: no message begins within another",
            [Frame(Frame.binary, [0x61], isFinal: false), b], received: "a", code: 1002),
        RuleCase(
            "5.4: no text begins within another",
            [.text("a", isFinal: false), .text("b")], kind: .lines, received: "a", code: 1002),
        RuleCase(
            "5.5: a frame about the connection is no fragment",
            [Frame(Frame.ping, [1], isFinal: false)], code: 1002),
        RuleCase(
            "5.5: a closing frame is no fragment", [Frame(Frame.close, isFinal: false)], code: 1002),
        RuleCase(
            "5.5: a frame about the connection may have 125 bytes",
            [Frame(Frame.ping, [UInt8](repeating: 5, count: 125))],
            answers: [Frame(Frame.pong, [UInt8](repeating: 5, count: 125), isMasked: false)]),
        RuleCase(
            "5.5: a frame about the connection has at most 125 bytes",
            [Frame(Frame.ping, [UInt8](repeating: 5, count: 126))], code: 1002),
        RuleCase(
            "5.5: a closing frame has at most 125 bytes",
            [.close(1000, [UInt8](repeating: 0x61, count: 124))], code: 1002),
    ]

    static let control: [RuleCase] = [
        RuleCase(
            "5.5.2: a ping is answered with its data", [a, Frame(Frame.ping, [1, 2])],
            received: "a", answers: [Frame(Frame.pong, [1, 2], isMasked: false)]),
        RuleCase(
            "5.5.2: an empty ping is answered", [Frame(Frame.ping)],
            answers: [Frame(Frame.pong, isMasked: false)]),
        RuleCase(
            "5.5.3: only the last ping is answered",
            [Frame(Frame.ping, [1]), Frame(Frame.ping, [2]), a], received: "a",
            answers: [Frame(Frame.pong, [2], isMasked: false)]),
        RuleCase(
            "5.5.3: a pong without a ping is ignored", [Frame(Frame.pong, [1]), a], received: "a"),
        RuleCase(
            "5.5.1: nothing is read behind a closing frame", [a, .close(1000), b], received: "a",
            code: 1000),
        RuleCase("5.5.1: a closing frame may be empty", [Frame(Frame.close)], code: 1005),
        RuleCase("5.5.1: a code has two bytes", [Frame(Frame.close, [3])], code: 1002),
        RuleCase(
            "5.5.1: the reason is UTF-8", [.close(1000, [0xFF])], code: 1007),
        RuleCase(
            "5.5.1: the reason is whole UTF-8", [.close(1000, [0x61, 0xC3])], code: 1007),
        RuleCase(
            "5.5.1: the reason may be long",
            [.close(1001, Array(String(repeating: "ä", count: 61).utf8))], code: 1001),
    ]

    static let codes: [RuleCase] =
        [1000, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999].map {
            RuleCase("7.4: the code \($0) is answered by itself", [.close($0)], code: $0)
        }
        + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map {
            RuleCase("7.4: no frame has the code \($0)", [.close($0)], code: 1002)
        }

    static let texts: [RuleCase] = [
        RuleCase(
            "each message is a line", [.text("{}"), .text(""), .text("[1]")], kind: .lines,
            received: "{}\n\n[1]\n"),
        RuleCase(
            "newlines within a message are spaces", [.text("{\r\n}\n")], kind: .lines,
            received: "{  } \n"),
        RuleCase(
            "a message in fragments is a line",
            [
                .text("{", isFinal: false), Frame(Frame.continuation, [0x0A], isFinal: false),
                Frame(Frame.continuation),
            ], kind: .lines, received: "{ \n"),
        RuleCase(
            "5.6: a character may lie in two fragments",
            [
                Frame(Frame.text, [0xF0, 0x9F], isFinal: false), Frame(Frame.ping, [1]),
                Frame(Frame.continuation, [0x8D, 0xB5]),
            ], kind: .lines, received: "🍵\n", answers: [Frame(Frame.pong, [1], isMasked: false)]),
        RuleCase(
            "8.1: text that is not UTF-8 ends the connection",
            [.text("a"), Frame(Frame.text, [0xC0])],
            kind: .lines, received: "a\n", code: 1007),
        RuleCase(
            "8.1: a message does not end within a character", [Frame(Frame.text, [0xC3])],
            kind: .lines, received: "\u{FFFD}", code: 1007),
        RuleCase(
            "messages of lines are text", [.text("a"), a], kind: .lines, received: "a\n", code: 1003
        ),
        RuleCase("messages of bytes are binary", [a, .text("a")], received: "a", code: 1003),
        RuleCase(
            "an empty message of bytes is nothing", [Frame(Frame.binary), a], received: "a"),
    ]

    static let all = framing + reservedOpcodes + fragments + control + codes + texts

    @Test("what a peer sends has its result, cut anywhere", arguments: all)
    func play(_ rule: RuleCase) throws {
        for size in [rule.sent.count, 1, 2, 3, 7]
        where size == rule.sent.count || rule.sent.count < 300 {
            let scene = try Scene(rule.kind, isServer: rule.isServer)
            scene.send(
                stride(from: 0, to: rule.sent.count, by: size).map {
                    Array(rule.sent[$0..<min($0 + size, rule.sent.count)])
                })
            #expect(scene.notes.text == rule.received)
            var frames = try scene.takeFrames()
            #expect(frames.allSatisfy { $0.isMasked != rule.isServer && $0.isFinal })
            if let code = rule.code {
                let popped = frames.popLast()
                let last = try #require(popped)
                #expect(last.opcode == Frame.close)
                let sent = last.data.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
                #expect((last.data.isEmpty ? 1005 : sent) == code)
                #expect(last.data.count <= 125)
                #expect(scene.below.isFinished)
            } else {
                #expect(!scene.below.isFinished && scene.notes.closes.isEmpty)
            }
            // Pings that come in reads of their own are each answered.
            if size == rule.sent.count { #expect(frames == rule.answers) }
            #expect(frames.allSatisfy { $0.opcode == Frame.pong })
            #expect(scene.stream.memoryBytes < 16 << 10)
        }
    }

    @Test("who breaks a rule is an error, and who closes is none")
    func reasons() throws {
        let cases: [(Frame, String?)] = [
            (.close(1000), nil), (.close(1001), nil), (Frame(Frame.close), nil),
            (.close(1008), "with code 1008"), (Frame(Frame.binary, isMasked: false), "masked"),
        ]
        for (frame, reason) in cases {
            let scene = try Scene(.bytes)
            scene.send(frame)
            scene.simulation.run(forMilliseconds: 2000)
            #expect(scene.below.isClosed)
            #expect(scene.notes.closes.count == 1)
            let error = scene.notes.closes.first.flatMap { $0 }
            if let reason {
                #expect(error?.description.contains(reason) == true)
            } else {
                #expect(error == nil)
            }
        }
    }
}
