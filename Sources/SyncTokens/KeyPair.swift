import COpenSSL

/// A public key, perhaps with its private part, as OpenSSL has it. It does not change.
final class KeyPair: @unchecked Sendable {
    // Sendable: OpenSSL counts references to a key atomically, and here it is only read.
    private let key: OpaquePointer
    let algorithm: SignatureAlgorithm
    /// Whether it has the private part.
    let signs: Bool

    /// Bits of a key of RSA. Of longer ones a signature takes too long to check.
    private static let modulus: ClosedRange<Int32> = 2048...4096
    private static let scalarBytes = 32

    /// Owns a key of OpenSSL; `nil` if there is none, or if it is damaged or of no kind that is
    /// used here. Its kind alone says by which algorithm it signs.
    init?(owning pointer: OpaquePointer?, signs: Bool) {
        guard let pointer else { return nil }
        guard let algorithm = KeyPair.algorithm(of: pointer), KeyPair.isValid(pointer) else {
            EVP_PKEY_free(pointer)
            return nil
        }
        key = pointer
        self.algorithm = algorithm
        self.signs = signs
        // The private part may be another key's.
        if signs, !(sign(KeyPair.sample).map { verify($0, of: KeyPair.sample) } ?? false) {
            return nil
        }
    }

    private static let sample: [UInt8] = [1, 2, 3]

    deinit {
        EVP_PKEY_free(key)
    }

    private static func algorithm(of key: OpaquePointer) -> SignatureAlgorithm? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_ED25519: .eddsa
        case EVP_PKEY_RSA
        where modulus.contains(EVP_PKEY_get_bits(key)) && hasShortExponent(key): .rs256
        case EVP_PKEY_EC where group(of: key) == "prime256v1": .es256
        default: nil
        }
    }

    /// OpenSSL bounds the exponent of long keys only. With a long one a signature takes long to
    /// check.
    private static func hasShortExponent(_ key: OpaquePointer) -> Bool {
        var exponent: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else {
            return false
        }
        defer { BN_free(exponent) }
        return BN_num_bits(exponent) <= 64
    }

    private static func group(of key: OpaquePointer) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
        return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func isValid(_ key: OpaquePointer) -> Bool {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check(context) == 1
    }

    /// What verifies: the 32 bytes of Ed25519, or else the PEM.
    var verifyingBytes: [UInt8] {
        guard algorithm == .eddsa else { return Array(publicPEM.utf8) }
        var bytes = [UInt8](repeating: 0, count: KeyPair.scalarBytes)
        var count = bytes.count
        EVP_PKEY_get_raw_public_key(key, &bytes, &count)
        return bytes
    }

    /// Whether another one has the same public key.
    func verifiesSame(as other: KeyPair) -> Bool { EVP_PKEY_eq(key, other.key) == 1 }

    // MARK: Signatures

    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let encoded = algorithm == .es256 ? KeyPair.encode(signature) : signature,
            let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        ERR_clear_error()
        return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }

    /// - Returns: `nil` if it has no private part.
    func sign(_ message: [UInt8]) -> [UInt8]? {
        guard signs, let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        ERR_clear_error()
        var count = 0
        guard EVP_DigestSignInit(context, nil, digest, nil, key) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            return nil
        }
        signature.removeLast(signature.count - count)
        return algorithm == .es256 ? KeyPair.decode(signature) : signature
    }

    /// Ed25519 hashes by itself.
    private var digest: OpaquePointer? { algorithm == .eddsa ? nil : EVP_sha256() }

    /// OpenSSL's form of a signature of ES256, whose two numbers stand in 32 bytes each (RFC 7518,
    /// 3.4); `nil` if it has another length.
    private static func encode(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 2 * scalarBytes else { return nil }
        return DER.sequence([
            DER.integer(Array(signature.prefix(scalarBytes))),
            DER.integer(Array(signature.suffix(scalarBytes))),
        ])
    }

    private static func decode(_ signature: [UInt8]) -> [UInt8]? {
        var pair: OpaquePointer?
        signature.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            pair = d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let pair else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let length = Int32(scalarBytes)
        var (first, second) = ([UInt8](repeating: 0, count: scalarBytes), [UInt8]())
        second = first
        guard BN_bn2binpad(ECDSA_SIG_get0_r(pair), &first, length) == length,
            BN_bn2binpad(ECDSA_SIG_get0_s(pair), &second, length) == length
        else { return nil }
        return first + second
    }
}

