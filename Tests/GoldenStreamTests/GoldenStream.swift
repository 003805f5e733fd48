import Foundation

/// A stream of `Protocol/vectors`, line by line: what was sent to a room, what the room answered,
/// and what it broadcast to all members.
struct GoldenStream {
    enum Line: Equatable {
        /// The room as a member that joins here gets it.
        case snapshot([UInt8])
        /// The horizon advances to a revision.
        case horizon(UInt64)
        /// A transaction comes.
        case submission(Submission)
    }

    /// All frames are uncompressed and begin with their length.
    struct Submission: Equatable {
        /// What a line that was written by hand is about.
        var name: String?
        let author: String
        let submit: [UInt8]
        let answer: [UInt8]
        /// The batch that the room broadcasts, if the transaction was accepted.
        var batch: [UInt8]?
        /// What `collsync-cli tail --every-revision` prints for that batch.
        var printed: String?
    }

    let lines: [Line]

    /// The streams with random histories.
    static let recorded = ["stream", "stream-with-horizon"]
    /// The stream whose transactions were written by hand, byte by byte.
    static let byHand = "stream-by-hand"
    static let names = recorded + [byHand]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Protocol/vectors")

    private static func file(_ name: String) -> URL { folder.appending(path: "\(name).jsonl") }

    init(lines: [Line]) {
        self.lines = lines
    }

    // MARK: Files

    struct Unreadable: Error {
        let line: String
    }

    init(named name: String) throws {
        let text = try String(contentsOf: GoldenStream.file(name), encoding: .utf8)
        lines = try text.split(separator: "\n").map { try GoldenStream.read(String($0)) }
    }

    func write(named name: String) throws {
        let text = lines.map { GoldenStream.text(of: $0) + "\n" }.joined()
        try text.write(to: GoldenStream.file(name), atomically: true, encoding: .utf8)
    }

    private struct Members: Decodable {
        var snapshot: String?
        var horizon: UInt64?
        var name: String?
        var author: String?
        var submit: String?
        var answer: String?
        var batch: String?
    }

    private static func read(_ text: String) throws -> Line {
        let members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
        if let snapshot = members.snapshot { return .snapshot(try bytes(snapshot)) }
        if let horizon = members.horizon { return .horizon(horizon) }
        guard let author = members.author, let submit = members.submit,
            let answer = members.answer
        else { throw Unreadable(line: text) }
        var submission = Submission(
            author: author, submit: try bytes(submit), answer: try bytes(answer))
        submission.name = members.name
        submission.batch = try members.batch.map(bytes)
        // It stays as it is written, to the byte.
        if let printed = text.range(of: printedKey) {
            submission.printed = String(text[printed.upperBound...].dropLast())
        }
        return .submission(submission)
    }

    private static let printedKey = ",\"printed\":"

    private static func text(of line: Line) -> String {
        switch line {
        case .snapshot(let frame): return "{\"snapshot\":\"\(hexadecimal(frame))\"}"
        case .horizon(let revision): return "{\"horizon\":\(revision)}"
        case .submission(let submission):
            var text = "{"
            if let name = submission.name { text += "\"name\":\"\(name)\"," }
            text += "\"author\":\"\(submission.author)\""
            text += ",\"submit\":\"\(hexadecimal(submission.submit))\""
            text += ",\"answer\":\"\(hexadecimal(submission.answer))\""
            if let batch = submission.batch { text += ",\"batch\":\"\(hexadecimal(batch))\"" }
            if let printed = submission.printed { text += printedKey + printed }
            return text + "}"
        }
    }

    // MARK: Hexadecimal digits

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { throw Unreadable(line: hexadecimal) }
            return byte
        }
    }
}
