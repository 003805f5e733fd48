import COpenSSL
package import SyncIO
import Synchronization

/// TLS for the connections that a server accepts.
///
/// It speaks TLS 1.3 alone, without early data. A client may resume a session by a ticket, whose
/// keys live as long as the certificate that was loaded. If clients show certificates, there are no
/// tickets, so that each connection checks the certificate.
package final class TLSServer: ServerSecurity {
    /// The files, all in PEM form.
    package struct Files: Sendable, Equatable {
        /// The server's certificate, and behind it those that lead to the one that clients trust.
        package var certificate: String
        package var key: String
        /// The certificates that sign those of clients. With it, clients must have one.
        package var clientCertificates: String?

        package init(certificate: String, key: String, clientCertificates: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientCertificates = clientCertificates
        }
    }

    private let files: Files
    private let context: Mutex<TLSContext>

    /// Reads the files.
    package init(_ files: Files) throws(TLSError) {
        self.files = files
        context = Mutex(try TLSServer.makeContext(files))
    }

    /// Reads the files again, for the connections from now on. After an error everything stays as
    /// it was.
    package func reload() throws(TLSError) {
        let new = try TLSServer.makeContext(files)
        context.withLock { $0 = new }
    }

    package func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        let context = context.withLock { $0 }
        return TLSStream(
            stream, TLSEngine(context, isServer: true), loop: loop,
            needsCertificate: files.clientCertificates != nil)
    }

    package var handshakeMicroseconds: Int {
        let signing = context.withLock { $0.signingMicroseconds }
        return signing + (files.clientCertificates == nil ? 200 : 600)
    }

    private static func makeContext(_ files: Files) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true)
        try context.load(certificate: files.certificate, key: files.key)
        // Tickets carry all that is needed to resume, so no sessions are kept.
        collsync_tls_set_session_cache(context.pointer, SSL_SESS_CACHE_OFF)
        collsync_tls_set_tickets(context.pointer, files.clientCertificates == nil ? 1 : 0)
        SSL_CTX_set_max_early_data(context.pointer, 0)
        SSL_CTX_set_alpn_select_cb(context.pointer, selectProtocol, nil)
        guard let trusted = files.clientCertificates else { return context }
        try context.load(trusted: trusted)
        SSL_CTX_set_client_CA_list(context.pointer, SSL_load_client_CA_file(trusted))
        SSL_CTX_set_verify(
            context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        return context
    }
}

/// Selects collsync's protocol. A client that names others only is refused; one that names none is
/// not asked.
private func selectProtocol(
    _ connection: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let name = TLSContext.applicationProtocol
    var rest = UnsafeBufferPointer(start: offered, count: Int(offeredCount))[...]
    while let length = rest.popFirst(), rest.count >= Int(length) {
        if rest.prefix(Int(length)).elementsEqual(name) {
            // The selected name lies in the message, which lives long enough.
            selected?.pointee = offered.map { $0 + rest.startIndex }
            selectedCount?.pointee = length
            return SSL_TLSEXT_ERR_OK
        }
        rest.removeFirst(Int(length))
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
