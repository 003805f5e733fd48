import EngineTwin
import SyncClient
import SyncModel
import SyncWire

/// A recorded stream as transactions and their expected results, to be played to a twin.
struct StreamPlayer {
    private enum Step {
        case horizon(Revision)
        case submission(Submission)
    }

    private struct Submission {
        let author: Identifier
        let counter: UInt64
        let transaction: ListTransaction
        let expected: Answer
        /// The room behind it.
        let room: Snapshot?
    }

    /// A twin's answer to a transaction. The sentence of a reject is left out: it is for people.
    private enum Answer: Equatable {
        case committed(Commit)
        case rejected(Rejection.Code, Int?)
    }

    private var steps: [Step] = []

    init(_ stream: GoldenStream) throws {
        var replica = GoldenReplica()
        for line in stream.lines {
            switch line {
            case .snapshot(let frame):
                if replica.replica.revision == nil { try replica.load(frame) }
            case .horizon(let revision): steps.append(.horizon(revision))
            case .submission(let recorded):
                if let batch = recorded.batch { _ = try replica.apply(batch) }
                guard let submit = try StreamPlayer.submit(in: recorded.submit) else { continue }
                steps.append(
                    .submission(
                        Submission(
                            author: try Identifier(recorded.author), counter: submit.counter,
                            transaction: try StreamPlayer.transaction(submit.transaction),
                            expected: try StreamPlayer.answer(in: recorded.answer),
                            room: replica.replica.snapshot)))
            }
        }
    }

    /// Plays the stream to a twin that gets a clause wrong, or none.
    ///
    /// - Returns: how many steps it takes until the twin's answer differs from the recorded one;
    ///   `nil` if it never does.
    func firstDifference(_ mutation: Mutation?) -> Int? {
        let twin = Twin(mutation)
        var answers: [Identifier: [UInt64: Answer]] = [:]
        /// The greatest committed counter of each author.
        var committed: [Identifier: UInt64] = [:]
        for (index, step) in steps.enumerated() {
            switch step {
            case .horizon(let revision): twin.advanceHorizon(to: revision)
            case .submission(let submission):
                let (author, counter) = (submission.author, submission.counter)
                var known = answers[author]?[counter]
                // L3: below a committed one, none is new.
                if known == nil, counter < committed[author, default: 0] {
                    known = .rejected(.refused, nil)
                }
                let answer = StreamPlayer.answer(twin, submission, known, mutation)
                answers[author, default: [:]][counter] = answer
                if case .committed = answer {
                    committed[author] = max(committed[author, default: 0], counter)
                }
                if answer != submission.expected { return index }
                if let room = submission.room, twin.snapshot() != room { return index }
            }
        }
        return nil
    }

    /// L3: what is sent again gets the answer it got first, except from mutants.
    private static func answer(
        _ twin: Twin, _ submission: Submission, _ known: Answer?, _ mutation: Mutation?
    ) -> Answer {
        if let known {
            switch (mutation, known) {
            case (.resentIsApplied, .committed), (.resentIsAppliedWhereRefused, .rejected): break
            case (.resentTakesRevision, .committed(var commit)):
                commit.revision = twin.revision
                return .committed(commit)
            default: return known
            }
        }
        do throws(Rejection) {
            return .committed(try twin.submit(submission.transaction, by: submission.author))
        } catch {
            return .rejected(error.code, error.operation)
        }
    }

    // MARK: Frames

    /// The transaction of a frame; `nil` if it can't be read, and is refused for that.
    private static func submit(in frame: [UInt8]) throws -> Submit? {
        do throws(WireError) {
            let message = try frame.withFrame { body throws(WireError) in
                try MessageDecoder().clientMessage(body)
            }
            guard case .submit(let submit) = message else { return nil }
            return submit
        } catch .refusedSubmit {
            return nil
        }
    }

    private static func transaction(_ packed: PackedTransaction) throws -> ListTransaction {
        var transaction = try packed.bytes.withUnsafeBytes { try ListTransaction(parsing: $0) }
        transaction.base = packed.base
        transaction.isAllOrNothing = packed.traits.isAllOrNothing
        return transaction
    }

    private static func answer(in frame: [UInt8]) throws -> Answer {
        let message = try frame.withFrame { body throws(WireError) in
            try MessageDecoder().serverMessage(body)
        }
        switch message {
        case .ack(let ack): return .committed(ack.commit)
        case .reject(let reject):
            return .rejected(reject.rejection.code, reject.rejection.operation)
        default: throw GoldenError.noAnswer
        }
    }
}
