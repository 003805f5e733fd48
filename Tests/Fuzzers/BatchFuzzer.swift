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

    /// The batch as a client receives it.
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
