import SyncModel
import SyncWire

/// Watches what the server reads and writes, and knows what each connection may do at each moment,
/// by `Protocol/access.md` and the tokens that were issued.
///
/// 1. A connection is welcome only with a token that has not expired.
/// 2. Nothing of a room is written to a connection whose token gives no role in the room.
/// 3. An answer about a room is written only if the user had the role for it at some time since
///    the request.
/// 4. A transaction is committed only if its author was an editor at some time since it was read.
/// 5. Only an editor makes a room, and only an admin deletes one.
/// 6. A client id that has written stays with its user.
/// 7. Once tokens are taken back, nothing is written to a connection with one of them. What it sent
///    is on disk by then, or never will be. No other connection ends for that.
final class AccessObserver: @unchecked Sendable {
    // Sendable, as a simulation has one thread.

    /// A join that may make a room.
    struct Making: Hashable {
        var connection: Int
        var request: RequestID
    }

    private struct Author: Hashable {
        var room: RoomID
        var client: Identifier
    }

    let office: TokenOffice
    private let evidence: Evidence
    private var connections: [ObservedConnection] = []
    /// What is taken back for all connections.
    private(set) var takenBack: [TakenBack] = []
    /// The transactions that must not become durable any more.
    private var forbidden: Set<Evidence.Name> = []
    /// How many requests of operators to take something back were not carried out yet.
    private var openRevocations = 0
    private var allowed: Set<Evidence.Name> = []
    private var owners: [Author: Identifier] = [:]
    /// The clients that have written in rooms of a name.
    private var writers: [RoomName: Set<Identifier>] = [:]
    /// The joins of editors whose answers are not written yet, and the rooms that editors are in.
    private var makings: [RoomName: Set<Making>] = [:]
    private var made: Set<RoomID> = []

    init(_ office: TokenOffice, _ evidence: Evidence) {
        self.office = office
        self.evidence = evidence
    }

    /// - Returns: its number.
    func didAccept(_ connection: ObservedConnection) -> Int {
        connections.append(connection)
        return connections.count
    }

    func accuse(_ text: String) {
        evidence.accuse(.unallowed, text)
    }

    func didAct(_ act: AccessAct) {
        evidence.didAct(act)
    }

    // MARK: Transactions

    func mayCommit(_ name: Evidence.Name) {
        allowed.insert(name)
    }

    func isAllowed(_ name: Evidence.Name) -> Bool { allowed.contains(name) }

    /// A connection whose token is good has sent it, perhaps again.
    func maySend(_ name: Evidence.Name) {
        forbidden.remove(name)
    }

    func isForbidden(_ name: Evidence.Name) -> Bool { forbidden.contains(name) }

    // MARK: Taking back

    func isTakenBack(_ permit: Permit) -> Bool { takenBack.contains { $0.covers(permit) } }

    /// An operator asks to take something back.
    func mayTakeBack() {
        openRevocations += 1
    }

    /// The server is about to take something back at a request.
    func willTakeBack(_ taken: TakenBack) {
        if openRevocations == 0 { accuse("\(taken) is taken back, and no operator has asked") }
        openRevocations -= 1
        office.willTakeBack(taken)
    }

    /// From now on it holds.
    func didTakeBack(_ taken: TakenBack) {
        evidence.note("taken back: \(taken)")
        takenBack.append(taken)
        var sent: Set<Evidence.Name> = []
        var sentByOthers: Set<Evidence.Name> = []
        for connection in connections {
            if connection.isTakenBack {
                sent.formUnion(connection.sent)
            } else {
                sentByOthers.formUnion(connection.sent)
            }
        }
        forbidden.formUnion(
            sent.subtracting(sentByOthers).subtracting(evidence.durableTransactions()))
    }

    /// An operator is told that it holds.
    func didTakeBack(_ subject: Revoke.Subject) {
        guard let taken = office.takenBack.last(where: { $0.what.subject == subject }) else {
            return accuse("\(subject) should be taken back, and is not")
        }
        didTakeBack(taken)
    }

    /// A server begins, which knows everything that was to be taken back.
    func serverWillBegin() {
        takenBack = office.takenBack
    }

    /// Releases everything.
    func end() {
        connections = []
    }

    // MARK: Rooms

    func mayMake(_ room: RoomName, by making: Making) {
        makings[room, default: []].insert(making)
    }

    func didNotMake(_ room: RoomName, by making: Making) {
        makings[room]?.remove(making)
    }

    /// An answer to a join is written.
    func didJoin(_ joined: Joined, by making: Making, of user: Identifier) {
        let room = joined.room
        if makings[room]?.remove(making) != nil { made.insert(joined.identity.id) }
        if !made.contains(joined.identity.id) {
            if makings[room]?.isEmpty ?? true {
                accuse("\(user) is in \(room), which no editor has made")
            }
            made.insert(joined.identity.id)
        }
        let author = Author(room: joined.identity.id, client: joined.client)
        if let owner = owners[author], owner != user {
            accuse("\(user) joins \(room) as \(joined.client), who is \(owner)")
        }
    }

    /// A commit is acknowledged, so it is on disk.
    func didCommit(
        by client: Identifier, of user: Identifier, in room: RoomID, named name: RoomName
    ) {
        let author = Author(room: room, client: client)
        writers[name, default: []].insert(client)
        if let owner = owners.updateValue(user, forKey: author), owner != user {
            accuse("\(user) commits as \(client), who is \(owner)")
        }
    }

    /// Whether a client has written in a room, as it was told.
    func hasWritten(_ client: Identifier, in room: RoomName) -> Bool {
        writers[room]?.contains(client) == true
    }

    /// The server has ended, and perhaps its store was put back.
    func serverDidEnd(losing: Bool) {
        makings = [:]
        openRevocations = 0
        for connection in connections { connection.isOver = true }
        if losing { owners = [:] }
    }
}

/// What the rights of users have led to in runs.
enum AccessAct: String, CaseIterable {
    case welcomed = "connections welcome by a token"
    case renewed = "tokens renewed"
    case gained = "roles that a renewal gave"
    case lost = "roles that a renewal took"
    case expired = "connections that end with their token"
    case refused = "requests refused for their role"
    case deleted = "rooms deleted by somebody who may"
    case stolen = "client ids of others tried"
    case takenBack = "connections whose token is taken back"
}
