import ArgumentParser
import SyncTLS

/// The server's certificate, and whether clients must have one. Without `--tls-cert` connections
/// are plain.
struct TLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Speak TLS 1.3 alone, with the certificate chain in this file, as PEM. SIGHUP reads it again.
            """,
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The file with its key, as PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            """
            Admit only clients with a certificate that is signed by one in this file. Its common name is \
            the user.
            """,
            valueName: "file"))
    var tlsClientCA: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key belong together")
        }
        guard tlsClientCA == nil || tlsCert != nil else {
            throw ValidationError("--tls-client-ca needs --tls-cert")
        }
    }

    /// Reads the files; `nil` if connections are plain.
    func makeServer() throws(TLSError) -> TLSServer? {
        guard let tlsCert, let tlsKey else { return nil }
        return try TLSServer(
            TLSServer.Files(certificate: tlsCert, key: tlsKey, clientCertificates: tlsClientCA))
    }
}
