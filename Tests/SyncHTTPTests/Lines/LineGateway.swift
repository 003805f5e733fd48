import SyncBytes
import SyncIO
import SyncModel
import SyncServer
import SyncWire
import Testing

@testable import SyncHTTP

/// A door for lines without HTTP: a connection sends and gets lines, each with its end.
struct LineGateway: Gateway {
    let address: SocketAddress
    let isOptional = false
    var security: (any ServerSecurity)? { nil }
    /// Who the next connections are, in order.
    let options = Box<[LineOptions]>([])

    init(host: String) {
        address = SocketAddress(host: host, port: 7421)
    }

    func accept(_ connection: GatewayConnection) -> any GatewayHandler {
        let member = LineMember(options.value.removeFirst(), random: { 7 })
        let door = LineDoor(connection, member)
        door.begin()
        return door
    }

    func refusal(_ error: ErrorMessage) -> SharedBytes { SharedBytes([]) }
}

/// A connection of the door.
final class LineDoor: GatewayHandler {
    private let connection: GatewayConnection
    private let member: LineMember
    private let session: SessionStream
    private var input: [UInt8] = []
    private var output: [SharedBytes] = []
    private var isWithinLine = false

    init(_ connection: GatewayConnection, _ member: LineMember) {
        self.connection = connection
        self.member = member
        session = SessionStream(connection)
    }

    func begin() {
        session.whenWritten = { [unowned self] parts in
            for part in parts { member.receive(part) }
            flush()
        }
        connection.openSession(over: session, encoding: .json)
        member.begin()
        session.deliver(member.takeFrames())
    }

    var memoryBytes: Int { member.memoryBytes }

    /// It beats more often than the welcome says.
    func watch(listened: UInt64) {
        connection.perform {
            member.beat()
            flush()
        }
    }

    func end(_ error: ErrorMessage) { connection.stream.close() }

    private func flush() {
        readLines()
        session.deliver(member.takeFrames())
        for piece in member.takePieces() {
            #expect(piece.beginsLine == !isWithinLine, "no line begins within another")
            isWithinLine = !piece.endsLine
            if let text = piece.unwritten?.text() {
                output.append(text)
                continue
            }
            output.append(piece.bytes)
            if piece.endsLine { output.append(SharedBytes([UInt8(ascii: "\n")])) }
        }
        write()
    }

    private func readLines() {
        while member.takesLines, let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            input[..<end].withUnsafeBytes { member.receive(line: $0) }
            input.removeFirst(end + 1)
        }
    }

    private func write() {
        guard !connection.stream.isWriting else { return }
        guard !output.isEmpty else { return session.didTake() }
        let parts = output
        output = []
        connection.stream.write(parts)
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        connection.perform {
            input += bytes
            flush()
        }
    }

    func streamDidDrain() {
        connection.perform { write() }
    }

    func streamDidClose(_ error: IOError?) {
        session.close()
        connection.didClose(error)
    }
}

/// The session's end of a stream within the process.
private final class SessionStream: ByteStream {
    private let connection: GatewayConnection
    private var handler: (any ByteStreamHandler)?
    private var frames: [SharedBytes] = []
    private var isDelivering = false
    private var isDrainDue = false
    private(set) var isWriting = false
    var whenWritten: (([SharedBytes]) -> Void)?

    init(_ connection: GatewayConnection) {
        self.connection = connection
    }

    var peer: String { connection.peer }
    var unsentBytes: Int { isWriting ? 1 : 0 }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
    }

    func write(_ parts: [SharedBytes]) {
        isWriting = true
        later { [self] in whenWritten?(parts) }
    }

    /// The connection has taken what was written.
    func didTake() {
        guard isWriting, !isDrainDue else { return }
        isDrainDue = true
        later { [self] in
            (isWriting, isDrainDue) = (false, false)
            handler?.streamDidDrain()
        }
    }

    func finishWriting() {}

    var isReadingPaused = false {
        didSet { deliver([]) }
    }

    func deliver(_ more: [SharedBytes]) {
        frames += more
        guard !isDelivering, !isReadingPaused, !frames.isEmpty else { return }
        isDelivering = true
        later { [self] in
            isDelivering = false
            guard !isReadingPaused, !frames.isEmpty else { return }
            let next = frames.removeFirst()
            next.withBytes { handler?.streamDidReceive($0) }
            deliver([])
        }
    }

    func close() {
        guard let handler else { return }
        self.handler = nil
        whenWritten = nil
        later { handler.streamDidClose(nil) }
    }

    private func later(_ work: @escaping () -> Void) {
        connection.schedule(afterMilliseconds: 0) { [connection] in connection.perform(work) }
    }
}
