import COpenSSL
import SyncBytes
import SyncIO

/// TLS between bytes and bytes: it encrypts and decrypts, and does no I/O.
///
/// OpenSSL reads records straight from the bytes that ``withInput(_:_:)`` passes, and adds those
/// that it writes to the output. So an idle connection keeps no buffers.
final class TLSEngine {
    /// How a call has ended.
    enum Outcome: Equatable {
        /// It is done.
        case done
        /// It goes on when there is more input. It may also return before all input is read.
        case needsInput
        /// The other side has ended its output.
        case ended
        case failed(TLSFailure)
    }

    /// `nil` if OpenSSL had no memory for it; then the handshake fails.
    private let connection: OpaquePointer?
    private var hasBuffers = false
    /// The input that is not read yet.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// How many bytes of the header of the next record are not read yet; with 0 its data are next.
    private var headerBytesLeft = TLSEngine.headerBytes
    /// The server that a client wants, by its name or address.
    private var expectedName = ""
    /// Records for the other side, each copied once. One block for many would have to grow, and
    /// large blocks are mapped and unmapped each time.
    private var output: [SharedBytes] = []
    private(set) var outputBytes = 0
    /// Called when the other side has sent a ticket.
    var whenSessionIsNew: ((TLSSession) -> Void)?

    /// The memory of an idle connection, mostly OpenSSL's, as `collsync-bench tls idle` measures
    /// it; what a handshake under way needs besides, as measured; and the memory of a record that
    /// it has a part of.
    static let memoryBytes = 14 << 10
    static let handshakeBytes = 32 << 10
    static let recordBytes = 17 << 10
    private static let headerBytes = 5

