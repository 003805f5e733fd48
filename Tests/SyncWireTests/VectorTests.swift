import Foundation
import SwiftProtobuf
import SyncBytes
import SyncModel
import SyncWire
import Testing

/// The published vectors, `Protocol/vectors`, checked with the codec. Existing lines stay;
/// `COLLSYNC_WRITE_VECTORS=1` adds new lines from the examples here.
@Suite("Golden vectors", .serialized)
struct VectorTests {
    /// A line of `frames.jsonl`.
    private struct FrameVector {
        var name: String
        var sender: String
        var frame: [UInt8]
        var message: Collsync_V1_Frame
    }

    @Test("every frame reads as its message, and the message is written as the frame")
    func frames() throws {
        if ProcessInfo.processInfo.environment["COLLSYNC_WRITE_VECTORS"] != nil {
            try writeFrames()
            try writeBroken()
        }
        let vectors = try Self.lines("frames.jsonl").map(frameVector)
        for vector in vectors {
            let (isDeflated, again) = try reencode(vector)
            #expect(isDeflated || again == vector.frame, "\(vector.name)")
            let body = isDeflated ? again : vector.frame
            let inner: [UInt8] = try vector.message.serializedBytes()
            #expect(body == frame(inner), "\(vector.name)")
        }
        let examples =
            try ExampleMessages.client().map(\.name) + ExampleMessages.early().map(\.name)
            + ExampleMessages.server().map(\.name)
        #expect(Set(vectors.map(\.name)).isSuperset(of: examples), "an example has no vector")
    }

    @Test("every broken frame gives its error")
    func broken() throws {
        for line in try Self.lines("broken.jsonl") {
            let name = try #require(line["name"] as? String)
            let frame = try bytes(line["frame"])
            let outcome = Self.outcome(of: frame)
            let greeting = Self.outcome(of: frame, isGreeting: true)
            #expect(greeting.error == line["greeting"] as? String, "\(name)")
            #expect(greeting.closes == true, "\(name)")
            #expect(outcome.error == line["error"] as? String, "\(name)")
            #expect(outcome.closes == line["closes"] as? Bool, "\(name)")
            #expect(outcome.operation == line["operation"] as? Int, "\(name)")
        }
    }

    // MARK: Reading

