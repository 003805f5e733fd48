import ArgumentParser
import Glibc
import SyncAccess
import SyncBytes
import SyncJSON
import SyncModel
import SyncTerminal
import SyncTokens

/// `collsync token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token, explain one, or make a key.",
        discussion: """
            A token says who a user is and what the user may do in which rooms. A server that runs with --auth-key takes \
            only connections with a token that one of its keys has signed.

              collsync token --new-key keys/main
              collsync serve --auth-key keys/main.public.pem
              collsync token --key keys/main.private.pem --user ann --room 'team-*=editor'
              collsync token --check --key keys/main.public.pem < token

            A token is a JSON web token with the claims sub (the user), name, jti, iat, exp and rooms, an object of roles by \
            patterns of rooms. Other programs can make them, too.
            """)

    @Option(
        help: ArgumentHelp("The key that signs, or that checks: as --auth-key.", valueName: "file"))
    var key: String?

    @Option(help: "Make a token for this user.")
    var user: String?

    @Option(help: "What others see as the user's name.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            """
            A role in the rooms of a pattern: viewer, editor or admin. A pattern is a room's name, or ends in *. May be \
            given several times.
            """,
            valueName: "pattern=role"))
    var room: [String] = []

    @Option(help: "How long the token is valid.")
    var lifetime = DurationArgument(milliseconds: 3_600_000)

    @Option(help: "The token's id, by which it can be revoked (default: a random one).")
    var id: String?

    @Flag(help: "Read a token from standard input, and explain it.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "Make a key: NAME.private.pem signs, NAME.public.pem is for the server.",
            valueName: "name"))
    var newKey: String?

    @Option(
        help: "The kind of the key: EdDSA, ES256 or HS256. HS256 has one file, NAME.secret.json.")
    var algorithm = SignatureAlgorithm.eddsa

    @OptionGroup var policy: TokenPolicyOptions

    func validate() throws {
        guard [user != nil, check, newKey != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("say one of --user, --check and --new-key")
        }
        guard newKey != nil || key != nil else { throw ValidationError("--key is missing") }
        guard user == nil || lifetime.milliseconds >= 1000 else {
            throw ValidationError("--lifetime must be at least 1s")
        }
    }

    func run() throws {
        do throws(KeyError) {
            if let newKey { return try make(newKey) }
            guard let key else { return }
            let keys = try KeyFiles(paths: [key]).read()
            if check {
                try explain(keys)
            } else {
                try makeToken(by: keys)
            }
        } catch {
            throw fail("\(error.description)", .badData)
        }
    }

    // MARK: Keys

    private func make(_ path: String) throws(KeyError) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !name.isEmpty, !name.contains("."), !path.hasSuffix("/") else {
            throw KeyError(
                "'\(path)' is no name for a key: its last part is the key's id, without a point")
        }
        let key = try NewKey(algorithm, id: name)
        guard let verifying = key.verifying else {
            return try NewFile.write(key.signing + "\n", to: "\(path).secret.json", mode: 0o600)
        }
        try NewFile.write(key.signing + "\n", to: "\(path).private.pem", mode: 0o600)
        try NewFile.write(verifying + "\n", to: "\(path).public.pem", mode: 0o644)
    }

    // MARK: Tokens

    private func makeToken(by keys: KeyRing) throws(KeyError) {
        guard let user, let keyID = keys.ids.first, keys.ids.count == 1, let key = keys[keyID]
        else { throw KeyError("the file must have one key") }
        var rooms: [String: String] = [:]
        for text in room {
            guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
                throw KeyError("'\(text)' is not PATTERN=ROLE")
            }
            // In the token's JSON two spellings would be one key.
            let (pattern, role) = (text[..<sign], text[text.index(after: sign)...])
            guard rooms.updateValue(String(role), forKey: String(pattern)) == nil else {
                throw KeyError("the rooms '\(pattern)' come twice, perhaps in two spellings")
            }
        }
        let now = UInt64(max(0, time(nil)))
        var random = SystemRandomNumberGenerator()
        var claims = Claims(
            user: user, displayName: name,
            id: id ?? "t-" + String(random.next() as UInt64, radix: 36), issued: now,
            expires: now + lifetime.milliseconds / 1000, rooms: rooms)
        claims.aud = .one(policy.audience)
        let token = try WebToken.sign(claims, by: key)
        // The token is made only if a server with this key would take it.
        do throws(TokenFailure) {
            _ = try KeyVerifier(keys, policy: policy.policy).verify(
                ForeignText(bounded: token), at: now)
        } catch {
            throw KeyError(error.text)
        }
        writeOutput("\(token)")
    }

    /// Prints what a token says, and whether a server with these keys would take it now.
    private func explain(_ keys: KeyRing) throws(KeyError) {
        let text = StandardInput.read(atMost: TokenBounds.maximumBytes + 2)
            .split(whereSeparator: \.isWhitespace).joined()
        do throws(TokenFailure) {
            let foreign = ForeignText(bounded: text)
            let token = try WebToken(parsing: foreign)
            if let claims = token.unverifiedClaims { show(claims, of: token) }
            let now = UInt64(max(0, time(nil)))
            let verifier = KeyVerifier(keys, policy: policy.policy)
            let access = try verifier.verify(foreign, at: now)
            guard verifier.knowsKeys(of: access) else { throw TokenFailure.unknownKey }
            let left = (access.token?.expires ?? now) - now
            writeOutput("valid: a server with this key takes it for \(left) more seconds")
        } catch {
            throw KeyError("not valid: \(error.text)")
        }
    }

    private func show(_ claims: TokenClaims, of token: WebToken) {
        writeOutput("key       \(token.key?.text ?? "none"), \(token.algorithm.shown)")
        writeOutput("user      \(claims.sub.shown)")
        if let name = claims.name { writeOutput("name      \(name.shown)") }
        if let sharer = claims.sharer {
            writeOutput(
                "shared by \(sharer.sub.shown), token \(sharer.jti.shown), key \(sharer.kid.shown)")
        }
        writeOutput("token id  \(claims.jti.shown)")
        writeOutput("issued    \(UTCTime.text(seconds: claims.iat))")
        writeOutput("expires   \(UTCTime.text(seconds: claims.exp))")
        for (pattern, role) in claims.rooms {
            writeOutput("rooms     \(pattern.shown)  \(role?.name ?? "no role")")
        }
    }
}

extension SignatureAlgorithm: ExpressibleByArgument {
    /// The kinds of keys that are made here.
    public static var allValueStrings: [String] { NewKey.algorithms.map(\.rawValue) }
}
