import SyncIO
import SyncServer
import SyncSim
import SyncStore

/// A bug that is planted between the shipping server and its world. The simulator must find it;
/// otherwise it could find nothing.
enum Canary: String, CaseIterable, Sendable {
    case acknowledgesBeforeSync
    case losesDedupe
    case losesEvictions
    case putsIntoWrongGap
    case countsIndexOffByOne
    case queuesWithoutBound
    case losesNewContents
    case keepsTheDead
    case dragOutlivesConnection
    case spendsNoBudget
    case keepsAccountsOfTheGone
    case keepsNoShares
    case acceptsExpired
    case opensOtherRooms
    case promotesViewers
    case makesAdmins
    case believesRevocations

    /// The kind of violation that a run must find.
    var expected: Violation.Kind {
        switch self {
        case .acknowledgesBeforeSync: .notDurable
        case .losesDedupe, .losesEvictions: .appliedTwice
        case .putsIntoWrongGap: .wrongState
        case .countsIndexOffByOne: .illegalBatch
        case .queuesWithoutBound, .spendsNoBudget, .keepsAccountsOfTheGone: .unbounded
        case .losesNewContents, .keepsTheDead, .dragOutlivesConnection: .differs
        case .keepsNoShares: .unserved
        case .acceptsExpired, .opensOtherRooms, .promotesViewers, .makesAdmins,
            .believesRevocations:
            .unallowed
        }
    }

    /// The scenario with more events that reveal the bug, and without others that hide it.
    func prepared(_ scenario: Scenario) -> Scenario {
        if self == .spendsNoBudget || self == .keepsAccountsOfTheGone {
            return Scenario(besieged: scenario.seed)
        }
        var scenario = scenario
        if self == .keepsNoShares {
            scenario = Scenario(besieged: scenario.seed)
            scenario.hoard()
            return scenario
        }
        if self == .losesEvictions {
            scenario.forgetAuthors()
            for part in 1..<5 as Range<UInt64> {
                let end = Fault.Kind.serverDies(.killed, afterActs: 0, downMilliseconds: 5)
                scenario.faults.append(
                    Fault(atMilliseconds: scenario.durationMilliseconds * part / 5, kind: end))
            }
        }
        guard self == .dragOutlivesConnection else { return scenario }
        scenario.dragsPercent = 50
        // So only the screens can reveal the bug.
        scenario.hasPresence = false
        // A client that comes back as another client does not end its old drags. The deaths are
        // late, so that others do not delete the item before the screens are compared.
        let late = max(scenario.durationMilliseconds, 60) - 60
        for index in 0..<scenario.machineCount {
            let death = Fault.Kind.clientDies(
                index, .killed, afterActs: 0, keepsState: false, downMilliseconds: 20)
            scenario.faults.append(Fault(atMilliseconds: late, kind: death))
        }
        return scenario
    }

    /// The store, with the bug if it is a bug of the store.
    func damaged(_ storage: SimulatedStorage) -> any Storage & Sendable {
        switch self {
        case .acknowledgesBeforeSync: HastyStorage(storage)
        case .losesDedupe: ForgetfulStorage(storage, .results)
        case .losesEvictions: ForgetfulStorage(storage, .evictions)
        case .putsIntoWrongGap, .countsIndexOffByOne, .queuesWithoutBound, .losesNewContents,
            .keepsTheDead, .dragOutlivesConnection, .spendsNoBudget, .keepsAccountsOfTheGone,
            .keepsNoShares, .acceptsExpired, .opensOtherRooms, .promotesViewers, .makesAdmins,
            .believesRevocations:
            storage
        }
    }

    /// The platform, with the bug if it is a bug in what the server sends.
    func damaged(_ platform: SimulatedPlatform) -> any Platform {
        switch self {
        case .acknowledgesBeforeSync, .losesDedupe, .losesEvictions, .spendsNoBudget,
            .keepsNoShares, .acceptsExpired, .opensOtherRooms, .promotesViewers, .makesAdmins,
            .believesRevocations:
            platform
        case .putsIntoWrongGap:
            DamagedPlatform(platform) { stream, loop in
                TamperingStream(stream, loop) { $0.changingBatch { $0.withWrongGap() } }
            }
        case .countsIndexOffByOne:
            DamagedPlatform(platform) { stream, loop in
                TamperingStream(stream, loop) { $0.changingBatch { $0.withIndexOffByOne() } }
            }
        case .queuesWithoutBound:
            DamagedPlatform(platform) { stream, loop in QueueingStream(stream, loop) }
        case .losesNewContents:
            DamagedPlatform(platform) { stream, loop in
                TamperingStream(stream, loop) { $0.withoutNewContents() }
            }
        case .keepsTheDead:
            DamagedPlatform(platform) { stream, loop in
                TamperingStream(stream, loop) { $0.withoutDepartures() }
            }
        case .dragOutlivesConnection, .keepsAccountsOfTheGone:
            DamagedPlatform(platform) { stream, loop in UndeadStream(stream, loop) }
        }
    }

    /// Changes the server's configuration, if the bug is that the server ignores it.
    func damage(_ configuration: inout ServerConfiguration) {
        switch self {
        case .spendsNoBudget: configuration.turnSteps = 1 << 40
        // Then each connection has a share of its own, and an address as many as it likes.
        case .keepsNoShares: configuration.proxies.trusted = TrustedAddresses("0.0.0.0/0") ?? .none
        default: break
        }
    }
}
