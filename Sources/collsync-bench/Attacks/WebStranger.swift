import Glibc

/// An attacker's connection over HTTP. It sends its bytes and never waits for the server.
final class WebStranger {
    let socket: Socket
    /// The fields that each of its requests has.
    let fields: String
    /// How many bytes it reads at a time, and how many times in a turn at most.
    var readBytes = Int.max
    var reads = WebStranger.usualReads
    /// Makes what it sends when all before is sent. It gets the stranger, and may not retain it.
    var goOn: ((WebStranger) -> [UInt8])?
    private(set) var isClosed = false
    /// How many responses it got, by status.
    private(set) var statuses: [Int: Int] = [:]

    private var outgoing: [UInt8] = []
    private var sent = 0
    /// What there is of a status line, up to the status.
    private var line: [UInt8] = []

    init(_ socket: Socket, token: String) {
        self.socket = socket
        fields =
            "Host: localhost\r\n" + (token.isEmpty ? "" : "Authorization: Bearer \(token)\r\n")
        socket.stopWaiting()
    }

    /// How many responses it got.
    var answers: Int { statuses.values.reduce(0, +) }

    func send(bytes: some Sequence<UInt8>) {
        if sent == outgoing.count {
            outgoing.removeAll(keepingCapacity: true)
            sent = 0
        }
        outgoing.append(contentsOf: bytes)
    }

    func send(_ text: String) {
        send(bytes: text.utf8)
    }

    /// Whether everything was sent.
    var hasSentAll: Bool { sent == outgoing.count }

    /// A request with a body of known length.
    func request(
        _ method: String, _ target: String, _ others: String = "", body: [UInt8] = []
    ) -> [UInt8] {
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\r\n"
        return Array(head(method, target, others + length).utf8) + body
    }

    /// The head of a request.
    func head(_ method: String, _ target: String, _ others: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\n\(fields)\(others)\r\n"
    }

    // MARK: The socket

    /// Sends and receives as much as it can without waiting.
    func turn(_ memory: UnsafeMutableRawBufferPointer) {
        if isClosed { return }
        do {
            try sendSome()
            try receiveSome(memory)
        } catch {
            isClosed = true
        }
    }

    private func sendSome() throws {
        if hasSentAll, let goOn { send(bytes: goOn(self)) }
        while !hasSentAll {
            let count = try outgoing.withUnsafeBytes {
                try socket.sendSome(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            if count == 0 { return }
            sent += count
        }
    }

    private func receiveSome(_ memory: UnsafeMutableRawBufferPointer) throws {
        let part = UnsafeMutableRawBufferPointer(
            rebasing: memory[..<min(memory.count, readBytes)])
        for _ in 0..<reads {
            let received = try socket.receive(into: part)
            if received.isEmpty { return }
            countStatuses(in: received)
        }
    }

    /// Reads the status lines that are in what was received.
    private func countStatuses(in received: UnsafeRawBufferPointer) {
        var rest = received[...]
        while let byte = rest.first {
            if line.isEmpty {
                // Most of it is the bodies.
                guard let start = rest.firstIndex(of: WebStranger.start[0]) else { return }
                rest = rest[start...]
            } else if line.count < WebStranger.start.count,
                byte != WebStranger.start[line.count]
            {
                line = []
                continue
            }
            line.append(rest.removeFirst())
            if line.count == WebStranger.start.count + 3 {
                let status = Int(String(decoding: line.suffix(3), as: UTF8.self)) ?? 0
                statuses[status, default: 0] += 1
                line = []
            }
        }
    }

    private static let usualReads = 8
    private static let start = Array("HTTP/1.1 ".utf8)
}
