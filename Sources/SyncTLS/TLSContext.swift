import COpenSSL
import Glibc

/// OpenSSL's settings for connections: versions, ciphers, certificates. It does not change once it
/// is made, so connections of all threads share it.
final class TLSContext: @unchecked Sendable {
    // Sendable: OpenSSL locks what connections change in it.
    let pointer: OpaquePointer

    /// The most bytes that a chain of certificates may have.
    private static let longestCertificates = 32 << 10
    /// The most certificates between that of the other side and a trusted one.
    private static let deepestChain: Int32 = 4
    private static let ciphers =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    /// In these groups keys are agreed on in less than a tenth of a millisecond. OpenSSL has others
    /// that a stranger could ask for. In ffdhe8192 a handshake takes some 13 ms.
    private static let groups = "X25519:P-256"

    /// OpenSSL frees nothing when the process ends, as other threads may still use it then.
    private static let isReady: Void = {
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()

    init(isServer: Bool) throws(TLSError) {
        TLSContext.isReady
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())
        else { throw TLSError("TLS is not available") }
        self.pointer = pointer
        guard collsync_tls_allow_only_13(pointer) == 1,
            SSL_CTX_set_ciphersuites(pointer, TLSContext.ciphers) == 1,
            collsync_tls_set_groups(pointer, TLSContext.groups) == 1
        else { throw TLSError("TLS 1.3 is not available") }
        collsync_tls_set_modes(pointer)
        collsync_tls_set_longest_certificates(pointer, TLSContext.longestCertificates)
        SSL_CTX_set_verify_depth(pointer, TLSContext.deepestChain)
        // Without this OpenSSL would ask for a password at the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Loads this side's certificate chain and its key, both as PEM.
    func load(certificate: String, key: String) throws(TLSError) {
        for file in [certificate, key] { try TLSContext.checkReadable(file) }
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw TLSError("'\(certificate)' is no readable certificate in PEM form")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(pointer) == 1
        else {
            throw TLSError(
                "'\(key)' has no key for '\(certificate)' in PEM form, without a password")
        }
    }

    /// Loads the certificates, as PEM, which sign those of the other side.
    func load(trusted file: String) throws(TLSError) {
        try TLSContext.checkReadable(file)
        ERR_clear_error()
        guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
            throw TLSError("'\(file)' has no readable certificates in PEM form")
        }
    }

    /// OpenSSL's errors do not say that a file is not there.
    private static func checkReadable(_ file: String) throws(TLSError) {
        guard faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) == 0 else {
            throw TLSError(
                "'\(file)' can't be read: \(String(cString: strerror(errno)))", becauseOf: nil)
        }
    }

    /// About how many microseconds it takes to sign with this side's key.
    var signingMicroseconds: Int {
        guard let key = SSL_CTX_get0_privatekey(pointer), EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
        else { return 60 }
        // It grows with the cube of the length; 2,048 bits take 700.
        let words = Int(EVP_PKEY_get_bits(key)) / 1024
        return max(1, words * words * words) * 90
    }
}
