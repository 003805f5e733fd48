import Foundation

/// The golden files beside the protocol's specification.
enum Vectors {
    /// A frame, as bytes with its length in front.
    struct Frame {
        let name: String
        let isFromClient: Bool
        let bytes: [UInt8]
        /// The whole line about the frame.
        let line: JSON
    }

    /// A frame of every message.
    static var frames: [Frame] { get throws { try read("frames") } }

    /// Broken frames, each with its error.
    static var broken: [Frame] { get throws { try read("broken") } }

    private static func read(_ name: String) throws -> [Frame] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Protocol/vectors/\(name).jsonl").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return try lines.map { line in
            let json = try JSON(String(line))
            guard let name = json["name"]?.text, let hexadecimal = json["frame"]?.text else {
                throw TestFailure("a line without a frame: \(line)")
            }
            return Frame(
                name: name, isFromClient: json["from"] == "client",
                bytes: try bytes(hexadecimal), line: json)
        }
    }

    private static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        guard digits.count == hexadecimal.count, digits.count % 2 == 0 else {
            throw TestFailure("is not hexadecimal: \(hexadecimal)")
        }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
