import SyncIO
import SyncRoom

/// How many may read the past at once on a loop, and who is next.
///
/// Each who does has a room in memory, as it was. Who waits for its client to take what was found
/// keeps that for a moment only, if others are waiting, and then begins anew: so slow readers keep
/// nobody from reading. The more wait, the shorter is that moment; and of those that wait, the one
/// whose connection reads least is next.
final class ReadSlots {
    final class Ticket {
        fileprivate enum State: Equatable {
            case waiting
            case busy
            case resting(since: UInt64)
            case over
        }

        fileprivate let reader: FeedKey
        /// Its place in the line, as long as it waits.
        fileprivate var place: Charge?
        fileprivate var state = State.waiting
        /// How often it has found something.
        fileprivate var turns = 0
        fileprivate var begin: () -> Void
        /// Called when others get its place while it rests.
        fileprivate var lose: () -> Void

        fileprivate init(
            _ reader: FeedKey, at place: Charge, _ begin: @escaping () -> Void,
            _ lose: @escaping () -> Void
        ) {
            self.reader = reader
            self.place = place
            self.begin = begin
            self.lose = lose
        }

        /// Nobody is called any more: who is holds the ticket itself.
        fileprivate func end() {
            state = .over
            place = nil
            begin = {}
            lose = {}
        }
    }

    private unowned let loop: ServerLoop
    private let count: Int
    private var holders: [Ticket] = []
    private var waiting: [Ticket] = []
    private var timer: (any Timer)?

    /// How long a place is kept for one who rests while nobody waits, and at least.
    private static let restMilliseconds: UInt64 = 1000
    private static let leastRestMilliseconds: UInt64 = 50
    /// After so many turns it is kept no longer.
    private static let turns = 64

    init(_ count: Int, on loop: ServerLoop) {
        self.count = count
        self.loop = loop
    }

    /// Has `begin` called when there is a place, now or later.
    ///
    /// - Parameter reader: who reads.
    /// - Returns: `nil` if too many wait, or the reader has its share of the line.
    func take(
        for reader: FeedKey, begin: @escaping () -> Void, lose: @escaping () -> Void = {}
    ) -> Ticket? {
        guard let place = reader.holder.readPlaces.reserve(1) else { return nil }
        let ticket = Ticket(reader, at: place, begin, lose)
        waiting.append(ticket)
        grant()
        return ticket
    }

    /// The reader waits for its client.
    func rest(_ ticket: Ticket) {
        guard ticket.state == .busy else { return }
        ticket.state = .resting(since: loop.loop.nowMilliseconds)
        ticket.turns += 1
        grant()
    }

    /// The reader goes on. Returns whether it still has its place.
    func wake(_ ticket: Ticket) -> Bool {
        guard case .resting = ticket.state else { return false }
        ticket.state = .busy
        return true
    }

    func giveBack(_ ticket: Ticket) {
        guard ticket.state != .over else { return }
        ticket.end()
        holders.removeAll { $0 === ticket }
        waiting.removeAll { $0 === ticket }
        grant()
    }

    /// Forgets who reads and who waits, as nothing will be read any more.
    func abandon() {
        for ticket in holders + waiting { ticket.end() }
        holders = []
        waiting = []
    }

    private func grant() {
        let now = loop.loop.nowMilliseconds
        while !waiting.isEmpty {
            if holders.count >= count {
                guard let index = holders.firstIndex(where: { mayLose($0, at: now) }) else { break }
                let loser = holders.remove(at: index)
                let lose = loser.lose
                loser.end()
                lose()
            }
            let next = waiting.remove(at: nextIndex())
            next.state = .busy
            next.place = nil
            holders.append(next)
            next.begin()
        }
        guard !waiting.isEmpty, timer == nil else { return }
        timer = loop.schedule(afterMilliseconds: ReadSlots.leastRestMilliseconds) { [weak self] in
            self?.timer = nil
            self?.grant()
        }
    }

    /// Who is next of those that wait: first come, first served among those whose holders, and of
    /// these whose connections, read least now.
    private func nextIndex() -> Int {
        var counts: [ObjectIdentifier: Int] = [:]
        for holder in holders {
            counts[ObjectIdentifier(holder.reader.holder.top), default: 0] += 1
            counts[ObjectIdentifier(holder.reader.holder), default: 0] += 1
        }
        func load(_ ticket: Ticket) -> (Int, Int) {
            let holder = ticket.reader.holder
            return (
                counts[ObjectIdentifier(holder.top)] ?? 0, counts[ObjectIdentifier(holder)] ?? 0
            )
        }
        var next = 0
        var least = (Int.max, Int.max)
        for index in waiting.indices {
            let load = load(waiting[index])
            if load == (0, 0) { return index }
            if load < least { (next, least) = (index, load) }
        }
        return next
    }

    /// How long a place is kept now.
    private var restMilliseconds: UInt64 {
        let rest = ReadSlots.restMilliseconds * UInt64(count) / UInt64(count + waiting.count)
        return max(rest, ReadSlots.leastRestMilliseconds)
    }

    private func mayLose(_ ticket: Ticket, at now: UInt64) -> Bool {
        guard case .resting(let since) = ticket.state else { return false }
        return ticket.turns >= ReadSlots.turns || now - since >= restMilliseconds
    }
}
