import COpenSSL

/// Why a connection fails.
struct TLSFailure: Equatable {
    enum Kind {
        /// The other side's first bytes are no record of TLS.
        case notTLS
        /// The other side's alert says that it does not trust this side, or misses a certificate.
        case refused
        case other
    }

    let kind: Kind
    /// What is wrong with the other side, for people.
    let reason: String

    init(_ reason: String) {
        self.init(.other, reason)
    }

    private init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// - Parameters:
    ///   - code: OpenSSL's latest error; 0 if there is none.
    ///   - isShaking: whether the handshake is not over.
    init(code: UInt, isShaking: Bool) {
        let reason = ERR_GET_REASON(code)
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER where isShaking,
            SSL_R_HTTP_REQUEST where isShaking, SSL_R_HTTPS_PROXY_REQUEST where isShaking:
            self.init(.notTLS, "it does not speak TLS")
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            self.init("it has no certificate")
        case SSL_AD_REASON_OFFSET...:
            self.init(alert: reason - SSL_AD_REASON_OFFSET, code: code)
        default: self.init(OpenSSLErrors.text(of: code) ?? "it broke the protocol")
        }
    }

    private init(alert: Int32, code: UInt) {
        switch alert {
        case TLS13_AD_CERTIFICATE_REQUIRED:
            self.init(.refused, "it asks for a certificate, and got none")
        case TLS1_AD_UNKNOWN_CA:
            self.init(.refused, "it does not trust who signed the certificate that it got")
        case SSL3_AD_CERTIFICATE_EXPIRED:
            self.init(.refused, "the certificate that it got has expired")
        case SSL3_AD_BAD_CERTIFICATE, SSL3_AD_UNSUPPORTED_CERTIFICATE, SSL3_AD_CERTIFICATE_REVOKED,
            SSL3_AD_CERTIFICATE_UNKNOWN, TLS1_AD_ACCESS_DENIED, TLS1_AD_DECRYPT_ERROR:
            self.init(.refused, "it does not accept the certificate that it got")
        case TLS1_AD_PROTOCOL_VERSION: self.init("it does not speak TLS 1.3")
        case TLS1_AD_NO_APPLICATION_PROTOCOL:
            self.init("its TLS is for another protocol: a port for HTTP has a URL, wss://…")
        default: self.init(OpenSSLErrors.text(of: code) ?? "it sent alert \(alert)")
        }
    }

    /// - Parameters:
    ///   - verified: OpenSSL's result of checking the other side's certificate.
    ///   - name: the name that it should have.
    init(verified: Int32, expecting name: String) {
        switch verified {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self.init("its certificate is not for '\(name)'")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            self.init("its certificate is signed by nobody who is trusted here")
        default:
            let text = X509_verify_cert_error_string(Int(verified)).map { String(cString: $0) }
            self.init("its certificate is not valid: \(text ?? "error \(verified)")")
        }
    }
}
