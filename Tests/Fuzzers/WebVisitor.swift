import HTTPSupport
import SyncBytes
import SyncHTTPCodec
import SyncIO

/// One client's connection to the server's gateway for HTTP: it sends what it is given and keeps
/// what it receives.
final class WebVisitor: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    struct Answer {
        var head: ResponseHead
        var body: [UInt8]
    }

    /// Whether the connection is there, or has been.
    private(set) var isConnected = false
    private(set) var isClosed = false
    private var received: [UInt8] = []
    private var stream: (any ByteStream)?
    private var unsent: [[UInt8]] = []

    func connect(
        to address: SocketAddress, on loop: any EventLoop, by security: (any ClientSecurity)?
    ) {
        loop.connect(to: address, by: security) { [self] result in
            isConnected = true
            do throws(IOError) {
                stream = try result.get()
                stream?.open(self)
            } catch {
                isClosed = true
            }
        }
    }

    func send(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        unsent.append(bytes)
        sendNext()
    }

    private func sendNext() {
        guard let stream, !isClosed, !stream.isWriting, !unsent.isEmpty else { return }
        stream.write([SharedBytes(unsent.removeFirst())])
    }

    /// Whether it reads what the server sends.
    var reads: Bool {
        get { stream?.isReadingPaused == false }
        set { stream?.isReadingPaused = !newValue }
    }

    func close() {
        stream?.close()
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) { received += bytes }
    func streamDidDrain() { sendNext() }
    func streamDidClose(_ error: IOError?) { isClosed = true }

    // MARK: What it has received

    /// Removes and returns the whole lines.
    func takeLines() -> [ArraySlice<UInt8>] {
        guard let end = received.lastIndex(of: 0x0A) else { return [] }
        defer { received.removeFirst(end + 1) }
        return received[..<end].split(separator: 0x0A, omittingEmptySubsequences: false)
    }

    /// Removes and returns the next response other than an informational one, if it is whole.
    func takeAnswer(isHeadAlone: Bool) -> Answer? {
        let reader = ResponseReader()
        guard let head = received.withUnsafeBytes({ try? reader.receive($0) }) else {
            expect(!isClosed || received.isEmpty, "a response ends within its head")
            return nil
        }
        var rest = reader.takeRest()[...]
        let hasNoBody = isHeadAlone || head.status < 200 || [204, 304].contains(head.status)
        guard let body = hasNoBody ? [] : WebVisitor.body(of: head, from: &rest) else {
            return nil
        }
        received = Array(rest)
        return Answer(head: head, body: body)
    }

    private static func body(
        of head: ResponseHead, from rest: inout ArraySlice<UInt8>
    ) -> [UInt8]? {
        guard head.fields.list(of: "Transfer-Encoding", has: "chunked") else {
            let count = head.fields["Content-Length"].flatMap { Int($0) } ?? 0
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let size = String(decoding: rest[..<end].dropLast(), as: UTF8.self)
            guard let count = Int(size, radix: 16) else { finding("a chunk's size is '\(size)'") }
            let data = rest[(end + 1)...]
            guard data.count >= count + 2 else { return nil }
            expect(data.dropFirst(count).starts(with: [0x0D, 0x0A]), "a chunk has no end")
            body += data.prefix(count)
            rest = data.dropFirst(count + 2)
            if count == 0 { return body }
        }
        return nil
    }
}
