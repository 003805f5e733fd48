import SeededRandom
import SyncRoom
import Testing

@testable import SyncServer

/// The order of jobs.
@Suite struct JobQueueTests {
    private struct Owner: Hashable {
        var kind: JobKind
        var number: Int

        var job: JobOwner { JobOwner(Owner.holders[number]) }

        private static let holders = (0..<16).map { _ in Holder(in: Pots()) }
    }

    /// The jobs in the queue, according to the rules.
    private struct Model {
        let workers: Int
        var waiting: [Owner: [Int]] = [:]
        var underWay: [(turn: JobTurn, owner: Owner)] = []
        /// By waiting owner: the owners of the jobs begun since it could have begun one.
        var passed: [Owner: [Owner]] = [:]

        func canBegin(_ owner: Owner) -> Bool {
            waiting[owner]?.isEmpty == false && !underWay.contains { $0.owner == owner }
        }

        func mayBegin(_ kind: JobKind) -> Bool {
            guard underWay.count < workers else { return false }
            let ofKind = underWay.count { $0.owner.kind == kind }
            guard ofKind < max(1, workers - 1) else { return false }
            if kind == .opening { return true }
            // Openings go first, as long as they may.
            let openings = underWay.count { $0.owner.kind == .opening }
            return openings >= max(1, workers - 1)
                || !waiting.keys.contains { $0.kind == .opening && canBegin($0) }
        }

        mutating func begin(_ job: Int, _ turn: JobTurn) {
            guard let owner = waiting.first(where: { $0.value.first == job })?.key else {
                Issue.record("\(job) is nobody's next")
                return
            }
            #expect(turn.kind == owner.kind && turn.owner == owner.job)
            #expect(canBegin(owner), "an owner has two running jobs")
            #expect(mayBegin(owner.kind))
            for other in waiting.keys where other.kind == owner.kind && other != owner {
                guard canBegin(other) else { continue }
                #expect(passed[other]?.contains(owner) != true, "\(owner) is before \(other) twice")
                passed[other, default: []].append(owner)
            }
            waiting[owner]?.removeFirst()
            passed[owner] = nil
            underWay.append((turn, owner))
        }
    }

    /// An owner's jobs of one kind run in order and one at a time, and none is lost. Openings go
    /// first, and no owner has two turns while another waits for one.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func ownersTakeTurns(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var model = Model(workers: Int(seed % 4) + 1)
        var line = JobQueue<Int>(workerCount: model.workers)
        var step = 0
        var isAtEnd = false
        while !isAtEnd {
            step += 1
            switch numbers.next() % 3 {
            case 0 where step < 1500:
                // The first owner floods.
                let number = numbers.next() % 3 == 0 ? Int(numbers.next() % 5) : 0
                let owner = Owner(
                    kind: numbers.next() % 4 == 0 ? .opening : .work, number: number)
                model.waiting[owner, default: []].append(step)
                line.add(step, owner.kind, for: owner.job)
            case 1 where !model.underWay.isEmpty:
                let index = Int(numbers.next() % UInt64(model.underWay.count))
                line.end(model.underWay.remove(at: index).turn)
            default:
                if let (turn, job) = line.next() {
                    model.begin(job, turn)
                } else {
                    let owners = model.waiting.keys.filter(model.canBegin)
                    let isIdle = owners.contains { model.mayBegin($0.kind) }
                    #expect(!isIdle, "a worker has nothing to do")
                    isAtEnd = step >= 1500 && owners.isEmpty && model.underWay.isEmpty
                }
            }
        }
        let isNothingLost = model.waiting.values.allSatisfy(\.isEmpty)
        #expect(isNothingLost)
    }
}
