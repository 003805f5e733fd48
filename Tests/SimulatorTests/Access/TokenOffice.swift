import SeededRandom
import ServerSupport
import SyncAccess
import SyncClient
import SyncIO
import SyncModel
import SyncSim

/// Issues the tokens of a run, and knows what each of them allows.
///
/// While faults happen, a token has any roles, and lasts for some seconds at most. So roles change
/// when tokens are renewed, and tokens expire in the middle of everything.
final class TokenOffice {
    private let simulation: Simulation
    private let rooms: [RoomName]
    private var random: SplitMix64
    private var issued: [String: Permit] = [:]
    /// The id of each user's last token.
    private var latest: [Identifier: String] = [:]
    /// Whether each new token makes its user an editor of all rooms for ever.
    var isGenerous = false
    /// What it has asked the server to take back.
    private(set) var takenBack: [TakenBack] = []
    /// How many keys it has given up.
    private var formerKeys = 0

    /// The simulated wall clock at the beginning of a run.
    private static let beginMilliseconds: UInt64 = 1_700_000_000_000

    init(_ simulation: Simulation, _ scenario: Scenario) {
        self.simulation = simulation
        rooms = scenario.roomNames
        random = SplitMix64(seed: scenario.seed &* 0x94D0_49BB &+ 11)
    }

    var nowMilliseconds: UInt64 {
        TokenOffice.beginMilliseconds + simulation.nowMicroseconds / 1000
    }

    var nowSeconds: UInt64 { nowMilliseconds / 1000 }

    func permit(of token: String) -> Permit? { issued[token] }

    private var key: String { "key \(formerKeys)" }

    /// A token of a user, with the roles that chance gives now.
    func issue(_ user: Identifier) -> String {
        if isGenerous { return issue(user, roles(.editor), expires: TestTokens.never) }
        var roles: [RoomName: Role] = [:]
        for room in rooms where random.chance(80) {
            roles[room] = random.pick([.editor, .editor, .viewer, .admin])
        }
        return issue(user, roles, expires: soon())
    }

    /// A token that lets a user see rooms at most.
    func issue(viewer user: Identifier) -> String {
        var roles: [RoomName: Role] = [:]
        for room in rooms where random.chance(70) { roles[room] = .viewer }
        return issue(user, roles, expires: soon())
    }

    /// A token that allows everything.
    func issue(admin user: Identifier) -> String {
        issue(user, roles(.admin), expires: TestTokens.never, isOfOperator: true)
    }

    /// A token that has expired.
    func issue(expired user: Identifier) -> String {
        issue(user, roles(.admin), expires: nowSeconds)
    }

    private func roles(_ role: Role) -> [RoomName: Role] {
        Dictionary(uniqueKeysWithValues: rooms.map { ($0, role) })
    }

    /// The end of a second that begins within two seconds.
    private func soon() -> UInt64 { nowSeconds + 1 + UInt64(random.below(3)) }

    private func issue(
        _ user: Identifier, _ roles: [RoomName: Role], expires: UInt64, isOfOperator: Bool = false
    ) -> String {
        var grants = roles.sorted { $0.key < $1.key }.map { room, role in
            // A beginning with a star names the room, too, and no room of another spelling.
            "\(random.chance(30) ? "\(room.text)*" : room.text)=\(role)"
        }
        if isOfOperator { grants.append("*=admin") }
        let permit = Permit(
            user: user, roles: roles, isOfOperator: isOfOperator,
            endMilliseconds: expires * 1000, id: "t\(issued.count)", key: key,
            issuedSeconds: nowSeconds)
        let token = TestTokens.token(
            user.text, grants.joined(separator: ","), expires: expires, id: permit.id, key: key,
            issued: permit.issuedSeconds)
        issued[token] = permit
        latest[user] = permit.id
        return token
    }

    // MARK: Taking back

    /// Chooses what is to be taken back: often the token that a client has now.
    func chooseTaken(_ pick: UInt64, of user: Identifier) -> TakenBack {
        let what: TakenBack.What =
            switch pick % 8 {
            case 0, 1, 2: latest[user].map { .token($0) } ?? .user(user)
            case 3, 4: .user(user)
            case 5: .key(key)
            case 6: .role(of: user, in: rooms[Int(pick / 64 % UInt64(rooms.count))])
            default: .everything
            }
        return TakenBack(what: what, throughSeconds: nowSeconds)
    }

    /// From now on the server may refuse these tokens.
    func willTakeBack(_ taken: TakenBack) {
        takenBack.append(taken)
        if taken.what == .key(key) { formerKeys += 1 }
    }

    /// Whether a token may be refused: it is taken back as a whole, or will be.
    func mayBeRefused(_ permit: Permit) -> Bool {
        takenBack.contains { $0.room == nil && $0.covers(permit) }
    }

    /// Whether a connection with a token may be closed: of that, something is or will be taken
    /// back.
    func isTakenBack(_ permit: Permit) -> Bool { takenBack.contains { $0.covers(permit) } }
}

/// A user's program that gets tokens: it takes some time, and fails for a while now and then.
final class UserTokens: TokenSource, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private let user: Identifier
    private let office: TokenOffice
    private var random: SplitMix64
    private var failsUntil: UInt64 = 0

    init(_ user: Identifier, from office: TokenOffice, seed: UInt64) {
        self.user = user
        self.office = office
        random = SplitMix64(seed: seed)
    }

    var isFixed: Bool { false }

    func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)? {
        if random.chance(10) { failsUntil = loop.nowMilliseconds + UInt64(random.below(1500)) }
        loop.schedule(afterMilliseconds: UInt64(random.below(60))) { [self] in
            if loop.nowMilliseconds < failsUntil, !office.isGenerous {
                return completion(
                    .failure(.noToken(code: "noToken", message: "not now", retry: true)))
            }
            completion(.success(AccessToken(office.issue(user))))
        }
        return nil
    }
}
