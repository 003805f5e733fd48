import SyncBytes
package import SyncIO

/// TLS as a stream on another stream.
///
/// Invariants:
/// 1. Of what it receives, it holds at most one read of the stream below and the part of a record:
///    while it holds something, it pauses that stream.
/// 2. Of a write, at most ``pieceBytes`` are encrypted at a time.
/// 3. Records without data, such as key updates, are work that nobody pays for. Their number is
///    bounded by the data received (``Credit``).
/// 4. At most ``recordsAtOnce`` records are decrypted at a time: a read of short ones would take
///    milliseconds. The rest is held.
package final class TLSStream: SecuredStream {
    enum Phase {
        case handshake
        case open
        /// The alert that says why is being sent.
        case failed
        case closed
    }

    let below: any ByteStream
    let engine: TLSEngine
    let loop: any EventLoop
    private let needsCertificate: Bool
    var phase = Phase.handshake
    var handler: (any ByteStreamHandler)?
    private(set) var closeReason: IOError?
    /// Whether the other side has ended its output.
    private var hasEnded = false

    package var whenHandshakeIsDue: (() -> Void)?
    /// Called when a client's handshake is over, with the reason if it failed.
    private var whenShaken: ((IOError?) -> Void)?
    private var isHandshakeDue = false
    package private(set) var certificate: PeerCertificate?

    /// Received bytes that are not decrypted yet.
    private var held: [UInt8] = []
    private var isDeliveryScheduled = false
    private var credit = Credit()
    private var hello = HelloBound()
    private var decryptedRecords = 0
    var output = Output()

    /// How many records are decrypted at a time.
    static let recordsAtOnce = 32
    /// The most bytes of a handshake that may be received and not used yet.
    private static let maximumHandshakeBytes = 256 << 10
    /// How long the other side has to read why it failed.
    private static let lingerMilliseconds: UInt64 = 1000

    /// How many records without data may still come.
    private struct Credit {
        private static let most = 32
        private static let bytesPerRecord = 16 << 10
        private var records = Credit.most
        private var bytes = 0

        mutating func receive(_ count: Int) {
            bytes += count
            records = min(Credit.most, records + bytes / Credit.bytesPerRecord)
            bytes %= Credit.bytesPerRecord
        }

        mutating func take() -> Bool {
            records -= 1
            return records >= 0
        }
    }

    /// - Parameter needsCertificate: whether the other side must have a certificate with a name.
    init(
        _ below: any ByteStream, _ engine: TLSEngine, loop: any EventLoop, needsCertificate: Bool
    ) {
        self.below = below
        self.engine = engine
        self.loop = loop
        self.needsCertificate = needsCertificate
    }

    package var peer: String { below.peer }
    /// Whether the handshake was a short one, as the client has been connected before.
    package var isResumed: Bool { engine.isResumed }

    package var memoryBytes: Int {
        TLSEngine.memoryBytes + held.count + engine.outputBytes + bufferBytes
    }

    /// The memory of OpenSSL's buffers.
    private var bufferBytes: Int {
        if phase == .handshake { return engine.hasBegun ? TLSEngine.handshakeBytes : 0 }
        return engine.isInRecord ? TLSEngine.recordBytes : 0
    }

    // MARK: Opening

    package func open(_ handler: any ByteStreamHandler) {
        guard phase != .closed else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        // A client's stream is opened when its handshake is over.
        if phase == .handshake { below.open(self) } else { scheduleDelivery() }
    }

    /// Opens the stream below and does a client's handshake.
    func shakeHands(_ completion: @escaping (IOError?) -> Void) {
        whenShaken = completion
        below.open(self)
        continueHandshake(with: [])
    }

    // MARK: The handshake

    package func continueHandshake() {
        guard isHandshakeDue else { return }
        isHandshakeDue = false
        guard phase == .handshake else { return }
        let bytes = held
        held = []
        continueHandshake(with: bytes)
        updatePause()
    }

    private func continueHandshake(with bytes: [UInt8]) {
        guard bytes.withUnsafeBytes({ hello.admits($0) }) else {
            return fail(.untrusted("\(peer): its TLS hello is too long"))
        }
        var outcome = TLSEngine.Outcome.needsInput
        let unread = bytes.withUnsafeBytes { bytes in
            engine.withInput(bytes) {
                repeat {
                    outcome = engine.shakeHands()
                } while outcome == .needsInput && engine.hasInput
            }
        }
        switch outcome {
        case .needsInput: break
        case .done:
            held.append(contentsOf: bytes.suffix(unread))
            finishHandshake()
        case .ended: fail(.untrusted("\(peer): the TLS handshake was ended"))
        case .failed(let failure): failHandshake(failure, bytes)
        }
        pump()
    }

    private func failHandshake(_ failure: TLSFailure, _ bytes: [UInt8]) {
        let why = "\(peer): \(failure.reason)"
        guard failure.kind == .notTLS else { return fail(.untrusted(why)) }
        // Whether this is a client.
        if whenShaken != nil { return fail(.unreachable(why)) }
        let greeting = bytes.withUnsafeBytes { ForeignGreeting($0) }
        if case .http = greeting {
            engine.refusePlain(speaksHTTP: true)
        } else {
            engine.refusePlain(speaksHTTP: false)
        }
        fail(.untrusted(why))
    }

    private func finishHandshake() {
        certificate = needsCertificate ? engine.certificate : nil
        guard !needsCertificate || certificate != nil || whenShaken != nil else {
            return fail(.untrusted("\(peer): its certificate has no common name"))
        }
        phase = .open
        whenHandshakeIsDue = nil
        scheduleDelivery()
        report(nil)
    }

    private func report(_ error: IOError?) {
        let whenShaken = whenShaken
        self.whenShaken = nil
        whenShaken?(error)
    }

    // MARK: Reading

    package var isReadingPaused = false {
        didSet {
            guard isReadingPaused != oldValue else { return }
            updatePause()
            scheduleDelivery()
        }
    }

    /// Whether decrypted bytes have somebody to go to.
    private var mayDeliver: Bool { phase == .open && handler != nil && !isReadingPaused }

    private func updatePause() {
        let isPaused =
            switch phase {
            case .handshake: isHandshakeDue
            case .open: !held.isEmpty || isReadingPaused || isOutputFull
            // What is received now is dropped.
            case .failed, .closed: false
            }
        if below.isReadingPaused != isPaused { below.isReadingPaused = isPaused }
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        held.append(contentsOf: bytes)
        if phase == .handshake {
            guard held.count <= TLSStream.maximumHandshakeBytes else {
                return fail(.untrusted("\(peer): its TLS handshake is too long"))
            }
        }
        let wasDue = isHandshakeDue
        isHandshakeDue = phase == .handshake
        updatePause()
        guard isHandshakeDue, !wasDue else { return }
        if let whenHandshakeIsDue { whenHandshakeIsDue() } else { continueHandshake() }
    }

    private func scheduleDelivery() {
        guard !held.isEmpty, mayDeliver, !isDeliveryScheduled else { return }
        isDeliveryScheduled = true
        loop.atEndOfTurn { [self] in
            isDeliveryScheduled = false
            guard mayDeliver else { return }
            let bytes = held
            held = []
            bytes.withUnsafeBytes { decrypt($0) }
            updatePause()
        }
    }

    package func takeRecordCount() -> Int {
        defer { decryptedRecords = 0 }
        return decryptedRecords
    }

    /// Decrypts what has come, and holds what is too many records. Nothing is held before.
    private func decrypt(_ bytes: UnsafeRawBufferPointer) {
        // The engine may have a part of a record already.
        withUnsafeTemporaryAllocation(
            byteCount: bytes.count + TLSEngine.recordBytes, alignment: 1
        ) { memory in
            var count = 0
            var outcome = TLSEngine.Outcome.needsInput
            var recordsLeft = TLSStream.recordsAtOnce
            let unread = engine.withInput(bytes) {
                repeat {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
                    let read = engine.read(into: rest, atMost: recordsLeft)
                    count += read.count
                    recordsLeft -= read.records
                    outcome = read.outcome
                    credit.receive(read.count)
                    if outcome == .needsInput, read.isRecordEmpty, !takeCredit() { break }
                } while outcome == .needsInput && engine.hasInput && recordsLeft > 0
            }
            decryptedRecords += TLSStream.recordsAtOnce - recordsLeft
            if phase == .open, unread > 0 { held.append(contentsOf: bytes.suffix(unread)) }
            if count > 0 {
                handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
            finishReading(outcome)
        }
        pump()
        scheduleDelivery()
    }

    private func finishReading(_ outcome: TLSEngine.Outcome) {
        guard phase == .open else { return }
        switch outcome {
        case .done, .needsInput: break
        case .ended:
            hasEnded = true
            close()
        case .failed(let failure):
            // A client's certificate is checked after its side of the handshake is over.
            let why = "\(peer): \(failure.reason)"
            fail(failure.kind == .refused ? .untrusted(why) : .connectionLost(why))
        }
    }

    private func takeCredit() -> Bool {
        if credit.take() { return true }
        fail(.connectionLost("\(peer): too many TLS records without data"))
        return false
    }

    // MARK: Closing

    /// Tells the other side why, if that is to hear of it, and closes soon.
    func fail(_ error: IOError) {
        guard phase == .handshake || phase == .open else { return }
        phase = .failed
        closeReason = error
        held = []
        whenHandshakeIsDue = nil
        report(error)
        updatePause()
        output.dropPlain()
        finishBelow()
        loop.schedule(afterMilliseconds: TLSStream.lingerMilliseconds) { [self] in below.close() }
    }

    package func close() {
        guard phase != .closed else { return }
        if phase == .open, !below.isWriting, !hasEnded {
            engine.endOutput()
            let records = engine.takeOutput()
            if !records.isEmpty { below.write(records) }
        }
        phase = .closed
        _ = engine.takeOutput()
        output = Output()
        held = []
        below.close()
    }
}

// The events of the stream below.
extension TLSStream: ByteStreamHandler {
    package func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .failed, .closed: break
        case .open where held.isEmpty && mayDeliver:
            decrypt(bytes)
            updatePause()
        case .open, .handshake: hold(bytes)
        }
    }

    package func streamDidDrain() {
        pump()
        updatePause()
        guard isWritten, !below.isWriting else { return }
        output.end()
        handler?.streamDidDrain()
    }

    package func streamDidClose(_ error: IOError?) {
        // An end without the notice of TLS counts as one with it: frames say how long they are.
        let reason = closeReason ?? (phase == .closed ? nil : error)
        phase = .closed
        whenHandshakeIsDue = nil
        report(reason ?? .connectionLost("\(peer): closed"))
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(reason)
    }
}
