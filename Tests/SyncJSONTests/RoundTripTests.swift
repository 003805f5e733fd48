import Foundation
import ModelSupport
import SeededRandom
import SyncJSON
import SyncModel
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: 1...UInt64(2000))
    func `a transaction reads back`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let base = random.chance(50) ? random.revision() : nil
        let command = JoinCommand.transaction(
            operations: try random.list(upTo: 4) { try $0.operation() }, base: base,
            tx: random.chance(50) ? max(1, random.revision()) : nil,
            origin: base != nil && random.chance(50) ? random.origin() : nil,
            isAllOrNothing: random.chance(20))
        let line = text(of: command)
        #expect(try readCommand(line) == command, "seed \(seed): \(line)")
    }

    @Test(arguments: 1...UInt64(500))
    func `presence reads back`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let command = JoinCommand.presence(try random.presenceCommand())
        let line = text(of: command)
        #expect(try readCommand(line) == command, "seed \(seed): \(line)")
    }

    @Test(arguments: 1...UInt64(500))
    func `a clipboard command reads back`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let command = JoinCommand.clipboard(try random.clipboardCommand())
        let line = text(of: command)
        #expect(try readCommand(line) == command, "seed \(seed): \(line)")
    }

    @Test func `every kind of line and command is among the random ones`() throws {
        var lines: Set<ServerLineKind> = []
        var commands: Set<ClipboardCommandKind> = []
        var operations: Set<OperationKind> = []
        for seed in 1...UInt64(200) {
            var random = RandomModel(seed: seed)
            lines.insert(ServerLineKind(try random.serverLine()))
            commands.insert(ClipboardCommandKind(try random.clipboardCommand()))
            operations.insert(OperationKind(try random.operation()))
        }
        #expect(lines == Set(ServerLineKind.allCases))
        #expect(commands == Set(ClipboardCommandKind.allCases))
        #expect(operations == Set(OperationKind.allCases))
    }

    @Test(arguments: 1...UInt64(2000))
    func `an output line reads back, in other parsers too`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let line = try random.serverLine()
        let written = text(of: line)
        #expect(try readServerLine(written) == line, "seed \(seed): \(written)")
        #expect(text(of: try readServerLine(written)) == written, "seed \(seed)")
        #expect(!written.utf8.contains(UInt8(ascii: "\n")), "seed \(seed): more than one line")
        _ = try JSONSerialization.jsonObject(with: Data(written.utf8))
    }

    @Test func `numbers are written in their shortest form`() throws {
        let numbers: [(Double, String)] = [
            (0, "0"), (-0.0, "0"), (1, "1"), (-17, "-17"), (0.1, "0.1"), (1e-7, "1e-07"),
            (9_007_199_254_740_992, "9007199254740992"),
            (9_007_199_254_740_994, "9.007199254740994e+15"),
            (1e21, "1e+21"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (.leastNonzeroMagnitude, "5e-324"), (120.5, "120.5"),
        ]
        for (number, expected) in numbers {
            let field = Field(name: Identifier("n"), value: .number(number))
            let item = Item(id: Identifier("i"), content: try ItemContent(fields: [field]))
            var writer = JSONWriter()
            writer.write(item)
            #expect(
                String(decoding: writer.bytes, as: UTF8.self)
                    == #"{"id":"i","fields":{"n":\#(expected)}}"#)
        }
    }

    @Test func `texts are escaped where they must be and only there`() throws {
        let raw = "\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é\u{2028}😀"
        let written = text(of: .error(ServerLine.Failure(code: "c", message: raw)))
        let escaped = #"\"\\/\b\t\n\f\r\u0000\u001f\u007fé\u2028😀"#
        #expect(written == #"{"error":{"code":"c","message":"\#(escaped)"}}"#)
    }
}
