import EngineTwin
import SyncClient
import SyncModel
import SyncWire

/// Applies batches of an arbitrary server to a client's replica.
///
/// - A batch that a collection view can perform is applied, with the same result as by the naive
///   code.
/// - Any other batch is applied or is a typed error; after an error the replica is empty.
/// - A batch that is split into parts of any size, sent and reassembled is unchanged.
enum BatchFuzzer {
    private static let maximumBatches = 6

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = BatchChoices(InputBytes(input))
        let partBytes = 1 + choices.below(200)
        var replica = Replica(maximumChunk: 2 + choices.below(6))
        var held = choices.snapshot(at: 7)
        replica.load(held)
        for _ in 0..<maximumBatches where !choices.isAtEnd {
            let batch = choices.batch(from: held)
            expect(
                sent(batch, partBytes) == batch,
                "the batch changes when it is sent in parts: \(batch)")
            let next = try? LegalityChecker.apply(batch, to: held)
            apply(batch, to: &replica)
            if let next, batch.to > batch.from {
                expect(
                    replica.snapshot == next,
                    "the replica has other content after a legal batch: \(batch)")
            }
            if replica.revision == nil { replica.load(held) }
            guard let snapshot = replica.snapshot else { finding("the replica has no content") }
            held = snapshot
        }
    }

    private static func apply(_ batch: Batch, to replica: inout Replica) {
        do throws(ReplicaError) {
            try replica.apply(batch)
            expect(
                replica.revision == batch.to, "the replica is not at the batch's revision: \(batch)"
            )
            expect(
                replica.sectionCount == batch.sections,
                "the replica has \(replica.sectionCount) sections after \(batch)")
        } catch {
            expect(replica.revision == nil, "the replica keeps its revision after \(error)")
            expect(replica.sectionCount == 0, "the replica keeps sections after \(error)")
        }
        replica.checkInvariants()
    }

    /// The batch as a client receives it.
    private static func sent(_ batch: Batch, _ partBytes: Int) -> Batch? {
        var assembler = BatchAssembler()
        var result: Batch?
        for frame in MessageEncoder().encode(batch, on: .room(1), partBytes: partBytes) {
            expect(result == nil, "the assembler has the batch before its last part")
            guard case .batch(let part) = try? MessageDecoder().serverMessage(frame.body) else {
                finding("a part of the batch can't be read")
            }
            result = (try? assembler.add(part)) ?? nil
        }
        return result
    }
}
