import SyncIO
import SyncRoom

/// Limits how many requests replay the past at once on a loop, and decides which is next.
///
/// Each reader has a past state of its room in memory. A reader that waits for its client is
/// *resting*. If others wait, it keeps its slot only for a short time, and then has to start again.
/// So slow readers block nobody. The more readers wait, the shorter is that time. The next reader
/// is the one whose connection has the fewest slots.
final class ReadSlots {
    final class Ticket {
        fileprivate enum State: Equatable {
            case waiting
            case busy
            case resting(since: UInt64)
            case over
        }

        fileprivate let reader: FeedKey
        /// Its place in the queue, as long as it waits.
        fileprivate var place: Charge?
        fileprivate var state = State.waiting
        /// How many deliveries it has made.
        fileprivate var turns = 0
        fileprivate var begin: () -> Void
        /// Called when another reader gets its slot while it rests.
        fileprivate var onEviction: () -> Void

        fileprivate init(
            _ reader: FeedKey, at place: Charge, _ begin: @escaping () -> Void,
            _ onEviction: @escaping () -> Void
        ) {
            self.reader = reader
            self.place = place
            self.begin = begin
            self.onEviction = onEviction
        }

        /// Drops the callbacks. They retain the reader, which retains this ticket.
        fileprivate func end() {
            state = .over
            place = nil
            begin = {}
            onEviction = {}
        }
    }

    private unowned let loop: ServerLoop
    private let count: Int
    private var holders: [Ticket] = []
    private var waiting: [Ticket] = []
    private var timer: (any Timer)?

    /// How long a resting reader keeps its slot if nobody waits, and how long at least.
    private static let restMilliseconds: UInt64 = 1000
    private static let leastRestMilliseconds: UInt64 = 50
    /// After so many turns a resting reader keeps its slot no longer.
    private static let turns = 64

    init(_ count: Int, on loop: ServerLoop) {
        self.count = count
        self.loop = loop
    }

    /// Calls `begin` when there is a slot, now or later.
    ///
    /// - Parameter reader: the request that reads.
    /// - Returns: `nil` if too many wait, or the reader's holder has its share of the queue.
    func take(
        for reader: FeedKey, begin: @escaping () -> Void, onEviction: @escaping () -> Void = {}
    ) -> Ticket? {
        guard let place = reader.holder.readPlaces.reserve(1) else { return nil }
        let ticket = Ticket(reader, at: place, begin, onEviction)
        waiting.append(ticket)
        grant()
        return ticket
    }

    /// Notes that the reader waits for its client.
    func rest(_ ticket: Ticket) {
        guard ticket.state == .busy else { return }
        ticket.state = .resting(since: loop.loop.nowMilliseconds)
        ticket.turns += 1
        grant()
    }

    /// Notes that the reader goes on. Returns whether it still has its slot.
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

    /// Drops all readers, as nothing is read any more.
    func abandon() {
        for ticket in holders + waiting { ticket.end() }
        holders = []
        waiting = []
    }

    private func grant() {
        let now = loop.loop.nowMilliseconds
        while !waiting.isEmpty {
            if holders.count >= count {
                guard let index = holders.firstIndex(where: { canEvict($0, at: now) }) else {
                    break
                }
                let evicted = holders.remove(at: index)
                let onEviction = evicted.onEviction
                evicted.end()
                onEviction()
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

    /// The next of the readers that wait: one whose address has the fewest slots, of these one
    /// whose connection has the fewest, and of these the first.
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

    /// How long a resting reader keeps its slot now.
    private var restMilliseconds: UInt64 {
        let rest = ReadSlots.restMilliseconds * UInt64(count) / UInt64(count + waiting.count)
        return max(rest, ReadSlots.leastRestMilliseconds)
    }

    private func canEvict(_ ticket: Ticket, at now: UInt64) -> Bool {
        guard case .resting(let since) = ticket.state else { return false }
        return ticket.turns >= ReadSlots.turns || now - min(now, since) >= restMilliseconds
    }
}
