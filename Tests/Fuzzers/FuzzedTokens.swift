import ModelSupport
import SyncModel
import SyncTokens

/// The tokens that strangers show to a simulated server, signed once for all runs.
enum FuzzedTokens {
    private struct Kind {
        var user: String
        var rooms: [String: String]
        /// The end, in seconds after the beginning of a run.
        var seconds: Int = 80_000
        var key = main
    }

    /// The simulated wall clock at the beginning of a run.
    private static let begin: UInt64 = 1_700_000_000

    private static let main = key("main")
    private static let guests = key("guests")
    private static let unknown = key("unknown")

    /// What strangers may take back.
    static let users = [user, otherUser, "operator"]
    /// Two users that differ by their spelling only.
    private static let user = Spellings.composed
    private static let otherUser = Spellings.decomposed
    static let keyIDs: [Identifier] = ["main", "unknown", unwritableKey]
    static let unwritableKey: Identifier = "unwritable"

    private static let first = FuzzedRooms.first.text
    private static let second = FuzzedRooms.second.text

    private static let kinds = [
        Kind(user: user, rooms: ["*": "editor"]),
        Kind(user: user, rooms: [first: "viewer"]),
        Kind(user: user, rooms: ["\(first)*": "admin", second: "viewer"]),
        Kind(user: otherUser, rooms: ["*": "editor"]),
        Kind(user: otherUser, rooms: [second: "editor"]),
        Kind(user: otherUser, rooms: [:]),
        Kind(user: "operator", rooms: ["*": "admin"]),
        Kind(user: user, rooms: ["*": "editor"], seconds: 30),
        Kind(user: otherUser, rooms: [first: "viewer"], seconds: 200),
        Kind(user: user, rooms: ["*": "admin"], seconds: -5),
        Kind(user: user, rooms: ["*": "admin"], key: unknown),
    ]

    /// Their places are their ids.
    static let all: [String] = kinds.enumerated().map { id, kind in
        sign(
            Claims(
                user: kind.user, displayName: nil, id: "\(id)", issued: begin - 10,
                expires: UInt64(Int(begin) + kind.seconds), rooms: kind.rooms),
            by: kind.key)
    }

    /// The tokens by which somebody may edit a room.
    static let editors = Set(
        zip(all, kinds).filter { _, kind in
            kind.seconds > 0 && kind.key.id == main.id
                && !kind.rooms.values.allSatisfy { $0 == "viewer" }
        }.map(\.0))

    static var verifier: KeyVerifier {
        do throws(KeyError) {
            return KeyVerifier(try KeyRing([main, guests]))
        } catch {
            finding("\(error)")
        }
    }

    /// A token of an admin that is issued after everything that was taken back.
    ///
    /// - Parameter seconds: since the beginning of the run.
    static func guest(after seconds: UInt64) -> String {
        let now = begin + seconds
        return sign(
            Claims(
                user: "guest", displayName: nil, id: "guest", issued: now + 1,
                expires: now + 10_000, rooms: ["*": "admin"]),
            by: guests)
    }

    private static func sign(_ claims: Claims, by key: SignatureKey) -> String {
        do throws(KeyError) {
            return try WebToken.sign(claims, by: key)
        } catch {
            finding("a token can't be signed: \(error)")
        }
    }

    private static func key(_ id: String) -> SignatureKey {
        let text = """
            {"kty":"oct","kid":"\(id)","k":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"}
            """
        guard let key = TokenFuzzer.readKeys(text)?.first else { finding("the key can't be read") }
        return key
    }
}