    init(_ context: TLSContext, isServer: Bool) {
        connection = SSL_new(context.pointer)
        guard let connection, let bio = BIO_new(recordMethod.pointer) else { return }
        hasBuffers = true
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // The connection owns the one that reads and writes, once.
        SSL_set_bio(connection, bio, bio)
        SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(self).toOpaque())
        if isServer { SSL_set_accept_state(connection) } else { SSL_set_connect_state(connection) }
    }

    deinit {
        // OpenSSL forgets the session of a connection that was not shut down. A client whose
        // connection is lost should resume it.
        guard let connection else { return }
        SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(connection)
    }

    /// The engine of a connection of OpenSSL.
    static func of(_ connection: OpaquePointer?) -> TLSEngine? {
        guard let connection, let data = SSL_get_ex_data(connection, 0) else { return nil }
        return Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }

    // MARK: Settings of a client

    /// Names the server, by its name or its address; `false` if no server can be called so.
    func expect(server: String) -> Bool {
        expectedName = server
        let parameters = SSL_get0_param(connection)
        // An address is no name: it is looked for among the certificate's addresses.
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, server) == 1 { return true }
        ERR_clear_error()
        SSL_set_hostflags(connection, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return !server.isEmpty && SSL_set1_host(connection, server) == 1
            && collsync_tls_set_server_name(connection, server) == 1
    }

    /// Names the protocol inside; `false` if OpenSSL has no memory for that.
    func offer(_ inner: ApplicationProtocol) -> Bool {
        let name = inner.name
        let list = [UInt8(name.count)] + name
        return SSL_set_alpn_protos(connection, list, UInt32(list.count)) == 0
    }

    func resume(_ session: TLSSession) {
        SSL_set_session(connection, session.pointer)
    }

    var isResumed: Bool { SSL_session_reused(connection) == 1 }

    // MARK: Input

    /// Calls `body`, which may read these bytes, and returns how many it has not read.
    func withInput(_ bytes: UnsafeRawBufferPointer, _ body: () -> Void) -> Int {
        input = bytes
        body()
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return input.count
    }

    var hasInput: Bool { !input.isEmpty }

    /// Whether a part of a record was read, so that OpenSSL keeps a buffer for it.
    var isInRecord: Bool { headerBytesLeft < TLSEngine.headerBytes }

    /// Whether the first step of the handshake was done.
    private(set) var hasBegun = false

    func shakeHands() -> Outcome {
        hasBegun = true
        guard hasBuffers else {
            return .failed(TLSFailure("OpenSSL has no memory for another connection"))
        }
        ERR_clear_error()
        return outcome(of: SSL_do_handshake(connection))
    }

    /// What a call of ``read(into:)`` has done.
    struct Read {
        var count = 0
        /// How many records it has read, at least in part.
        var records = 0
        var outcome = Outcome.done
        /// Whether it ended at a record without data.
        var isRecordEmpty = false
    }

    /// Decrypts what has come, as much as there is room for, but no further than the next record
    /// without data.
    ///
    /// - Parameter most: how many records to read.
    func read(into memory: UnsafeMutableRawBufferPointer, atMost most: Int) -> Read {
        var read = Read()
        while read.count < memory.count, read.records < most {
            ERR_clear_error()
            let inputBytes = input.count
            let space = Int32(clamping: memory.count - read.count)
            let result = SSL_read(connection, memory.baseAddress.map { $0 + read.count }, space)
            if result <= 0 {
                read.outcome = outcome(of: result)
                read.isRecordEmpty = input.count < inputBytes && !isInRecord
                if read.isRecordEmpty { read.records += 1 }
                break
            }
            // A call reads of one record.
            read.records += 1
            read.count += Int(result)
        }
        return read
    }

    // MARK: Output

    /// How many records one key encrypts. AES-GCM is safe for 2^24.5 of them (RFC 8446, 5.5).
    static let recordsPerKey = 1 << 23
    private static let bytesPerRecord = 16_384
    /// How many records the key of what is written may still encrypt.
    var recordsLeft = TLSEngine.recordsPerKey

    /// Encrypts bytes, under another key when this one has encrypted enough.
    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        if bytes.isEmpty { return .done }
        ERR_clear_error()
        if recordsLeft <= 0 {
            let isNoted = SSL_key_update(connection, SSL_KEY_UPDATE_NOT_REQUESTED) == 1
            guard isNoted else { return .failed(failure) }
            recordsLeft = TLSEngine.recordsPerKey
        }
        recordsLeft -= (bytes.count - 1) / TLSEngine.bytesPerRecord + 1
        return outcome(of: SSL_write(connection, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    /// Changes the key of what follows, and asks the other side to do the same.
    ///
    /// - Returns: whether OpenSSL has done so.
    func updateKeys() -> Bool {
        ERR_clear_error()
        return SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED) == 1
            && SSL_do_handshake(connection) == 1
    }

    /// Encrypts the notice that nothing follows.
    func endOutput() {
        ERR_clear_error()
        SSL_shutdown(connection)
    }

    func takeOutput() -> [SharedBytes] {
        defer { (output, outputBytes) = ([], 0) }
        return output
    }

    // MARK: The other side

    /// The certificate of the other side; `nil` if it has shown none, or one without a common name.
    var certificate: PeerCertificate? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        guard let name = TLSEngine.commonName(of: certificate) else { return nil }
        var begins = tm()
        guard ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &begins) == 1 else { return nil }
        return PeerCertificate(name: name, begins: UInt64(max(0, timegm(&begins))))
    }

    private static func commonName(of certificate: OpaquePointer) -> String? {
        let subject = X509_get_subject_name(certificate)
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0,
            let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))
        else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, value)
        defer { CRYPTO_free(text, #fileID, #line) }
        guard count > 0, let text else { return nil }
        return String(
            validating: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    private func outcome(of result: Int32) -> Outcome {
        if result > 0 { return .done }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(failure)
        }
    }

    private var failure: TLSFailure {
        let code = OpenSSLErrors.takeLastCode()
        let verified = Int32(clamping: SSL_get_verify_result(connection))
        if verified != X509_V_OK { return TLSFailure(verified: verified, expecting: expectedName) }
        return TLSFailure(code: code, isShaking: SSL_is_init_finished(connection) == 0)
    }

    /// Tells a client that does not speak TLS that this side does. OpenSSL tells it nothing.
    ///
    /// - Parameter speaksHTTP: whether it would not understand an alert of TLS.
    func refusePlain(speaksHTTP: Bool) {
        let fatal: UInt8 = 2
        let alert = [
            UInt8(SSL3_RT_ALERT), UInt8(SSL3_VERSION_MAJOR), UInt8(TLS1_VERSION_MINOR), 0, 2,
            fatal, UInt8(TLS1_AD_PROTOCOL_VERSION),
        ]
        let answer = ForeignGreeting.answer(
            "This port takes only connections by TLS: write https:// or wss://.", byTLS: true)
        (speaksHTTP ? answer : alert).withUnsafeBytes { append($0) }
    }

    // MARK: OpenSSL's input and output

    /// Copies input to OpenSSL; -1 if there is none at the moment.
    fileprivate func copyInput(to memory: UnsafeMutableRawPointer, atMost count: Int) -> Int {
        let copied = min(count, input.count)
        guard copied > 0, let base = input.baseAddress else { return -1 }
        memory.copyMemory(from: base, byteCount: copied)
        input = UnsafeRawBufferPointer(rebasing: input[copied...])
        // OpenSSL asks for the rest of a header, and then for the rest of the data.
        if headerBytesLeft > 0 {
            headerBytesLeft -= copied
        } else if copied == count {
            headerBytesLeft = TLSEngine.headerBytes
        }
        return copied
    }

    fileprivate func append(_ bytes: UnsafeRawBufferPointer) {
        output.append(SharedBytes(copying: bytes))
        outputBytes += bytes.count
    }
}

/// OpenSSL's description of an engine as a source and a sink of bytes.
private struct RecordMethod: @unchecked Sendable {
    // Sendable: it does not change once it is made.
    let pointer: OpaquePointer?

    init() {
        pointer = BIO_meth_new(Int32(BIO_TYPE_SOURCE_SINK) | BIO_get_new_index(), "collsync")
        BIO_meth_set_read(pointer, readRecords)
        BIO_meth_set_write(pointer, writeRecords)
        BIO_meth_set_ctrl(pointer, controlRecords)
    }
}

private let recordMethod = RecordMethod()

private func engine(of bio: OpaquePointer?) -> TLSEngine? {
    BIO_get_data(bio).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
}

private func readRecords(
    _ bio: OpaquePointer?, _ memory: UnsafeMutablePointer<CChar>?, _ count: Int32
) -> Int32 {
    guard let memory, let engine = engine(of: bio) else { return -1 }
    let copied = engine.copyInput(to: memory, atMost: Int(count))
    collsync_bio_set_waiting(bio, copied < 0 ? 1 : 0)
    return Int32(copied)
}

private func writeRecords(
    _ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32
) -> Int32 {
    guard let bytes, let engine = engine(of: bio) else { return -1 }
    engine.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return count
}

private func controlRecords(
    _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
