import EngineTwin
import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// Bytes of a connection: complete and split frames, and messages of both sides.
///
/// - However the bytes are split, they give the same frames and the same error.
/// - What was read is encoded so that it reads the same, and is encoded the same again.
/// - The engine accepts or refuses any readable transaction, and stays consistent.
enum FrameFuzzer {
    /// Small, so that the fuzzer needs little memory.
    private static let limits = {
        var limits = WireLimits()
        limits.frameBytes = 1 << 16
        return limits
    }()

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let piece = 1 + choices.below(16)
        let bytes = choices.rest
        var room = FuzzedRoom()
        let whole = frames(bytes, pieceBytes: max(bytes.count, 1)) { room.read($0) }
        let cut = frames(bytes, pieceBytes: piece) { _ in }
        expect(whole == cut, "the frames differ when they come in pieces of \(piece) bytes")
    }

    /// How many frames of which lengths there were, and why they ended.
    private struct Reading: Equatable {
        var lengths: [Int] = []
        var error: WireError?
        var isAtBoundary = false
    }

    private static func frames(
        _ bytes: UnsafeRawBufferPointer, pieceBytes: Int, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> Reading {
        var decoder = FrameDecoder(maximumFrameBytes: limits.frameBytes)
        var reading = Reading()
        do throws(WireError) {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                let end = min(start + pieceBytes, bytes.count)
                var piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                while let frame = try decoder.next(&piece) {
                    reading.lengths.append(frame.count)
                    take(frame)
                }
                expect(piece.isEmpty, "the decoder has not taken \(piece.count) bytes")
            }
        } catch {
            reading.error = error
        }
        reading.isAtBoundary = decoder.isAtBoundary
        return reading
    }

    /// Reads messages and submits transactions to a room of its own.
    private struct FuzzedRoom {
        private let decoder = MessageDecoder(limits: limits)
        private let encoder = MessageEncoder()
        private let engine = Engine()
        private var batches = BatchAssembler()
        private var snapshots = SnapshotAssembler()

        mutating func read(_ frame: UnsafeRawBufferPointer) {
            if let message = try? decoder.clientMessage(frame) {
                checkClient(message)
                if case .submit(let submit) = message { take(submit.transaction) }
            }
            if let message = try? decoder.serverMessage(frame) {
                checkServer(message)
                if case .batch(let batch) = message { _ = try? batches.add(batch) }
                if case .snapshot(let part) = message { _ = try? snapshots.add(part) }
            }
        }

        private func checkClient(_ message: ClientMessage) {
            // An unreadable layout or step is refused, and is not encoded again.
            if case .view(let request) = message, request.fault != nil { return }
            if case .drag(let drag) = message, drag.fault != nil { return }
            let written = encoder.encode(message).body
            guard let again = try? MessageDecoder().clientMessage(written) else {
                finding("a written message can't be read: \(message)")
            }
            expectSame(again, message)
            let rewritten = encoder.encode(again).body
            expect(
                rewritten == written,
                "a message's bytes change when it is read and written: \(message)")
        }

        private func checkServer(_ message: ServerMessage) {
            let written = encoder.encode(message).body
            guard let again = try? MessageDecoder().serverMessage(written) else {
                finding("a written message can't be read: \(message)")
            }
            expectSame(again, message)
            expect(
                encoder.encode(again).body == written,
                "a message's bytes change when it is read and written: \(message)")
        }

        private func expectSame<Message: Equatable>(_ again: Message, _ message: Message) {
            // A NaN equals nothing, but its text contains its bits.
            expect(
                again == message || "\(again)" == "\(message)",
                "a message changes when it is written and read: \(message), \(again)")
        }

        private func take(_ transaction: PackedTransaction) {
            checkCanonical(transaction)
            var transaction = transaction
            transaction.base = min(transaction.base, engine.revision)
            do throws(Rejection) {
                _ = try engine.submit(transaction, by: engine.author(name("author")))
            } catch {
                expect(
                    error.code != .unavailable, "an engine without a store refuses with unavailable"
                )
            }
            engine.checkInvariants()
            let copy = try? engine.reloaded()
            expect(
                copy?.snapshot() == engine.snapshot(),
                "the engine's content changes when it is saved and loaded")
        }

        /// Unpacks the transaction and packs it again, which must give the same.
        private func checkCanonical(_ transaction: PackedTransaction) {
            var writer = ByteWriter()
            transaction.write(to: &writer)
            do throws(Rejection) {
                let unpacked = try ListTransaction(parsing: writer.bytes, limits: limits)
                let again = try PackedTransaction(unpacked)
                expect(
                    again == transaction,
                    "a transaction's bytes are not canonical: \(transaction.bytes)")
            } catch {
                finding("a transaction can't be packed again: \(error), \(transaction.bytes)")
            }
        }
    }
}

extension EncodedFrame {
    /// The message `Frame`, without the length.
    var body: [UInt8] {
        let bytes = plain.array
        let head = bytes.firstIndex { $0 < 0x80 } ?? 0
        return [UInt8](bytes[(head + 1)...])
    }
}

extension MessageDecoder {
    func clientMessage(_ frame: [UInt8]) throws -> ClientMessage {
        try frame.withUnsafeBytes { try clientMessage($0) }
    }

    func serverMessage(_ frame: [UInt8]) throws -> ServerMessage {
        try frame.withUnsafeBytes { try serverMessage($0) }
    }
}
