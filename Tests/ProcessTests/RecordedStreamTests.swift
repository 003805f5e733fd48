import Foundation
import SyncBytes
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// The recorded stream against the real programs: if a server is sent the recorded frames,
    /// `collsync-cli tail` prints the recorded lines, byte for byte.
    @Suite struct RecordedStreamTests {
        @Test func tailPrintsTheSame() throws {
            let server = try ServerProcess()
            let stream = try RecordedStream()
            var authors: [String: RecordedAuthor] = [:]
            for submission in stream.submissions {
                let author =
                    try authors[submission.author]
                    ?? RecordedAuthor(submission.author, at: server)
                authors[submission.author] = author
                let isAccepted = try author.submit(submission.frame)
                #expect(isAccepted == submission.isAccepted)
            }
            let printed = stream.submissions.compactMap(\.printed)
            #expect(printed.count > 700)
            let tail = try CommandResult.client(
                [
                    "tail", "room1", "--from", "0", "--until", "\(printed.count)",
                    "--every-revision", "--json",
                ], at: server)
            #expect(tail.ending == .exit(0))
            try #require(tail.output.count == printed.count)
            for (line, recorded) in zip(tail.output, printed) { #expect(line == recorded) }
        }
    }
}

/// The transactions in `Protocol/vectors/stream.jsonl`.
private struct RecordedStream {
    struct Submission {
        let author: String
        /// A frame with a `Submit`, including its length.
        let frame: [UInt8]
        /// Whether it was accepted, now or when it was first sent.
        let isAccepted: Bool
        /// The line of `tail` for its revision, as it was written.
        let printed: String?
    }

    let submissions: [Submission]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Protocol/vectors/stream.jsonl")
        let text = try String(contentsOf: file, encoding: .utf8)
        submissions = try text.split(separator: "\n").compactMap { line in
            let json = try JSON(String(line))
            guard let author = json["author"]?.text, let frame = json["submit"]?.text,
                let answer = json["answer"]?.text
            else { return nil }
            let printed = line.range(of: ",\"printed\":").map { line[$0.upperBound...].dropLast() }
            return Submission(
                author: author, frame: try RecordedStream.bytes(frame),
                isAccepted: try RecordedStream.isAccepted(RecordedStream.bytes(answer)),
                printed: printed.map(String.init))
        }
    }

    private static func isAccepted(_ answer: [UInt8]) throws -> Bool {
        var decoder = FrameDecoder()
        let message = try answer.withUnsafeBytes { bytes in
            var input = bytes
            return try decoder.next(&input).map { try MessageDecoder().serverMessage($0) }
        }
        if case .ack = message { return true }
        return false
    }

    private static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return try stride(from: 0, to: digits.count - 1, by: 2).map { index in
            let pair = String(decoding: digits[index...(index + 1)], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { throw TestFailure("\(pair) is no byte") }
            return byte
        }
    }
}

/// An author of a recorded stream, on a connection of its own.
private final class RecordedAuthor {
    private let connection: WireConnection
    private let handle: RoomHandle

    init(_ name: String, at server: ServerProcess) throws {
        connection = try WireConnection(port: server.port)
        handle = try connection.join("room1", as: name, secret: [1]).handle
    }

    /// Sends a recorded transaction and returns whether it was accepted.
    func submit(_ frame: [UInt8]) throws -> Bool {
        var submit = try RecordedAuthor.submit(in: frame)
        submit.room = handle
        try connection.send(.submit(submit))
        switch try connection.nextAnswer() {
        case .ack(let ack): return ack.counter == submit.counter
        case .reject: return false
        case let other: throw TestFailure("a transaction was answered with \(other)")
        }
    }

    private static func submit(in frame: [UInt8]) throws -> Submit {
        var decoder = FrameDecoder()
        let message = try frame.withUnsafeBytes { bytes in
            var input = bytes
            return try decoder.next(&input).map { try MessageDecoder().clientMessage($0) }
        }
        guard case .submit(let submit) = message else { throw TestFailure("it is no transaction") }
        return submit
    }
}
