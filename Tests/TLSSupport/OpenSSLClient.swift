import COpenSSL

/// Clients of OpenSSL's own, without anything of collsync: they measure servers. They speak TLS 1.3
/// and accept any certificate.
package final class OpenSSLClients {
    fileprivate let context: OpaquePointer

    package init() throws {
        guard let context = SSL_CTX_new(TLS_client_method()),
            collsync_tls_allow_only_13(context) == 1
        else { throw OpenSSLClient.Failure("TLS 1.3 is not available") }
        self.context = context
        // An idle connection keeps no buffers.
        collsync_tls_set_modes(context)
    }

    deinit {
        SSL_CTX_free(context)
    }
}

/// One connection of such a client, without its socket.
package final class OpenSSLClient {
    private let connection: OpaquePointer
    private let output: OpaquePointer

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// What a server has sent for the next connection, to make the handshake short.
    package final class Session {
        fileprivate let pointer: OpaquePointer

        fileprivate init?(of connection: OpaquePointer) {
            guard let pointer = SSL_get1_session(connection) else { return nil }
            self.pointer = pointer
        }

        deinit {
            SSL_SESSION_free(pointer)
        }
    }

    /// The bytes of the longest record: a read may decrypt so much more than it receives.
    package static let recordBytes = 17 << 10

    package init(_ clients: OpenSSLClients, resuming session: Session? = nil) throws {
        guard let connection = SSL_new(clients.context), let output = BIO_new(BIO_s_mem()) else {
            throw Failure("OpenSSL has no memory")
        }
        self.connection = connection
        self.output = output
        SSL_set0_wbio(connection, output)
        SSL_set_connect_state(connection)
        if let session { SSL_set_session(connection, session.pointer) }
    }

    deinit {
        // OpenSSL does not resume the session of a connection that was not shut down.
        SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(connection)
    }

    /// Goes on with the handshake, without input at first, and returns whether it is over.
    package func shakeHands(with received: UnsafeRawBufferPointer) throws -> Bool {
        setInput(received)
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        if result == 1 { return true }
        try check(result)
        return false
    }

    package var isResumed: Bool { SSL_session_reused(connection) == 1 }

    /// The session, with the last ticket that was decrypted.
    package var session: Session? {
        SSL_SESSION_is_resumable(SSL_get_session(connection)) == 1 ? Session(of: connection) : nil
    }

    /// Decrypts what was received.
    ///
    /// - Parameter memory: must be longer by a record.
    /// - Returns: how many bytes it has become.
    package func decrypt(
        _ received: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        precondition(memory.count >= received.count + OpenSSLClient.recordBytes)
        setInput(received)
        var count = 0
        while true {
            ERR_clear_error()
            let space = Int32(memory.count - count)
            let result = SSL_read(connection, memory.baseAddress.map { $0 + count }, space)
            if result <= 0 {
                try check(result)
                // After a record without data there may be more.
                let left = BIO_ctrl(SSL_get_rbio(connection), BIO_CTRL_PENDING, 0, nil)
                if left == 0 { return count }
            } else {
                count += Int(result)
            }
        }
    }

    /// Encrypts bytes.
    package func encrypt(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.isEmpty { return }
        ERR_clear_error()
        try check(SSL_write(connection, bytes.baseAddress, Int32(bytes.count)))
    }

    /// What is to be sent: records of the handshake, and what was encrypted.
    package func takeOutput() -> [UInt8] {
        let count = BIO_ctrl(output, BIO_CTRL_PENDING, 0, nil)
        return [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
            initialized = max(0, Int(BIO_read(output, memory.baseAddress, Int32(count))))
        }
    }

    /// Lets OpenSSL read from the bytes themselves.
    private func setInput(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty,
            let input = BIO_new_mem_buf(base, Int32(bytes.count))
        else { return SSL_set0_rbio(connection, OpenSSLClient.emptyInput()) }
        OpenSSLClient.letWait(input)
        SSL_set0_rbio(connection, input)
    }

    private static func emptyInput() -> OpaquePointer? {
        let input = BIO_new(BIO_s_mem())
        letWait(input)
        return input
    }

    /// Its end is no end of the connection: there is more to come.
    private static func letWait(_ input: OpaquePointer?) {
        BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
    }

    private func check(_ result: Int32) throws {
        if result > 0 { return }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: throw Failure("the server has closed a connection")
        default:
            let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
            throw Failure("TLS fails: \(reason ?? "a connection is lost")")
        }
    }
}
