import SyncIO

/// A stream that begins with the header in which a proxy names the client. It carries what follows.
final class ProxiedStream: ByteStream {
    private let below: any ByteStream
    private var handler: (any ByteStreamHandler)?
    /// The bytes so far of the header; `nil` once it is whole.
    private var header: [UInt8]? = []
    /// Called once, before anything is received: the header is whole, or malformed.
    var whenHeaderIsRead: ((ProxyHeader) -> Void)?

    init(_ below: any ByteStream) {
        self.below = below
    }

    var peer: String { below.peer }
    var isWriting: Bool { below.isWriting }
    var unsentBytes: Int { below.unsentBytes }
    var isReadingPaused: Bool {
        get { below.isReadingPaused }
        set { below.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        below.open(self)
    }

    func write(_ parts: [SharedBytes]) { below.write(parts) }
    func finishWriting() { below.finishWriting() }
    func close() { below.close() }

    /// Collects the header.
    ///
    /// - Returns: what comes behind it.
    private func readHeader(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer.SubSequence {
        guard var header else { return bytes[...] }
        let before = header.count
        header.append(contentsOf: bytes.prefix(ProxyHeader.maximumBytes - before))
        let read = header.withUnsafeBytes { ProxyHeader($0) }
        self.header = nil
        switch read {
        case .incomplete:
            self.header = header
            return bytes[bytes.endIndex...]
        case .malformed:
            report(read)
            return bytes[bytes.endIndex...]
        case .whole(_, let count):
            report(read)
            return bytes[(count - before)...]
        }
    }

    private func report(_ header: ProxyHeader) {
        let whenHeaderIsRead = whenHeaderIsRead
        self.whenHeaderIsRead = nil
        whenHeaderIsRead?(header)
    }
}

extension ProxiedStream: ByteStreamHandler {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        let rest = readHeader(bytes)
        if !rest.isEmpty { handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: rest)) }
    }

    func streamDidDrain() { handler?.streamDidDrain() }

    func streamDidClose(_ error: IOError?) {
        whenHeaderIsRead = nil
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }
}
