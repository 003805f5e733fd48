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
    private let rooms: [String]
    private var random: SplitMix64
    private var issued: [String: Permit] = [:]
    /// Whether each new token makes its user an editor of all rooms for ever.
    var isGenerous = false

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

    func permit(of token: String) -> Permit? { issued[token] }

    /// A token of a user, with the roles that chance gives now.
    func issue(_ user: String) -> String {
        if isGenerous { return issue(user, roles(.editor), expires: TestTokens.never) }
        var roles: [String: Role] = [:]
        for room in rooms where random.chance(80) {
            roles[room] = random.pick([.editor, .editor, .viewer, .admin])
        }
        return issue(user, roles, expires: soon())
    }

    /// A token that lets a user see rooms at most.
    func issue(viewer user: String) -> String {
        var roles: [String: Role] = [:]
        for room in rooms where random.chance(70) { roles[room] = .viewer }
        return issue(user, roles, expires: soon())
    }

    /// A token that allows everything.
    func issue(admin user: String) -> String {
        issue(user, roles(.admin), expires: TestTokens.never)
    }

    /// A token that has expired.
    func issue(expired user: String) -> String {
        issue(user, roles(.admin), expires: nowMilliseconds / 1000)
    }

    private func roles(_ role: Role) -> [String: Role] {
        Dictionary(uniqueKeysWithValues: rooms.map { ($0, role) })
    }

    /// The end of a second that begins within two seconds.
    private func soon() -> UInt64 { nowMilliseconds / 1000 + 1 + UInt64(random.below(3)) }

    private func issue(_ user: String, _ roles: [String: Role], expires: UInt64) -> String {
        let grants = roles.sorted { $0.key < $1.key }.map { room, role in
            // The beginning of a name with a star names the room, too.
            "\(random.chance(30) ? "\(room.prefix(2))*" : room)=\(role)"
        }
        let token = TestTokens.token(
            user, grants.joined(separator: ","), expires: expires, id: "t\(issued.count)")
        issued[token] = Permit(user: user, roles: roles, endMilliseconds: expires * 1000)
        return token
    }
}

/// A user's program that gets tokens: it takes some time, and fails for a while now and then.
final class UserTokens: TokenSource, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private let user: String
    private let office: TokenOffice
    private var random: SplitMix64
    private var failsUntil: UInt64 = 0

    init(_ user: String, from office: TokenOffice, seed: UInt64) {
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
