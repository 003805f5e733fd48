import HTTPSupport
import SyncBytes
import SyncHTTPCodec
import SyncIO

/// A program's connection over HTTP in a simulated world: one request after the other. What it has
/// no answer to when the connection ends, its owner has to ask again.
final class WebRequester: ByteStreamHandler {
    /// An answer, or as much of a stream of events as has come.
    struct Answer {
        var status: Int
        var fields: HTTPFields
        var body: [UInt8]
    }

    private let loop: any EventLoop
    private var stream: (any ByteStream)?
    private var isConnecting = false
    private var request: [UInt8] = []
    private var isSent = false
    private var received: [UInt8] = []
    private var head: ResponseHead?
    private var body: [UInt8] = []
    private var timeout: (any Timer)?
    private var answer: ((Answer?) -> Void)?
    private var progress: ((ResponseHead, [UInt8]) -> Void)?

    /// How long it waits for something to come.
    private static let patienceMilliseconds: UInt64 = 3000

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - progress: gets what comes of a body as it comes, and all that came before it.
    ///   - answer: is called once, with `nil` if there is no whole answer.
    func ask(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String = "",
        progress: ((ResponseHead, [UInt8]) -> Void)? = nil, _ answer: @escaping (Answer?) -> Void
    ) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: server\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        request = Array((text + "\r\n" + body).utf8)
        (isSent, head, self.body) = (false, nil, [])
        (self.progress, self.answer) = (progress, answer)
        wait()
        send()
    }

    /// Ends the connection, without an answer.
    func close() {
        stream?.close()
    }

    private func wait() {
        timeout?.cancel()
        timeout = loop.schedule(afterMilliseconds: WebRequester.patienceMilliseconds) {
            [weak self] in self?.giveUp()
        }
    }

    private func giveUp() {
        stream?.close()
        end(with: nil)
    }

    private func end(with result: Answer?) {
        timeout?.cancel()
        let answer = answer
        (self.answer, progress) = (nil, nil)
        answer?(result)
    }

    private func send() {
        guard let stream else { return connect() }
        guard !isSent, answer != nil, !stream.isWriting else { return }
        isSent = true
        stream.write([SharedBytes(request)])
    }

    private func connect() {
        if isConnecting { return }
        isConnecting = true
        received = []
        loop.connect(to: ServerMachine.webAddress) { [weak self] result in
            guard let self else { return }
            isConnecting = false
            guard case .success(let stream) = result else { return end(with: nil) }
            self.stream = stream
            stream.open(self)
            send()
        }
    }

    // MARK: The stream

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        received += bytes
        if answer != nil { wait() }
        read()
    }

    func streamDidDrain() { send() }

    func streamDidClose(_ error: IOError?) {
        stream = nil
        received = []
        end(with: nil)
    }

    private func read() {
        if head == nil {
            let reader = ResponseReader()
            guard let head = received.withUnsafeBytes({ try? reader.receive($0) }) else { return }
            self.head = head
            received = reader.takeRest()
        }
        guard let head, answer != nil else { return }
        let isWhole: Bool
        if head.fields.list(of: "Transfer-Encoding", has: "chunked") {
            isWhole = readChunks()
        } else {
            let hasBody = head.status != 204 && head.status != 304
            let count = hasBody ? Int(head.fields["Content-Length"] ?? "") ?? 0 : 0
            isWhole = received.count >= count
            if isWhole {
                body = Array(received.prefix(count))
                received.removeFirst(count)
            }
        }
        progress?(head, body)
        guard isWhole else { return }
        if !head.isKeptAlive { stream?.close() }
        end(with: Answer(status: head.status, fields: head.fields, body: body))
    }

    /// - Returns: whether the last one has come.
    private func readChunks() -> Bool {
        while let end = received.firstIndex(of: 0x0A) {
            let size = String(decoding: received[..<end].dropLast(), as: UTF8.self)
            let data = received[(end + 1)...]
            guard let count = Int(size, radix: 16), data.count >= count + 2 else { return false }
            body += data.prefix(count)
            received = Array(data.dropFirst(count + 2))
            if count == 0 { return true }
        }
        return false
    }
}

extension ResponseHead {
    fileprivate var isKeptAlive: Bool { !fields.list(of: "Connection", has: "close") }
}
