import COpenSSL
import Glibc
package import SyncTLS

/// Signs certificates for tests, in a folder of its own, which goes with it.
package final class TestAuthority {
    package let folder: String
    private let key: OpaquePointer
    private let certificate: OpaquePointer
    private let kind: KeyKind
    private var serial = 1

    package struct Failure: Error {}

    /// What keys sign by.
    package enum KeyKind {
        /// Its signatures all have one length, so that simulations are the same each time.
        case ed25519
        /// ECDSA with the curve P-256, as most servers have it.
        case p256
    }

    /// A certificate's file and that of its key.
    package struct Issued {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    package init(named name: String = "Test authority", keys kind: KeyKind = .ed25519) throws {
        self.kind = kind
        var template = Array("/tmp/collsync-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        key = try TestAuthority.makeKey(kind)
        certificate = try TestAuthority.makeCertificate(
            named: name, of: key, serial: 1, days: 3650,
            extensions: [(NID_basic_constraints, "critical,CA:TRUE")], signedBy: (nil, key))
        try TestAuthority.write(certificate, to: file)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        if let entries = opendir(folder) {
            while let entry = readdir(entries) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink("\(folder)/\(name)")
            }
            closedir(entries)
        }
        rmdir(folder)
    }

    /// The file with the authority's own certificate.
    package var file: String { "\(folder)/authority.pem" }

    /// Makes a certificate and its key.
    ///
    /// - Parameters:
    ///   - name: its common name; `nil` for none.
    ///   - hosts: the names and addresses that it is for, as OpenSSL writes them.
    ///   - days: for how many days it is valid from now on; less than 0 for one that has expired.
    ///   - seconds: for how long it has been valid.
    package func issue(
        _ name: String?, for hosts: String? = nil, days: Int = 3650,
        since seconds: Int = TestAuthority.secondsOfDay
    ) throws -> Issued {
        serial += 1
        let own = try TestAuthority.makeKey(kind)
        defer { EVP_PKEY_free(own) }
        let new = try TestAuthority.makeCertificate(
            named: name, of: own, serial: serial, days: days, since: seconds,
            extensions: hosts.map { [(NID_subject_alt_name, $0)] } ?? [],
            signedBy: (certificate, key))
        defer { X509_free(new) }
        let issued = Issued(
            certificate: "\(folder)/\(serial).pem", key: "\(folder)/\(serial).key")
        try TestAuthority.write(new, to: issued.certificate)
        guard let file = fopen(issued.key, "w") else { throw Failure() }
        defer { fclose(file) }
        guard PEM_write_PrivateKey(file, own, nil, nil, 0, nil, nil) == 1 else { throw Failure() }
        return issued
    }

    /// A server's side for this machine and for the addresses of simulations.
    package func makeServer(asksForCertificates: Bool = false) throws -> TLSServer {
        let issued = try issue("server", for: TestAuthority.hosts)
        return try TLSServer(
            TLSServer.Files(
                certificate: issued.certificate, key: issued.key,
                clientCertificates: asksForCertificates ? file : nil))
    }

    package func makeClient(named name: String? = nil, server: String? = nil) throws -> TLSClient {
        let issued = try name.map { try issue($0) }
        return try TLSClient(
            trusted: file, certificate: issued?.certificate, key: issued?.key, serverName: server)
    }

    package static let secondsOfDay = 86_400
    package static let hosts = "DNS:localhost,IP:127.0.0.1,IP:::1,IP:10.0.0.1"

    // MARK: OpenSSL

    private static func makeKey(_ kind: KeyKind) throws -> OpaquePointer {
        let algorithm = kind == .p256 ? EVP_PKEY_EC : NID_ED25519
        guard let context = EVP_PKEY_CTX_new_id(algorithm, nil) else { throw Failure() }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1 else { throw Failure() }
        if kind == .p256 {
            let curve = NID_X9_62_prime256v1
            guard EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, curve) == 1 else {
                throw Failure()
            }
        }
        guard EVP_PKEY_keygen(context, &key) == 1, let key else { throw Failure() }
        return key
    }

    private static func makeCertificate(
        named name: String?, of key: OpaquePointer, serial: Int, days: Int,
        since seconds: Int = secondsOfDay, extensions: [(Int32, String)],
        signedBy signer: (certificate: OpaquePointer?, OpaquePointer)
    ) throws -> OpaquePointer {
        guard let made = X509_new() else { throw Failure() }
        let day = secondsOfDay
        X509_set_version(made, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(made), serial)
        X509_gmtime_adj(X509_getm_notBefore(made), min(days, 0) * day - seconds)
        X509_gmtime_adj(X509_getm_notAfter(made), days * day)
        X509_set_pubkey(made, key)
        let subject = X509_get_subject_name(made)
        if let name {
            let bytes = Array(name.utf8)
            X509_NAME_add_entry_by_NID(
                subject, NID_commonName, 0x1000, bytes, Int32(bytes.count), -1, 0)
        }
        X509_set_issuer_name(made, signer.certificate.map { X509_get_subject_name($0) } ?? subject)
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, signer.certificate ?? made, made, nil, nil, 0)
        for (kind, value) in extensions {
            guard let added = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                throw Failure()
            }
            X509_add_ext(made, added, -1)
            X509_EXTENSION_free(added)
        }
        guard X509_sign(made, signer.1, nil) > 0 else { throw Failure() }
        return made
    }

    private static func write(_ certificate: OpaquePointer, to path: String) throws {
        guard let file = fopen(path, "w") else { throw Failure() }
        defer { fclose(file) }
        guard PEM_write_X509(file, certificate) == 1 else { throw Failure() }
    }
}
