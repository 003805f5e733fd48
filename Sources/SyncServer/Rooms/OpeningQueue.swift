import SyncRoom
import Synchronization

/// The rooms of a loop that wait to be opened.
///
/// For an opening the store reads, a worker builds, and the loop begins the room. Each of them
/// serves its requests in order, together with other requests. So only a few openings are in
/// flight. The others wait here, where owners take turns.
///
/// Invariants:
/// 1. At most ``places`` openings are in flight.
/// 2. An owner gets another place only while it has fewer than are free (``Share/ofPlaces``).
/// 3. Within these limits, owners take turns, and the openings of an owner begin in order.
///
/// A room that several owners ask for waits in the line of each, and is opened when it is its turn
/// in one of them.
///
/// Cost: O(1) amortized for each opening. Whoever asks for a room first has a slot of the open
/// rooms, until the room's turn in that line. So the slots bound how many lines begin with a room;
/// ``mostAsked`` bounds how many rooms of others an owner waits for.
struct OpeningQueue<Opening> {
    static var places: Int { 16 }
    /// An owner whose line is that long waits for no room of another owner's line.
    static var mostAsked: Int { 1024 }

    private var waiting = RoundRobin<JobOwner, Opening>()
    private var underWay: [JobOwner: Int] = [:]
    private var free = OpeningQueue.places
    /// Owners that have used up their shares. They get no turn before more places are free. Each
    /// has an opening in flight, so these are no more than there are places.
    private var full: [JobOwner] = []

    mutating func add(_ opening: Opening, of owner: JobOwner) {
        waiting.add(opening, of: owner)
    }

    /// Whether the owner may wait for a room that is in another owner's line already.
    func mayAsk(_ owner: JobOwner) -> Bool {
        waiting.count(of: owner) < OpeningQueue.mostAsked
    }

    /// The next opening to begin, if any. It counts as in flight until ``end(of:)``.
    mutating func next() -> (owner: JobOwner, opening: Opening)? {
        while free > 0, let owner = waiting.nextOwner {
            let count = underWay[owner] ?? 0
            guard count < free else {
                waiting.holdTurn()
                full.append(owner)
                continue
            }
            guard let opening = waiting.next() else { return nil }
            free -= 1
            underWay[owner] = count + 1
            return (owner, opening)
        }
        return nil
    }

    /// An opening of the owner has ended.
    mutating func end(of owner: JobOwner) {
        guard let count = underWay[owner] else { return }
        free += 1
        underWay[owner] = count > 1 ? count - 1 : nil
        full.removeAll { owner in
            guard underWay[owner] ?? 0 < free else { return false }
            waiting.endTurn(of: owner)
            return true
        }
    }
}

/// A place among the openings in flight. It is free again when the last reference to it is gone.
final class OpeningPlace: Sendable {
    private let owner: JobOwner
    private let loop: LoopHandle
    private let isOver = Atomic<Bool>(false)

    fileprivate init(of owner: JobOwner, on loop: LoopHandle) {
        self.owner = owner
        self.loop = loop
    }

    deinit {
        end()
    }

    /// Gives the place back earlier.
    func end() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        loop.post { [owner] loop in
            loop.hosts.openings.end(of: owner)
            loop.beginOpenings()
        }
    }
}

extension ServerLoop {
    /// Begins the openings that wait, as long as there are places.
    func beginOpenings() {
        while let (owner, (handle, holder)) = hosts.openings.next() {
            let place = OpeningPlace(of: owner, on: peers[index])
            hosts.slotsOfClosed[handle] = nil
            hosts[handle]?.beginOpening(for: holder, at: place)
        }
    }
}
