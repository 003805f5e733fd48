import COpenSSL

/// A client of OpenSSL's own, without anything of collsync. It trusts everybody.
package final class BarePeer {
    private let context: OpaquePointer
    private let connection: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// What it has received, decrypted.
    package private(set) var received: [UInt8] = []
    /// How often the other side has changed the key of what it sends.
    package private(set) var keyUpdates = 0

    package struct Failure: Error {}

    /// - Parameter groups: the groups in which it agrees on keys; `nil` for OpenSSL's choice.
    package init(as issued: TestAuthority.Issued? = nil, groups: String? = nil) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), let connection = SSL_new(context),
            let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem())
        else { throw Failure() }
        (self.context, self.connection) = (context, connection)
        (self.input, self.output) = (input, output)
        SSL_set_bio(connection, input, output)
        SSL_set_connect_state(connection)
        SSL_set_msg_callback(connection) { isSent, _, kind, bytes, count, _, peer in
            guard isSent == 0, kind == SSL3_RT_HANDSHAKE, count > 0, let bytes, let peer,
                Int32(bytes.load(as: UInt8.self)) == SSL3_MT_KEY_UPDATE
            else { return }
            Unmanaged<BarePeer>.fromOpaque(peer).takeUnretainedValue().keyUpdates += 1
        }
        SSL_ctrl(
            connection, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, Unmanaged.passUnretained(self).toOpaque())
        if var groups = groups?.utf8CString.map({ $0 }) {
            SSL_ctrl(connection, SSL_CTRL_SET_GROUPS_LIST, 0, &groups)
        }
        if let issued {
            SSL_use_certificate_file(connection, issued.certificate, SSL_FILETYPE_PEM)
            SSL_use_PrivateKey_file(connection, issued.key, SSL_FILETYPE_PEM)
        }
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
    }

    /// Whether the handshake is over.
    package var isConnected: Bool { SSL_is_init_finished(connection) == 1 }

    /// Whether the other side has sent the notice that nothing follows.
    package var hasEnded: Bool { SSL_get_shutdown(connection) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Takes what the other side has sent, and goes on with the handshake or decrypts it.
    package func receive(_ bytes: [UInt8]) {
        BIO_write(input, bytes, Int32(bytes.count))
        guard SSL_do_handshake(connection) == 1 else { return }
        var memory = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = SSL_read(connection, &memory, Int32(memory.count))
            guard count > 0 else { return }
            received += memory.prefix(Int(count))
        }
    }

    /// Encrypts bytes.
    ///
    /// - Returns: whether the handshake is over, so that it can.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        SSL_write(connection, bytes, Int32(bytes.count)) > 0
    }

    /// Changes its keys, and asks the other side to do the same. The next write sends it.
    package func updateKeys() {
        SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(connection)
    }

    /// Says that nothing follows. The next output has it.
    package func end() {
        SSL_shutdown(connection)
    }

    /// What it sends.
    package func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        var memory = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = BIO_read(output, &memory, Int32(memory.count))
            guard count > 0 else { return bytes }
            bytes += memory.prefix(Int(count))
        }
    }
}
