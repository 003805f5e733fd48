import COpenSSL
public import SyncIO
import Synchronization

/// TLS for the connections that a client makes.
///
/// The server's certificate must be valid for the name or the address that the client connects to,
/// and signed by someone trusted. A second connection to the same server resumes the session of the
/// first one, which is faster.
public final class TLSClient: ClientSecurity {
    private let context: TLSContext
    private let serverName: String?
    private let inner: ApplicationProtocol
    /// The last session that can be resumed, and of which server.
    private let last = Mutex<(server: String, session: TLSSession)?>(nil)
    private static let handshakeTimeoutMilliseconds: UInt64 = 10_000

    /// Reads the files, all in PEM form.
    ///
    /// - Parameters:
    ///   - trusted: a file with the certificates that sign the server's; `nil` for those that the
    ///     system trusts.
    ///   - certificate: a file with the client's own certificate, if servers ask for one.
    ///   - key: the file with its key; `nil` if that is in the same file.
    ///   - serverName: the name that the server's certificate must have, if it is another one than
    ///     that of the address.
    ///   - inner: the protocol inside.
    /// - Throws: what is wrong with a file.
    public init(
        trusted: String? = nil, certificate: String? = nil, key: String? = nil,
        serverName: String? = nil, for inner: ApplicationProtocol = .frames
    ) throws(TLSError) {
        self.serverName = serverName
        self.inner = inner
        context = try TLSContext(isServer: false)
        if let trusted {
            try context.load(trusted: trusted)
        } else if SSL_CTX_set_default_verify_paths(context.pointer) != 1 {
            throw TLSError("the certificates that the system trusts can't be read")
        }
        if let certificate { try context.load(certificate: certificate, key: key ?? certificate) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        collsync_tls_set_session_cache(
            context.pointer, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE)
        SSL_CTX_sess_set_new_cb(context.pointer, newSession)
    }

    private init(_ other: TLSClient, for inner: ApplicationProtocol) {
        (context, serverName, self.inner) = (other.context, other.serverName, inner)
    }

    /// The same client, for another protocol inside.
    package func speaking(_ inner: ApplicationProtocol) -> TLSClient {
        TLSClient(self, for: inner)
    }

    /// Connects, checks the server's certificate, and ends the handshake, which may take ten
    /// seconds.
    public func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        loop.connect(to: address) { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let stream):
                self.secure(stream, to: address.host, on: loop, completion)
            }
        }
    }

    private func secure(
        _ stream: any ByteStream, to host: String, on loop: any EventLoop,
        _ completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        let server = serverName ?? host
        let engine = TLSEngine(context, isServer: false)
        guard engine.expect(server: server) else {
            stream.close()
            return completion(
                .failure(.untrusted("'\(server)' is no name that a certificate can have")))
        }
        guard engine.offer(inner) else {
            stream.close()
            return completion(.failure(.system("TLS can't be set up")))
        }
        if let session = last.withLock({ $0?.server == server ? $0?.session : nil }) {
            engine.resume(session)
        }
        engine.whenSessionIsNew = { session in
            self.last.withLock { $0 = (server, session) }
        }
        let secured = TLSStream(stream, engine, loop: loop, needsCertificate: true)
        let timeout = loop.schedule(
            afterMilliseconds: TLSClient.handshakeTimeoutMilliseconds
        ) { secured.fail(.unreachable("\(stream.peer): the TLS handshake takes too long")) }
        secured.shakeHands { error in
            timeout.cancel()
            completion(error.map { .failure($0) } ?? .success(secured))
        }
    }
}

/// A session of OpenSSL that a later connection may resume.
final class TLSSession: @unchecked Sendable {
    // Sendable: it does not change any more.
    let pointer: OpaquePointer

    /// - Parameter pointer: a reference that this object releases.
    init(taking pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }
}

private func newSession(_ connection: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let session, let engine = TLSEngine.of(connection), let keep = engine.whenSessionIsNew
    else { return 0 }
    keep(TLSSession(taking: session))
    return 1
}
