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
    /// One for each protocol, in their order.
    private let contexts: Mutex<[TLSContext]>

    /// Reads the files.
    package init(_ files: Files) throws(TLSError) {
        self.files = files
        contexts = Mutex(try TLSServer.makeContexts(files))
    }

    /// Reads the files again, for the connections from now on. After an error everything stays as
    /// it was.
    package func reload() throws(TLSError) {
        let new = try TLSServer.makeContexts(files)
        contexts.withLock { $0 = new }
    }

    package func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        secure(stream, for: .frames, on: loop)
    }

    fileprivate func secure(
        _ stream: any ByteStream, for inner: ApplicationProtocol, on loop: any EventLoop
    ) -> any SecuredStream {
        let context = contexts.withLock { $0[inner.rawValue] }
        return TLSStream(
            stream, TLSEngine(context, isServer: true), loop: loop,
            needsCertificate: files.clientCertificates != nil)
    }

    /// The same files for connections that speak HTTP.
    package var forHTTP: any ServerSecurity { HTTPSecurity(server: self) }

    package var handshakeMicroseconds: Int {
        let signing = contexts.withLock { $0[0].signingMicroseconds }
        return signing + (files.clientCertificates == nil ? 200 : 600)
    }

    private static func makeContexts(_ files: Files) throws(TLSError) -> [TLSContext] {
        var contexts: [TLSContext] = []
        for inner in ApplicationProtocol.allCases {
            contexts.append(try makeContext(files, for: inner))
        }
        return contexts
    }

    private static func makeContext(
        _ files: Files, for inner: ApplicationProtocol
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true)
        try context.load(certificate: files.certificate, key: files.key)
        // Tickets carry all that is needed to resume, so no sessions are kept.
        collsync_tls_set_session_cache(context.pointer, SSL_SESS_CACHE_OFF)
        collsync_tls_set_tickets(context.pointer, files.clientCertificates == nil ? 1 : 0)
        SSL_CTX_set_max_early_data(context.pointer, 0)
        SSL_CTX_set_alpn_select_cb(
            context.pointer, selectProtocol, UnsafeMutableRawPointer(bitPattern: inner.rawValue))
        guard let trusted = files.clientCertificates else { return context }
        try context.load(trusted: trusted)
        SSL_CTX_set_client_CA_list(context.pointer, SSL_load_client_CA_file(trusted))
        SSL_CTX_set_verify(
            context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        return context
    }
}

/// TLS for the connections of a server that speak HTTP.
private struct HTTPSecurity: ServerSecurity {
    let server: TLSServer

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        server.secure(stream, for: .http, on: loop)
    }

    var handshakeMicroseconds: Int { server.handshakeMicroseconds }
}

/// Selects the protocol of the port, whose number `context` is. A client that names others only is
/// refused; one that names none is not asked.
private func selectProtocol(
    _ connection: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let name = ApplicationProtocol(rawValue: Int(bitPattern: context))?.name else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
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
