import Foundation
import SyncClient
import SyncModel
import SyncWire
import Testing

/// The recorded streams of `Protocol/vectors` against this version: the same input gives the same
/// answers, the same batches and the same room, byte for byte.
///
/// Others build on the merge rules and on the bytes, so a stream stays as it is. To record a stream
/// again, where it has to change on purpose:
///
///     COLLSYNC_RECORD_STREAMS=1 swift test --filter GoldenStreamTests.GoldenStreamTests
///
/// That keeps the transactions that were written by hand, and records new answers to them.
@Suite("Golden streams", .serialized)
struct GoldenStreamTests {
    init() throws {
        guard ProcessInfo.processInfo.environment["COLLSYNC_RECORD_STREAMS"] != nil else { return }
        for name in GoldenStream.recorded { try GoldenRecorder.record(name).write(named: name) }
        let byHand = GoldenStream.byHand
        try GoldenRecorder.answerAgain(GoldenStream(named: byHand)).write(named: byHand)
    }

    /// A room answers the recorded transactions as recorded, also when it is stored and opened in
    /// between.
    @Test(arguments: GoldenStream.names)
    func theRoomAnswersTheSame(name: String) throws {
        let room = GoldenRoom()
        for (number, line) in try GoldenStream(named: name).lines.enumerated() {
            switch line {
            case .snapshot(let frame):
                try #require(room.snapshot == frame, "line \(number + 1)")
                try room.reopen()
            case .horizon(let revision): room.advanceHorizon(to: revision)
            case .submission(let recorded):
                let now = try room.take(recorded.submit, by: recorded.author)
                try #require(now.batch == recorded.batch, "line \(number + 1)")
                #expect(now.printed == recorded.printed, "line \(number + 1)")
                try expectSame(now.answer, recorded.answer, line: number + 1)
            }
        }
    }

    /// A client that follows the recorded batches gets the recorded rooms, and writes what it reads
    /// byte for byte.
    @Test(arguments: GoldenStream.names)
    func aReplicaGetsTheSame(name: String) throws {
        var replica = GoldenReplica()
        for (number, line) in try GoldenStream(named: name).lines.enumerated() {
            switch line {
            case .snapshot(let frame):
                if replica.replica.revision == nil { try replica.load(frame) }
                try #require(replica.snapshot == frame, "line \(number + 1)")
            case .horizon: break
            case .submission(let recorded):
                guard let frame = recorded.batch else { continue }
                let (batch, written) = try replica.apply(frame)
                #expect(written == frame, "line \(number + 1)")
                #expect(GoldenRoom.printed(batch) == recorded.printed, "line \(number + 1)")
            }
        }
    }

    /// The streams are long, and everything that can happen occurs in them.
    @Test func theStreamsCoverEverything() throws {
        var reasons: Set<Superseded.Reason> = []
        var codes: Set<Rejection.Code> = []
        var all = Stage()
        var horizons = 0
        var repetitions = 0
        for name in GoldenStream.recorded {
            var replica = GoldenReplica()
            var sent: [String: Set<[UInt8]>] = [:]
            for line in try GoldenStream(named: name).lines {
                switch line {
                case .snapshot(let frame): try replica.load(frame)
                case .horizon: horizons += 1
                case .submission(let submission):
                    let isNew = sent[submission.author, default: []].insert(submission.submit)
                    if !isNew.inserted { repetitions += 1 }
                    switch try answer(submission.answer) {
                    case .ack(let ack): reasons.formUnion(ack.commit.superseded.map(\.reason))
                    case .reject(let reject): codes.insert(reject.rejection.code)
                    default: Issue.record("it is no answer")
                    }
                    guard let frame = submission.batch else { continue }
                    for stage in try replica.apply(frame).batch.stages { all.append(stage) }
                }
            }
            let revision = try #require(replica.replica.revision)
            #expect(revision > 700, "\(name) has \(revision) revisions")
        }
        #expect(reasons == Set(Superseded.Reason.allCases.filter { $0 != .unknown }))
        #expect(codes.isSuperset(of: [.notAllowed, .badBase, .unknownItem, .unknownSection]))
        #expect(horizons > 10)
        #expect(repetitions > 20)
        let counts = [
            all.reloads.count, all.changedSections.count, all.insertSections.count,
            all.moveSections.count, all.deletes.count, all.inserts.count, all.moves.count,
            all.deleteSections.count,
        ]
        #expect(counts.allSatisfy { $0 > 10 }, "\(counts)")
    }

    /// An ack is the same to the byte. In a reject only the sentence, which is for people, may
    /// change.
    private func expectSame(_ now: [UInt8], _ recorded: [UInt8], line: Int) throws {
        guard case .reject(let then) = try answer(recorded),
            case .reject(let here) = try answer(now)
        else {
            try #require(now == recorded, "line \(line)")
            return
        }
        #expect(here.counter == then.counter, "line \(line)")
        #expect(here.rejection.code == then.rejection.code, "line \(line)")
        #expect(here.rejection.operation == then.rejection.operation, "line \(line)")
    }

    private func answer(_ frame: [UInt8]) throws -> ServerMessage {
        try frame.withFrame { body throws(WireError) in try MessageDecoder().serverMessage(body) }
    }
}

extension Stage {
    fileprivate mutating func append(_ other: Stage) {
        reloads += other.reloads
        changedSections += other.changedSections
        insertSections += other.insertSections
        moveSections += other.moveSections
        deletes += other.deletes
        inserts += other.inserts
        moves += other.moves
        deleteSections += other.deleteSections
    }
}
