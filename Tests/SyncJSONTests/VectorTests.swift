import Foundation
import SyncJSON
import Testing

/// The golden lines of `Protocol/vectors/json.jsonl`. Each has a `name` and a line: `in` for input,
/// `out` for output, or `inBytes` in hexadecimal for bytes that are no text. Then follows what it
/// `means`, as a line in its plainest form, or the path of its `error`.
@Suite struct VectorTests {
    private struct Vector: Decodable {
        var name: String
        var `in`: String?
        var inBytes: String?
        var out: String?
        var means: String?
        var error: String?
    }

    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Protocol/vectors/json.jsonl")

    private func vectors() throws -> [Vector] {
        let text = try String(contentsOf: VectorTests.file, encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            try JSONDecoder().decode(Vector.self, from: Data(line.utf8))
        }
    }

    private func bytes(ofHexadecimal text: String) throws -> [UInt8] {
        try stride(from: 0, to: text.count, by: 2).map { offset in
            try #require(UInt8(text.dropFirst(offset).prefix(2), radix: 16))
        }
    }

    @Test func `every golden line means what it says, or is an error at its place`() throws {
        let vectors = try vectors()
        #expect(vectors.count > 100)
        for vector in vectors {
            let line =
                try vector.inBytes.map(bytes(ofHexadecimal:))
                ?? Array(try #require(vector.in ?? vector.out).utf8)
            do throws(JSONError) {
                let meaning =
                    if vector.out != nil {
                        text(of: try readServerLine(line))
                    } else {
                        text(of: try readCommand(line))
                    }
                #expect(meaning == vector.means, "\(vector.name)")
            } catch {
                #expect(error.path == vector.error, "\(vector.name): \(error)")
                #expect(!error.message.isEmpty, "\(vector.name)")
            }
        }
    }
}
