import ArgumentParser
import SyncTLS

/// How the connection to the server is secured.
struct TLSOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: "Connect by TLS. The server's certificate must be one that the system trusts.")
    var tls = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the certificates, as PEM, that sign the server's (implies --tls).",
            valueName: "file"))
    var tlsCA: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The name in the server's certificate, if it is not that of --server (implies --tls).",
            valueName: "name"))
    var tlsName: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with this client's certificate, as PEM, if the server asks for one (implies --tls).",
            valueName: "file"))
    var tlsCert: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file with the key of --tls-cert, as PEM (default: that same file).",
            valueName: "file"))
    var tlsKey: String?

    /// What they say; `nil` if none was given.
    var resolved: TLSSettings? {
        guard tls || tlsCA != nil || tlsName != nil || tlsCert != nil else { return nil }
        return TLSSettings(
            trusted: tlsCA, serverName: tlsName, certificate: tlsCert, key: tlsKey)
    }

    func validate() throws {
        guard tlsKey == nil || tlsCert != nil else {
            throw ValidationError("--tls-key is the key of --tls-cert, which is missing")
        }
    }
}

/// A connection by TLS: the files, all as PEM, and the server's name.
struct TLSSettings: Equatable, Sendable {
    var trusted: String?
    var serverName: String?
    var certificate: String?
    var key: String?

    /// Reads the files.
    func makeClient() throws(Failure) -> TLSClient {
        do throws(TLSError) {
            return try TLSClient(
                trusted: trusted, certificate: certificate, key: key, serverName: serverName)
        } catch {
            throw Failure(error.description, exitCode: Failure.usage, code: "badCertificate")
        }
    }
}
