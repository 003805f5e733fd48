import Foundation
import SyncWire
import TLSSupport

/// How clients come in: plainly and as nobody, or over TLS and with tokens.
struct Door {
    /// What the server needs for it.
    var serverOptions: [String] = []
    /// Tokens of the attackers' users, who come in turn; empty if nobody needs one.
    private var tokens: [String] = []
    /// The token of whoever means well.
    private(set) var honestToken = ""
    /// It has the certificate's file.
    private var authority: TestAuthority?

    var isSecured: Bool { !tokens.isEmpty }

    /// Plain connections.
    init() {}

    /// Secured connections of some users. Each may do everything in all rooms.
    init(users: Int, _ programs: Programs, folder: String) throws {
        let authority = try TestAuthority(keys: .p256)
        let issued = try authority.issue("server", for: TestAuthority.hosts)
        let key = "\(folder)/main"
        _ = try programs.outputOfServer(["token", "--new-key", key])
        func token(_ user: String) throws -> String {
            try programs.outputOfServer([
                "token", "--key", "\(key).private.pem", "--user", user, "--room", "*=admin",
                "--lifetime", "12h",
            ])
        }
        self.authority = authority
        // With the private key the server can share rooms.
        serverOptions = issued.serverOptions + ["--auth-key", "\(key).private.pem"]
        honestToken = try token("honest")
        tokens = try (0..<users).map { try token("stranger-\($0)") }
    }

    /// The token of an attacker's connection.
    func token(of connection: Int) -> String {
        tokens.isEmpty ? "" : tokens[connection % tokens.count]
    }
}

/// Connects to a server through its door, on one thread at a time.
final class Entrance {
    let door: Door
    private let port: UInt16
    private let secured: SecuredSockets?

    init(_ door: Door, port: UInt16) throws {
        self.door = door
        self.port = port
        secured = door.isSecured ? try SecuredSockets() : nil
    }

    /// - Parameters: see ``Socket``.
    func socket(
        from host: UInt8 = 1, patienceSeconds: Int = Socket.patienceSeconds
    ) throws -> Socket {
        guard let secured else {
            return try Socket(port: port, from: host, patienceSeconds: patienceSeconds)
        }
        return try SecuredSocket(port: port, from: host, patienceSeconds: patienceSeconds, secured)
    }

    /// Opens a well-behaved conversation, which waits long for answers.
    func talk(_ features: Features = [], patienceSeconds: Int) throws -> Talk {
        let talk = Talk(try socket(patienceSeconds: patienceSeconds))
        try talk.hello(features, token: door.honestToken)
        return talk
    }
}
