import CollSync
import Glibc
import SyncTerminal

/// Why a command fails: a line for people, and an exit code of sysexits.
struct Failure: Error, Equatable {
    /// The error's code, for programs.
    var code: String
    /// What is wrong and what to do, for people.
    var message: String
    var exitCode: Int32

    static let usage: Int32 = 64
    static let badData: Int32 = 65
    static let noServer: Int32 = 69
    static let outputFailed: Int32 = 74
    static let tryAgain: Int32 = 75
    static let notAllowed: Int32 = 77

    init(_ message: String, exitCode: Int32, code: String = "failed") {
        self.code = code
        self.message = message
        self.exitCode = exitCode
    }

    /// An error of the server or of a lost connection.
    init(_ error: CollectionError) {
        self.init(error.message, exitCode: Failure.exitCode(of: error), code: error.code)
    }

    /// A failure of the first connection.
    init(connecting error: CollectionError, to server: String, byTLS isSecured: Bool = false) {
        switch error.code {
        case "badAddress", TokenFile.errorCode:
            self.init(error.message, exitCode: Failure.usage, code: error.code)
        case "tooManyConnections", "shuttingDown": self.init(error)
        case "unreachable":
            let hint = Failure.hint(
                isWebSocket: server.contains("://"), isSecured: isSecured)
            self.init(
                "\(error.message); \(hint)", exitCode: Failure.noServer, code: error.code)
        case "noWebSocket":
            self.init(
                "\(error.message); 'collsync serve --http' says where a server has WebSockets, and"
                    + " their path is /v1/ws", exitCode: Failure.noServer, code: error.code)
        case "untrusted":
            self.init(
                "\(error.message); --tls-ca says whom to trust, --tls-name what the server is"
                    + " called, --tls-cert who this client is",
                exitCode: Failure.noServer, code: error.code)
        case "needsTLS", "unsecured":
            let remedy = server.contains("://") ? "write wss://" : "add --tls"
            self.init(
                "\(server): \(error.message); \(remedy)", exitCode: Failure.noServer,
                code: error.code)
        case "speaksHTTP":
            self.init(
                "\(server): \(error.message); write ws://\(server), or the port of --listen",
                exitCode: Failure.noServer, code: error.code)
        case "notAllowed":
            self.init(
                "\(server): \(error.message)", exitCode: Failure.notAllowed, code: error.code)
        case "needsToken":
            self.init(
                "\(server): \(error.message); --token-file says which file has one",
                exitCode: Failure.notAllowed, code: error.code)
        case let code where Failure.tokenRefusals.contains(code):
            self.init(
                "\(server): \(error.message)", exitCode: Failure.notAllowed, code: error.code)
        default:
            self.init(
                "\(server): \(error.message)", exitCode: Failure.noServer, code: error.code)
        }
    }

    /// What to do if nobody answers.
    private static func hint(isWebSocket: Bool, isSecured: Bool) -> String {
        if isWebSocket { return "'collsync serve --http' starts a server with WebSockets" }
        return isSecured
            ? "'collsync serve --tls-cert' starts a server, without --tls the connection is plain"
            : "'collsync serve' starts a server, --server says where it is"
    }

    /// The codes of a server that does not accept a token.
    private static let tokenRefusals = [
        "needsToken", "badToken", "unknownKey", "tokenExpired", "tokenRevoked",
    ]

    static func exitCode(of error: CollectionError) -> Int32 {
        switch error.code {
        case "notAllowed", "badSecret": Failure.notAllowed
        case "badRoomName": Failure.usage
        case let code where tokenRefusals.contains(code): Failure.notAllowed
        default: error.retry ? Failure.tryAgain : Failure.badData
        }
    }

    /// Prints it for people.
    func report() {
        Terminal.say("error: \(message)")
    }
}

/// The process was asked to end before its work was done.
extension Failure {
    static let interrupted = Failure(
        "interrupted", exitCode: 128 + SIGINT, code: "interrupted")
}
