import ArgumentParser
import CollSync
import SyncClient

/// Who the client is, for a server that asks for tokens.
struct TokenOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the token that the server asks for (default: the token in COLLSYNC_TOKEN).",
            discussion: """
                It is read again for each connection and before the token expires, so another \
                program may replace it. No option takes the token itself: everyone on the machine \
                would see it in the list of processes.
                """,
            valueName: "file"))
    var tokenFile: String?

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Send the token to another machine also without TLS. Everyone on the way can read it."))
    var tokenInClear = false
}

/// Where the client's tokens come from.
enum TokenOrigin: Equatable, Sendable {
    case file(TokenFile)
    case text(AccessToken)
}
