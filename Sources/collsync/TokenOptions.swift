import ArgumentParser
import SyncIO
import SyncLoop
import SyncTerminal
import SyncTokens

/// The tokens that connections must show. Without `--auth-key` the server asks for none.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Ask each connection for a token that a key in this file has signed, or in a file of this folder: a PEM, a JWK or \
            a JWK set, of Ed25519, P-256, RSA or a secret for HS256. May be given several times. SIGHUP reads it again. \
            'collsync token' makes keys and tokens.
            """,
            valueName: "path"))
    var authKey: [String] = []

    @OptionGroup var policy: TokenPolicyOptions

    @Option(
        help: ArgumentHelp(
            """
            The file with what was revoked, which other programs may extend (default: 'revocations' in the folder of --data).
            """,
            valueName: "file"))
    var revocations: String?

    @Flag(
        help: """
            Take tokens over plain connections from other machines, too: a proxy before the server secures them.
            """)
    var tlsByProxy = false

    @Flag(
        help: """
            Let users share their rooms: sign tokens over HTTP with the first key of --auth-key that can sign, with a role \
            no higher than the user's own.
            """)
    var shareRooms = false

    func validate() throws {
        guard !shareRooms || !authKey.isEmpty else {
            throw ValidationError("--share-rooms needs --auth-key")
        }
        guard !tlsByProxy || !authKey.isEmpty else {
            throw ValidationError("--tls-by-proxy needs --auth-key")
        }
    }

    /// Reads the keys; `nil` if the server asks for no tokens.
    func makeVerifier() throws(KeyError) -> KeyVerifier? {
        if authKey.isEmpty { return nil }
        return KeyVerifier(try keyFiles.read(), policy: policy.policy)
    }

    var keyFiles: KeyFiles { KeyFiles(paths: authKey) }

    /// Opens the file of revocations; `nil` if nothing is kept.
    ///
    /// - Parameter data: the folder of the store; `nil` if it is in memory.
    func openRevocations(
        in data: String?, on platform: LoopPlatform, _ log: CommandLog
    ) throws -> RevocationFile? {
        guard let path = revocations ?? data.map({ "\($0)/revocations" }) else { return nil }
        let worker = try platform.startWorker(named: "revocations")
        do throws(FileFailure) {
            return try RevocationFile(path, worker: worker, log: log)
        } catch {
            worker.finish()
            throw fail("\(error.description)", .configuration)
        }
    }
}

/// What a server asks of tokens beside the signature.
struct TokenPolicyOptions: ParsableArguments {
    @Option(help: "How long a token may be valid, from its issue to its end.")
    var maxTokenLifetime = DurationArgument(milliseconds: 86_400_000)

    @Option(
        help: """
            How long a room may be shared by a token of --share-rooms (default: as --max-token-lifetime).
            """)
    var shareLifetime: DurationArgument?

    @Option(
        help: """
            The server's name in a token's claim 'aud'. Tokens without the claim are taken, too.
            """)
    var audience = "collsync"

    func validate() throws {
        guard maxTokenLifetime.milliseconds >= 1000 else {
            throw ValidationError("--max-token-lifetime must be at least 1s")
        }
        guard shareLifetime.map({ $0.milliseconds >= 1000 }) ?? true else {
            throw ValidationError("--share-lifetime must be at least 1s")
        }
    }

    var policy: TokenPolicy {
        var policy = TokenPolicy()
        policy.maximumLifetime = maxTokenLifetime.milliseconds / 1000
        policy.maximumShareLifetime = (shareLifetime ?? maxTokenLifetime).milliseconds / 1000
        policy.audience = audience
        return policy
    }
}
