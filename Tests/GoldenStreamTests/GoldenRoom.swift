import SyncBytes
import SyncEngine
import SyncJSON
import SyncModel
import SyncWire

/// A room that gets and sends frames, as over a connection, but without one.
final class GoldenRoom {
    private(set) var engine = Engine()
    private let encoder = MessageEncoder()
    private let decoder = MessageDecoder()
    private var counters: [String: UInt64] = [:]
    /// The greatest committed counter of each author.
    private var committed: [String: UInt64] = [:]
    /// The answers that each author got, by counter.
    private var answers: [String: [UInt64: [UInt8]]] = [:]

    /// The room's handle in all frames.
    static let handle: RoomHandle = 1

    /// Writes a transaction as its author sends it, with the next counter.
    func submit(_ transaction: ListTransaction, by author: String) throws -> [UInt8] {
        counters[author, default: 0] += 1
        let submit = try Submit(
            room: GoldenRoom.handle, counter: counters[author, default: 0],
            transaction: transaction)
        return encoder.encode(.submit(submit)).plain.array
    }

    /// Submits a transaction in a frame, and returns the answer and the batch.
    func take(_ submit: [UInt8], by author: String) throws -> GoldenStream.Submission {
        let (counter, transaction) = try transaction(in: submit)
        if let known = answers[author]?[counter] {
            return GoldenStream.Submission(author: author, submit: submit, answer: known)
        }
        if counter < committed[author, default: 0] {
            return refused(submit, counter, by: author, GoldenRoom.tooLate)
        }
        let submission = try take(transaction, counter, submit, by: author)
        answers[author, default: [:]][counter] = submission.answer
        return submission
    }

    /// Submits a transaction that was not sent before.
    private func take(
        _ transaction: Result<PackedTransaction, Rejection>, _ counter: UInt64, _ submit: [UInt8],
        by author: String
    ) throws -> GoldenStream.Submission {
        let number = engine.author(try Identifier(author))
        let commit: Commit
        do throws(Rejection) {
            commit = try engine.submit(try transaction.get(), by: number)
        } catch {
            return refused(submit, counter, by: author, error)
        }
        committed[author] = counter
        let ack = Ack(room: GoldenRoom.handle, counter: counter, commit: commit)
        var submission = GoldenStream.Submission(
            author: author, submit: submit, answer: frame(.ack(ack)))
        if let batch = engine.batch(from: commit.revision - 1, to: commit.revision) {
            submission.batch = frames(encoder.encode(batch, on: .room(GoldenRoom.handle)))
            submission.printed = GoldenRoom.printed(batch)
        }
        return submission
    }

    private func refused(
        _ submit: [UInt8], _ counter: UInt64, by author: String, _ rejection: Rejection
    ) -> GoldenStream.Submission {
        let reject = Reject(room: GoldenRoom.handle, counter: counter, rejection: rejection)
        return GoldenStream.Submission(
            author: author, submit: submit, answer: frame(.reject(reject)))
    }

    /// L3: a later transaction of the author was committed.
    private static let tooLate = Rejection(
        code: .refused, message: "a later transaction of its author was committed")

    func advanceHorizon(to revision: Revision) {
        engine.advanceHorizon(to: revision)
    }

    /// Goes on as a room that was stored and opened again.
    func reopen() throws {
        engine = try engine.encodeImage().withUnsafeBytes { try Engine(image: $0) }
    }

    /// The room, as the frames that a member gets.
    var snapshot: [UInt8] {
        frames(encoder.encode(engine.snapshot(), on: .room(GoldenRoom.handle)))
    }

    /// A batch as `collsync-cli tail` prints it.
    static func printed(_ batch: Batch) -> String {
        var writer = JSONWriter()
        writer.write(.batch(batch))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The transaction of a frame, or the reason of its refusal, and its counter.
    private func transaction(
        in frame: [UInt8]
    ) throws -> (counter: UInt64, Result<PackedTransaction, Rejection>) {
        let message: ClientMessage
        do throws(WireError) {
            message = try frame.withFrame { body throws(WireError) in
                try decoder.clientMessage(body)
            }
        } catch .refusedSubmit(_, let counter, let rejection) {
            return (counter, .failure(rejection))
        }
        guard case .submit(let submit) = message else { throw GoldenError.noSubmit }
        return (submit.counter, .success(submit.transaction))
    }

    private func frame(_ message: ServerMessage) -> [UInt8] {
        encoder.encode(message).plain.array
    }

    private func frames(_ frames: [EncodedFrame]) -> [UInt8] {
        frames.flatMap(\.plain.array)
    }
}

/// Why a stream can't be played.
enum GoldenError: Error {
    case noFrame
    case noSubmit
    case noBatch
    case noSnapshot
    case noAnswer
}

extension [UInt8] {
    /// Lends the message `Frame` in bytes that are one frame.
    func withFrame<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WireError) -> Result
    ) throws(WireError) -> Result {
        try withUnsafeBufferPointer { bytes throws(WireError) in
            var decoder = FrameDecoder()
            var input = UnsafeRawBufferPointer(bytes)
            guard let frame = try decoder.next(&input), input.isEmpty else {
                throw .broken(.badFrame, "the bytes are not one frame")
            }
            return try body(frame)
        }
    }
}
