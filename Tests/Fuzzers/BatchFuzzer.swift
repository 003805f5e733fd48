import EngineTwin
import SyncClient
import SyncModel
import SyncWire

/// Batches of a server that may say anything, to the replica that a client holds.
///
/// - A batch that a collection view could perform is applied, to the same state as the naive one's.
/// - Any other is applied or is a typed error; after an error the replica holds nothing.
/// - Cut into parts of any size, sent and put together, a batch is what it was.
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
            expect(sent(batch, partBytes) == batch, "it is put together otherwise: \(batch)")
            let next = try? LegalityChecker.apply(batch, to: held)
            apply(batch, to: &replica)
            if let next, batch.to > batch.from {
                expect(replica.snapshot == next, "a legal batch is not applied: \(batch)")
            }
            if replica.revision == nil { replica.load(held) }
            guard let snapshot = replica.snapshot else { finding("there is no snapshot") }
            held = snapshot
        }
    }

    private static func apply(_ batch: Batch, to replica: inout Replica) {
        do throws(ReplicaError) {
            try replica.apply(batch)
            expect(replica.revision == batch.to, "it is not at the batch's revision")
            expect(replica.sectionCount == batch.sections, "it has other sections")
        } catch {
            expect(replica.revision == nil, "it holds a revision after \(error)")
            expect(replica.sectionCount == 0, "it holds sections after \(error)")
        }
        replica.checkInvariants()
    }

    /// The batch as it comes to a client.
    private static func sent(_ batch: Batch, _ partBytes: Int) -> Batch? {
        var assembler = BatchAssembler()
        var result: Batch?
        for frame in MessageEncoder().encode(batch, on: .room(1), partBytes: partBytes) {
            expect(result == nil, "parts follow the last one")
            guard case .batch(let part) = try? MessageDecoder().serverMessage(frame.body) else {
                finding("a part can't be read")
            }
            result = (try? assembler.add(part)) ?? nil
        }
        return result
    }
}
