import SeededRandom
import SyncSim

/// A fault, and when it happens.
struct Fault {
    /// How a process dies.
    enum Death: String {
        /// As by `kill -9`: the system survives and closes the connections.
        case killed
        /// The machine loses its power: no peer is notified, and the disk may lose what was not
        /// synced.
        case powerless
    }

    enum Kind {
        /// The server dies after this number of further writes.
        case serverDies(Death, afterActs: Int, downMilliseconds: UInt64)
        /// The server ends in order, and is started again.
        case serverDrains(downMilliseconds: UInt64)
        case clientDies(Int, Death, afterActs: Int, keepsState: Bool, downMilliseconds: UInt64)
        /// A connection breaks, and only the given sides are notified.
        case cut(pick: UInt64, heardBy: [SimulatedConnection.Side])
        case partition(Int, milliseconds: UInt64)
        case readerStops(Int, milliseconds: UInt64)
        /// The server's system accepts connections, but the server does not.
        case serverHangs(milliseconds: UInt64)
        case diskIsFull(milliseconds: UInt64)
        case syncsFail(milliseconds: UInt64)
        case readsFail(milliseconds: UInt64)
        case roomIsDeleted(pick: UInt64)
        /// The server is stopped, the store restored to an earlier copy, and the server started.
        case storeIsPutBack(copiedMillisecondsAgo: UInt64, downMilliseconds: UInt64)
        /// Tokens are taken back, of a client or of everybody.
        case accessTakenBack(pick: UInt64)
        /// One end of a secured connection changes its keys, and asks the other end to.
        case keysAreUpdated(pick: UInt64)
        case networkIsSlow(milliseconds: UInt64)
        case diskIsSlow(milliseconds: UInt64)
    }

    var atMilliseconds: UInt64
    var kind: Kind

    init(atMilliseconds: UInt64, kind: Kind) {
        self.atMilliseconds = atMilliseconds
        self.kind = kind
    }

    /// A random fault of any kind, at some time before `end`.
    init(random: inout SplitMix64, before end: UInt64, clientCount: Int) {
        atMilliseconds = UInt64(random.below(Int(end)))
        let client = random.below(clientCount)
        let short = UInt64(1 + random.below(120))
        let long = UInt64(50 + random.below(1200))
        let death: Death = random.chance(50) ? .killed : .powerless
        let acts = random.below(12)
        let keepsState = random.chance(60)
        let heard: [SimulatedConnection.Side]? = random.pick([
            [.client, .server], [.client, .server], [.client], [.server], [],
        ])
        let kinds: KeyValuePairs<Kind, Int> = [
            .serverDies(death, afterActs: acts, downMilliseconds: short): 22,
            .serverDrains(downMilliseconds: short): 5,
            .clientDies(
                client, death, afterActs: acts, keepsState: keepsState, downMilliseconds: short):
                14,
            .cut(pick: random.next(), heardBy: heard ?? []): 20,
            .partition(client, milliseconds: long): 8,
            .readerStops(client, milliseconds: long): 10,
            .serverHangs(milliseconds: long): 3,
            .diskIsFull(milliseconds: short): 6,
            .syncsFail(milliseconds: short): 8,
            .readsFail(milliseconds: short): 4,
            .networkIsSlow(milliseconds: long): 4,
            .diskIsSlow(milliseconds: long): 4,
        ]
        kind = random.pick(weighted: kinds) ?? .serverDrains(downMilliseconds: short)
    }

    /// A random fault that destroys a room's history.
    static func loss(random: inout SplitMix64, before end: UInt64) -> Fault {
        let at = UInt64(random.below(Int(end)))
        if random.chance(50) {
            return Fault(atMilliseconds: at, kind: .roomIsDeleted(pick: random.next()))
        }
        let age = UInt64(random.below(Int(end) / 2 + 1))
        let down = UInt64(1 + random.below(120))
        return Fault(
            atMilliseconds: at,
            kind: .storeIsPutBack(copiedMillisecondsAgo: age, downMilliseconds: down))
    }
}

extension Fault: CustomStringConvertible {
    var description: String { "\(atMilliseconds) ms: \(kind)" }
}
