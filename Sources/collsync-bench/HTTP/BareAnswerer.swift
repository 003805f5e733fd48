import Glibc
import SyncBytes
import SyncHTTPCodec
import SyncIO

/// Answers HTTP requests by the library and on the loop that the server uses, and does nothing else
/// but to keep their bodies: once a turn it appends and syncs all that came in it, and answers.
final class BareAnswerer {
    private let loop: any EventLoop
    private let log: Int32
    private var bodies: [UInt8] = []
    private var answered: [BareConnection] = []

    /// - Parameter log: an open file.
    init(on loop: any EventLoop, log: Int32) {
        self.loop = loop
        self.log = log
    }

    func accept(_ stream: any ByteStream) {
        stream.open(BareConnection(stream, self))
    }

    /// A connection has sent a whole request.
    fileprivate func keep(_ body: [UInt8], of connection: BareConnection) {
        bodies += body
        answered.append(connection)
        if answered.count == 1 { loop.atEndOfTurn { [self] in endTurn() } }
    }

    private func endTurn() {
        let isKept = bodies.withUnsafeBytes { write(log, $0.baseAddress, $0.count) == $0.count }
        guard isKept, fdatasync(log) == 0 else {
            perror("the log")
            exit(1)
        }
        bodies.removeAll(keepingCapacity: true)
        let connections = answered
        answered = []
        for connection in connections { connection.answer() }
    }
}

/// A connection with one request at a time.
private final class BareConnection: ByteStreamHandler {
    private let stream: any ByteStream
    private let answerer: BareAnswerer
    private let reader = RequestReader()
    private var body: [UInt8] = []

    init(_ stream: any ByteStream, _ answerer: BareAnswerer) {
        self.stream = stream
        self.answerer = answerer
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        reader.receive(bytes)
        do throws(HTTPError) {
            while let event = try reader.next() {
                switch event {
                case .head: break
                case .body(let bytes): body += bytes
                case .end:
                    answerer.keep(body, of: self)
                    body.removeAll(keepingCapacity: true)
                }
            }
        } catch {
            stream.close()
        }
    }

    /// Answers with as many bytes as the server does.
    func answer() {
        guard !stream.isWriting else { return stream.close() }
        var writer = ByteWriter(capacity: 256)
        let head = ResponseHead(
            200,
            HTTPFields([
                "Content-Type": "application/json",
                "Content-Length": "\(BareConnection.text.count)", "Server": "collsync-bench",
            ]))
        guard head.write(to: &writer) else { return stream.close() }
        stream.write([SharedBytes(copying: writer.bytes), BareConnection.text])
    }

    private static let text = SharedBytes(
        Array(#"{"ack":{"tx":100000,"revision":100000}}"#.utf8) + [UInt8(ascii: "\n")])

    func streamDidDrain() {}
    func streamDidClose(_ error: IOError?) {}
}
