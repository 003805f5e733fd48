import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel

/// Records a random history of several authors that see the room late.
enum GoldenRecorder {
    /// How many transactions a stream has.
    static let transactions = 1_300
    /// After this many lines the whole room is recorded.
    static let snapshotInterval = 250

    /// The seeds of the streams; in the history of the first one the horizon never advances.
    static let seeds: [String: UInt64] = ["stream": 39, "stream-with-horizon": 16]

    /// One of this many transactions is sent again some time later.
    static let repetitionInterval = 40

    static func record(_ name: String) throws -> GoldenStream {
        var recording = Recording(seed: seeds[name, default: 0])
        for (number, text) in (GoldenOpenings.scenarios[name] ?? []).enumerated() {
            try recording.open(text, number: number)
        }
        while recording.count < transactions { try recording.goOn() }
        return GoldenStream(lines: recording.lines)
    }

    /// Records a stream's transactions with the answers that they get now.
    static func answerAgain(_ stream: GoldenStream) throws -> GoldenStream {
        let room = GoldenRoom()
        let lines = try stream.lines.map { line -> GoldenStream.Line in
            switch line {
            case .snapshot: return .snapshot(room.snapshot)
            case .horizon(let revision):
                room.advanceHorizon(to: revision)
                return line
            case .submission(let recorded):
                var submission = try room.take(recorded.submit, by: recorded.author)
                submission.name = recorded.name
                return .submission(submission)
            }
        }
        return GoldenStream(lines: lines)
    }

    /// The part of a stream that is recorded so far.
    private struct Recording {
        private(set) var lines: [GoldenStream.Line]
        private(set) var count = 0
        private let twin = Twin()
        private let room = GoldenRoom()
        private var generator: HistoryGenerator
        private var random: SplitMix64

        init(seed: UInt64) {
            generator = HistoryGenerator(seed: seed)
            random = SplitMix64(seed: seed)
            lines = [.snapshot(room.snapshot)]
        }

        /// Plays a scenario, and deletes the sections that it leaves, except `main`.
        mutating func open(_ text: String, number: Int) throws {
            let scenario = try GoldenScenario(text, number: number, start: twin.revision)
            for step in scenario.steps {
                switch step {
                case .submit(let transaction, let author): try submit(transaction, by: author)
                case .again(let author): try repeatSubmission(lastSubmission(by: author))
                case .horizon(let revision): advanceHorizon(to: revision)
                }
            }
            let sections = twin.snapshot().sections.map(\.section.id)
            let operations = sections.filter { $0.text != Engine.firstSection }
                .map(ListOperation.deleteSection)
            let tidying = ListTransaction(base: twin.revision, operations: operations)
            if !operations.isEmpty { try submit(tidying, by: "host") }
        }

        /// Records the next step of the random history.
        mutating func goOn() throws {
            if random.below(GoldenRecorder.repetitionInterval) == 0 {
                try repeatSubmission(random.pick(Array(submissions.suffix(100))))
            }
            switch generator.next(twin) {
            case .submit(let transaction, let author): try submit(transaction, by: author.text)
            case .advanceHorizon(let revision): advanceHorizon(to: revision)
            case .reload, .compare: break
            }
        }

        private var submissions: [GoldenStream.Submission] {
            lines.compactMap {
                if case .submission(let submission) = $0 { submission } else { nil }
            }
        }

        private func lastSubmission(by author: String) -> GoldenStream.Submission? {
            submissions.last { $0.author == author }
        }

        private mutating func submit(_ transaction: ListTransaction, by author: String) throws {
            _ = try? twin.submit(transaction, by: try Identifier(author))
            try take(try room.submit(transaction, by: author), by: author)
        }

        private mutating func repeatSubmission(_ submission: GoldenStream.Submission?) throws {
            guard let submission else { return }
            try take(submission.submit, by: submission.author)
        }

        private mutating func take(_ submit: [UInt8], by author: String) throws {
            lines.append(.submission(try room.take(submit, by: author)))
            count += 1
            if count % GoldenRecorder.snapshotInterval == 0 {
                lines.append(.snapshot(room.snapshot))
            }
        }

        private mutating func advanceHorizon(to revision: Revision) {
            twin.advanceHorizon(to: revision)
            room.advanceHorizon(to: revision)
            lines.append(.horizon(revision))
        }
    }
}
