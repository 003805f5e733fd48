import SyncRoom
import SyncWire

/// What an answer to requests takes, as long as not all who asked for it have taken it. The first of those has all of it
/// on its account; when that has it, the next one.
final class AnswerCharge {
    private let place: Charge
    private let memory: Charge
    /// Who has not taken it, and all of them in the order in which they asked, with some who have.
    private var waiting: Set<FeedKey> = []
    private var line: [FeedKey] = []
    /// Whose account has it.
    private var first = 0

    /// Sets aside what an answer takes, if it is within a holder's share, or the only one there is.
    init?(_ bytes: Int, for key: FeedKey, on loop: ServerLoop) {
        let isOnly = loop.context.pots.readBytes.held == 0
        place = Charge(in: key.holder.readBytes)
        memory = Charge(in: key.holder.memory, as: .reads, on: loop.tally)
        if isOnly {
            place.change(to: bytes)
        } else if !place.reserve(bytes) {
            return nil
        }
        memory.change(to: bytes)
        add(key)
    }

    func add(_ key: FeedKey) {
        guard waiting.insert(key).inserted else { return }
        if line.count > 2 * waiting.count + AnswerCharge.keptPlaces {
            line = line[first...].filter(waiting.contains)
            first = 0
        }
        line.append(key)
    }

    func remove(_ key: FeedKey) {
        guard waiting.remove(key) != nil, key == line[first] else { return }
        while first < line.count, !waiting.contains(line[first]) { first += 1 }
        guard first < line.count else { return }
        place.move(to: line[first].holder.readBytes)
        memory.move(to: line[first].holder.memory)
    }

    private static let keptPlaces = 16
}

extension Holder {
    /// Counts an answer that a connection has asked for.
    ///
    /// - Returns: what has it until it is taken; `nil` if that is too much, and not the only one.
    func takeAnswer(_ bytes: Int) -> Charge? {
        let charge = Charge(in: answers)
        charge.change(to: bytes)
        let held = answers.held
        let isWithinLimits =
            !answers.isOverLimit
            && held <= connection.limit - min(connection.held, connection.limit)
        return held == bytes || isWithinLimits ? charge : nil
    }
}

extension RoomRefusal {
    static let tooManyAnswers = RoomRefusal(
        code: .unavailable,
        text:
            "what you and others asked for and did not take is as much as you may have; try again in a while"
    )

    static func tooMuchAsked(by holder: Holder) -> RoomRefusal {
        RoomRefusal(
            code: .limitExceeded,
            text:
                "this connection has asked for \(holder.answers.held) bytes that it did not take yet"
        )
    }
}