extension KeyPair {
    /// Makes a new key from the system's random numbers; `nil` if OpenSSL can't.
    convenience init?(new algorithm: SignatureAlgorithm) {
        let kind: Int32
        switch algorithm {
        case .eddsa: kind = EVP_PKEY_ED25519
        case .es256: kind = EVP_PKEY_EC
        case .rs256, .hs256: return nil
        }
        guard let context = EVP_PKEY_CTX_new_id(kind, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            algorithm == .eddsa || EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &pointer) == 1
        else { return nil }
        self.init(owning: pointer, signs: true)
    }

    /// Reads the first key of a PEM; `nil` if it has none, or if a password protects it.
    convenience init?(pem: String) {
        if let pointer = KeyPair.read(
            pem, { PEM_read_bio_PrivateKey($0, nil, haveNoPassword, nil) })
        {
            self.init(owning: pointer, signs: true)
        } else {
            let pointer = KeyPair.read(pem) { PEM_read_bio_PUBKEY($0, nil, haveNoPassword, nil) }
            self.init(owning: pointer, signs: false)
        }
    }

    private static func read(
        _ pem: String, _ read: (OpaquePointer) -> OpaquePointer?
    ) -> OpaquePointer? {
        var pem = pem
        return pem.withUTF8 { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            else { return nil }
            defer { BIO_free(input) }
            ERR_clear_error()
            return read(input)
        }
    }

    /// The public key as PEM, without the last line's end.
    var publicPEM: String { KeyPair.text { PEM_write_bio_PUBKEY($0, key) } }

    /// The private key as PEM (RFC 5958), without the last line's end.
    var privatePEM: String {
        KeyPair.text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func text(_ write: (OpaquePointer) -> Int32) -> String {
        guard let output = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(output) }
        guard write(output) == 1 else { return "" }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = BIO_read(output, &part, Int32(part.count)), count > 0 {
            bytes += part.prefix(Int(count))
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension KeyPair {
    /// Reads a public or private key of Ed25519; `nil` if it has another length.
    convenience init?(ed25519 bytes: [UInt8], isPrivate: Bool) {
        guard bytes.count == KeyPair.scalarBytes else { return nil }
        let make = isPrivate ? EVP_PKEY_new_raw_private_key : EVP_PKEY_new_raw_public_key
        self.init(
            owning: make(EVP_PKEY_ED25519, nil, bytes, bytes.count), signs: isPrivate)
    }

    /// Reads the point of a public key of P-256.
    convenience init?(p256 x: [UInt8], _ y: [UInt8]) {
        guard x.count == KeyPair.scalarBytes, y.count == KeyPair.scalarBytes else { return nil }
        self.init(
            owning: KeyPair.read(DER.pointHead + x + y) { d2i_PUBKEY(nil, $0, $1) }, signs: false)
    }

    /// Reads a private key of P-256.
    convenience init?(p256 scalar: [UInt8]) {
        guard scalar.count == KeyPair.scalarBytes else { return nil }
        let encoded = DER.scalarHead + scalar + DER.scalarEnd
        self.init(
            owning: KeyPair.read(encoded) { d2i_PrivateKey(EVP_PKEY_EC, nil, $0, $1) }, signs: true)
    }

    /// Reads a key of RSA (RFC 8017, A.1).
    ///
    /// - Parameters:
    ///   - numbers: its modulus and exponent; of a private key what follows them there, too.
    convenience init?(rsa numbers: [[UInt8]], isPrivate: Bool) {
        let integers = numbers.map(DER.integer)
        let encoded = DER.sequence(isPrivate ? [DER.integer([])] + integers : integers)
        let read = isPrivate ? d2i_PrivateKey : d2i_PublicKey
        self.init(
            owning: KeyPair.read(encoded) { read(EVP_PKEY_RSA, nil, $0, $1) }, signs: isPrivate)
    }

    private static func read(
        _ encoded: [UInt8],
        _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        ERR_clear_error()
        return encoded.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return read(&start, bytes.count)
        }
    }
}

/// Without this OpenSSL would ask for a password at the terminal.
private func haveNoPassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { 0 }