    private static func lines(_ file: String) throws -> [[String: Any]] {
        let url = protocolFolder.appending(path: "vectors").appending(path: file)
        let text = try String(contentsOf: url, encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func frameVector(_ line: [String: Any]) throws -> FrameVector {
        let message = try JSONSerialization.data(withJSONObject: try #require(line["message"]))
        return FrameVector(
            name: try #require(line["name"] as? String),
            sender: try #require(line["from"] as? String), frame: try bytes(line["frame"]),
            message: try Collsync_V1_Frame(jsonUTF8Bytes: message))
    }

    private func bytes(_ hexadecimal: Any?) throws -> [UInt8] {
        let digits = Array(try #require(hexadecimal as? String).utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            return try #require(UInt8(pair, radix: 16))
        }
    }

    /// Reads the frame and encodes the result, plain.
    private func reencode(_ vector: FrameVector) throws -> (isDeflated: Bool, frame: [UInt8]) {
        var decoder = FrameDecoder()
        return try vector.frame.withUnsafeBytes { chunk in
            var input = chunk
            let found = try decoder.next(&input)
            let frame = try #require(found)
            #expect(input.isEmpty)
            // A view's head has less than 128 bytes.
            let hasHead = frame.first == 0x52 && frame.count > 2
            let isDeflated = frame.dropFirst(hasHead ? 2 + Int(frame[1]) : 0).first == 0x0A
            if vector.sender == "client" {
                var join: RequestID?
                let message = try MessageDecoder().clientMessage(frame, naming: &join)
                return (isDeflated, MessageEncoder().encode(message, naming: join).plainArray)
            }
            let message = try MessageDecoder().serverMessage(frame)
            return (isDeflated, MessageEncoder().encode(message).plainArray)
        }
    }

    /// The server's answer to bytes from a client.
    private static func outcome(
        of bytes: [UInt8], isGreeting: Bool = false
    ) -> (error: String?, closes: Bool?, operation: Int?) {
        bytes.withUnsafeBytes { chunk in
            var decoder = FrameDecoder()
            var input = chunk
            do throws(WireError) {
                while let frame = try decoder.next(&input) {
                    var message: ClientMessage?
                    var join: RequestID?
                    _ = try MessageDecoder().readClientFrame(
                        frame, &message, naming: &join, isGreeting: isGreeting)
                    switch message {
                    case .view(let view) where view.fault != nil:
                        return (ErrorCode.badView.rawValue, false, nil)
                    case .drag(let drag) where drag.fault != nil:
                        return (ErrorCode.badDrag.rawValue, false, nil)
                    default: break
                    }
                }
                return (nil, nil, nil)
            } catch .refusedSubmit(_, _, let rejection) {
                return (rejection.code.name, false, rejection.operation)
            } catch {
                let code = error.message.code
                return (code.rawValue, code.closes, nil)
            }
        }
    }

    // MARK: Writing

    private func writeFrames() throws {
        var lines: [String] = []
        let encoder = MessageEncoder()
        for (name, message) in try ExampleMessages.client() {
            let frame = encoder.encode(message).plainArray
            lines.append(try Self.line(name, "client", frame, Collsync_V1_Frame(message)))
        }
        for (name, message) in try ExampleMessages.early() {
            let frame = encoder.encode(message, naming: 3).plainArray
            var form = Collsync_V1_Frame(message)
            form.joinRequest = 3
            lines.append(try Self.line(name, "client", frame, form))
        }
        for (name, message) in try ExampleMessages.server() {
            let frame = encoder.encode(message)
            let form = Collsync_V1_Frame(message)
            lines.append(try Self.line(name, "server", frame.plainArray, form))
            let deflated = frame.bytes(by: Deflater(thresholdBytes: 100))
            guard deflated !== frame.plain else { continue }
            let bytes = deflated.array
            lines.append(
                try Self.line(name + ", deflated", "server", bytes, form, deflate: "dictionary"))
            let alone = frame.bytes(by: Deflater(thresholdBytes: 100, hasDictionary: false))
            guard alone !== frame.plain else { continue }
            let title = name + ", deflated without the dictionary"
            lines.append(try Self.line(title, "server", alone.array, form, deflate: "plain"))
        }
        try Self.write(lines, to: "frames.jsonl")
    }

    private func writeBroken() throws {
        let lines = try BrokenFrames.all().map { name, bytes in
            let outcome = Self.outcome(of: bytes)
            let operation = outcome.operation.map { ",\"operation\":\($0)" } ?? ""
            let greeting = Self.outcome(of: bytes, isGreeting: true).error ?? "none"
            return "{\"name\":\"\(name)\",\"from\":\"client\",\"frame\":\"\(Self.hex(bytes))\","
                + "\"error\":\"\(outcome.error ?? "none")\",\"closes\":\(outcome.closes ?? false)"
                + operation + ",\"greeting\":\"\(greeting)\"}"
        }
        try Self.write(lines, to: "broken.jsonl")
    }

    private static func line(
        _ name: String, _ sender: String, _ frame: [UInt8], _ form: Collsync_V1_Frame,
        deflate: String? = nil
    ) throws -> String {
        "{\"name\":\"\(name)\",\"from\":\"\(sender)\","
            + (deflate.map { "\"deflate\":\"\($0)\"," } ?? "")
            + "\"frame\":\"\(hex(frame))\",\"message\":\(try form.jsonString())}"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func write(_ lines: [String], to file: String) throws {
        let url = protocolFolder.appending(path: "vectors").appending(path: file)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
    }
}
