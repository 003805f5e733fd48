import ArgumentParser
import CollSync
import SyncTerminal

/// `revoke`: takes access back.
struct RevokeAccess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take access back before tokens or certificates expire.",
        discussion: """
            When it ends with 0, nothing more is sent to those whom it concerns, and nothing that they had sent becomes \
            durable any more. It needs a token of an admin of all rooms, or a certificate. If that is revoked as \
            well, the connection ends without an answer, and the exit code is that of a lost connection.
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Option(help: "Revoke all tokens and certificates of this user that were issued until now.")
    var user: String?

    @Option(help: "Revoke only the user's role in this room.")
    var room: String?

    @Option(help: "Revoke the token with this id.")
    var tokenId: String?

    @Option(help: "Revoke all tokens that the key with this id has signed.")
    var keyId: String?

    @Flag(help: "Revoke all tokens and certificates that were issued until now, also your own.")
    var all = false

    func validate() throws {
        guard [user != nil, tokenId != nil, keyId != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("say one of --user, --token-id, --key-id and --all")
        }
        guard room == nil || user != nil else {
            throw ValidationError("--room needs --user")
        }
    }

    private var revoked: RevokedTokens {
        if let user { return room.map { .role(of: user, in: $0) } ?? .user(user) }
        if let tokenId { return .token(tokenId) }
        return keyId.map { .key($0) } ?? .all
    }

    func run() async throws {
        let options = options.resolved(parent.options)
        try await perform {
            let client = try await options.connect()
            defer { client.closeAndWait() }
            try await client.revoke(revoked)
            if !options.printsJSON { try Output().write(text: "it is revoked\n") }
        }
    }
}
