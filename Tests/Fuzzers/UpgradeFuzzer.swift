import SyncBytes
import SyncHTTPCodec
import SyncIO
import SyncSim
import SyncWebSocket
import TLSSupport

/// A client's handshake of a WebSocket, which a server answers rightly, wrongly or not at all, cut
/// anywhere.
///
/// - The client opens a WebSocket if the answer is right, and else fails, once. What it says of a
///   failure is a line, and no longer than a few hundred bytes.
/// - Of the answer it takes no more than a head. What comes behind a right one are frames.
enum UpgradeFuzzer {
    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let client = UpgradingClient(choices.below(2) == 0 ? .bytes : .lines)
        var answer = UpgradeAnswer(to: client.takeRequest(), client.kind)
        for _ in 0..<choices.below(3) { answer.addInformation(&choices) }
        answer.addHead(&choices)
        let size = 1 + choices.below(64)
        // A frame with the text "a", or bytes of the input.
        let frame: [UInt8] = [client.kind == .lines ? 0x81 : 0x82, 1, 0x61]
        let hasFrame = choices.oneIn(2)
        client.receive(answer.bytes + (hasFrame ? frame : Array(choices.rest)), cutBy: size)
        client.end(expecting: answer.isRight)
        if answer.isRight == true, hasFrame {
            expect(client.received.first == 0x61, "what comes behind the answer is lost")
        }
    }
}

/// What a server answers.
private struct UpgradeAnswer {
    private(set) var bytes: [UInt8] = []
    /// Whether a client has to take it; `nil` if that is not known.
    private(set) var isRight: Bool? = true
    private let right: HTTPFields
    private let kind: WebSocketProtocol

    init(to request: RequestHead, _ kind: WebSocketProtocol) {
        self.kind = kind
        do throws(ServerHandshake.Refusal) {
            right = try ServerHandshake(request).fields
        } catch {
            finding("a server refuses the client's request: \(error.reason)")
        }
    }

    /// Adds a head that a client skips.
    mutating func addInformation(_ choices: inout InputBytes) {
        bytes += Array("HTTP/1.1 \(["100 Continue", "103 Hints", "199 "][choices.below(3)])".utf8)
        bytes += Array(
            "\r\nLink: \(String(repeating: "x", count: choices.below(256)))\r\n\r\n".utf8)
    }

    mutating func addHead(_ choices: inout InputBytes) {
        if choices.oneIn(8) {
            isRight = nil
            bytes += Array(choices.rest)
            return
        }
        let status = [101, 101, 101, 200, 302, 401, 429, 503, 102, 99, 999][choices.below(11)]
        if status != 101 { isRight = [102, 99].contains(status) ? nil : false }
        bytes += Array("HTTP/1.1 \(status) Reason\r\n".utf8)
        for field in right.all { add(field, &choices) }
        for _ in 0..<choices.below(4) {
            let name = [
                "Location", "Retry-After", "Sec-WebSocket-Extensions", "Content-Length",
                "Transfer-Encoding", "X",
            ][choices.below(6)]
            if name != "X" { isRight = isRight == false ? false : nil }
            let value = (0..<choices.below(24)).map { _ in 0x20 + choices.byte() % 0x5F }
            bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A]
        }
        bytes += [0x0D, 0x0A]
    }

    private mutating func add(_ field: HTTPFields.Field, _ choices: inout InputBytes) {
        var (name, value) = (field.name, field.value.shown)
        let known = isRight
        switch choices.below(16) {
        case 12: name = name.uppercased()
        case 13:
            value += " "
        case 14:
            isRight = false
            value = "no" + value
        case 15:
            isRight = false
            name = "X-" + name
        default: break
        }
        if known != true { isRight = known }
        bytes += Array("\(name): \(value)\r\n".utf8)
    }
}

/// A client that asks for a WebSocket, and its connection.
private final class UpgradingClient: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    let kind: WebSocketProtocol
    private let simulation = Simulation(seed: 1)
    private let below: ScriptedStream
    private var stream: (any ByteStream)?
    private var failure: IOError?
    private var results = 0
    private(set) var received: [UInt8] = []

    /// Connects to the script.
    private struct Script: ClientSecurity, @unchecked Sendable {
        let stream: ScriptedStream

        func connect(
            to address: SocketAddress, on loop: any EventLoop,
            completion: @escaping (Result<any ByteStream, IOError>) -> Void
        ) {
            completion(.success(stream))
        }
    }

    init(_ kind: WebSocketProtocol) {
        self.kind = kind
        nonisolated(unsafe) var made: (any EventLoop)?
        _ = try? simulation.makePlatform(named: "client").startLoop(named: "loop") { made = $0 }
        simulation.runUntilIdle()
        guard let loop = made else { finding("there is no loop") }
        below = ScriptedStream(on: loop)
        WebSocketClient(target: "/v1/ws", kind, by: Script(stream: below)).connect(
            to: SocketAddress(host: "server", port: 80), on: loop
        ) { [unowned self] result in
            results += 1
            switch result {
            case .success(let stream):
                self.stream = stream
                stream.open(self)
            case .failure(let error): failure = error
            }
        }
        simulation.run(forMilliseconds: 1)
    }

    func takeRequest() -> RequestHead {
        let reader = RequestReader()
        below.takeWritten().withUnsafeBytes { reader.receive($0) }
        guard case .head(let head)? = try? reader.next() else {
            finding("the client's request can't be read")
        }
        return head
    }

    func receive(_ bytes: [UInt8], cutBy size: Int) {
        below.send(
            stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            })
        // A piece is passed on in a turn of its own. The client waits longer than for all of them.
        simulation.run(forMilliseconds: 5000)
    }

    func end(expecting isRight: Bool?) {
        if let isRight {
            expect((stream != nil) == isRight, "the answer is right: \(isRight); \(results) came")
        }
        // It waits no longer for the answer.
        simulation.run(forMilliseconds: 6000)
        expect(results == 1, "there are \(results) results")
        if let failure {
            let text = failure.description
            expect(text.utf8.count < 500, "the client says too much: \(text)")
            expect(text.utf8.allSatisfy { $0 >= 0x20 }, "the client says more than a line: \(text)")
            expect(below.isClosed, "the connection stays open")
        }
        stream?.close()
        simulation.run(forMilliseconds: 2000)
        simulation.end()
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) { received += bytes }
    func streamDidDrain() {}
    func streamDidClose(_ error: IOError?) {}
}
