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

    /// Combines the options of the command with those before its name; `nil` if there are none.
    func resolved(_ outer: TLSOptions) -> TLSSettings? {
        let settings = TLSSettings(
            trusted: tlsCA ?? outer.tlsCA, serverName: tlsName ?? outer.tlsName,
            certificate: tlsCert ?? outer.tlsCert,
            // A key belongs to the certificate beside it.
            key: tlsCert == nil ? outer.tlsKey : tlsKey)
        return tls || outer.tls || settings != TLSSettings() ? settings : nil
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
