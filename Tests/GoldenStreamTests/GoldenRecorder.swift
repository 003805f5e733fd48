import EngineTwin
import SyncEngine

/// Records what comes of a random history of several authors who see the room late.
enum GoldenRecorder {
    /// How many transactions a stream has.
    static let transactions = 1_000
    /// After how many lines the room is kept whole.
    static let snapshotInterval = 250

    /// The seeds of the streams; in the history of the first one the horizon never advances.
    static let seeds: [String: UInt64] = ["stream": 39, "stream-with-horizon": 16]

    static func record(seed: UInt64) throws -> GoldenStream {
        var generator = HistoryGenerator(seed: seed)
        let twin = Twin()
        let room = GoldenRoom()
        var lines: [GoldenStream.Line] = [.snapshot(room.snapshot)]
        var count = 0
        while count < transactions {
            switch generator.next(twin) {
            case .submit(let transaction, let author):
                _ = try? twin.submit(transaction, by: author)
                let submit = try room.submit(transaction, by: author.text)
                lines.append(.submission(try room.take(submit, by: author.text)))
                count += 1
                if count % snapshotInterval == 0 { lines.append(.snapshot(room.snapshot)) }
            case .advanceHorizon(let revision):
                twin.advanceHorizon(to: revision)
                room.advanceHorizon(to: revision)
                lines.append(.horizon(revision))
            case .reload, .compare: break
            }
        }
        return GoldenStream(lines: lines)
    }
}
