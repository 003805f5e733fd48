import SyncBytes
import SyncIO
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// Records of secured streams, each of which is work however little data it has.
@Suite struct RecordChargeTests {
    @Test("short records count as more bytes than they have", arguments: [false, true])
    func charge(isSecured: Bool) throws {
        let world = try World {
            $0.security = isSecured ? BytewiseSecurity() : nil
            $0.addresses.bytes = Rate(perSecond: 512 * 2000)
        }
        let stranger = try world.greet("m", from: "10.0.0.1")
        var writer = ByteWriter()
        let zeros = [UInt8](repeating: 0, count: 20_000)
        zeros.withUnsafeBytes { writer.write(field: 90, bytes: $0) }
        let body = writer.makeArray()
        var frame = ByteWriter()
        frame.write(varint: UInt64(body.count))
        stranger.send(SharedBytes(frame.makeArray() + body))
        stranger.send(.listRooms(ListRooms(request: stranger.makeRequest())))
        #expect(world.run(limitMilliseconds: 7000) { !stranger.roomLists.isEmpty } != isSecured)
        #expect(world.run(limitMilliseconds: 5000) { !stranger.roomLists.isEmpty })
        #expect(stranger.connectionError?.code == .unsupported && !stranger.isClosed)
    }
}

/// Secures nothing, but counts each byte as a record.
private struct BytewiseSecurity: ServerSecurity {
    let handshakeMicroseconds = 1

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        BytewiseStream(stream)
    }
}

private final class BytewiseStream: SecuredStream {
    private let below: any ByteStream
    private var handler: (any ByteStreamHandler)?
    private var records = 0
    var whenHandshakeIsDue: (() -> Void)?
    let certificate: PeerCertificate? = nil
    let memoryBytes = 0

    init(_ below: any ByteStream) {
        self.below = below
    }

    func continueHandshake() {}

    func takeRecordCount() -> Int {
        defer { records = 0 }
        return records
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
}

extension BytewiseStream: ByteStreamHandler {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        records += bytes.count
        handler?.streamDidReceive(bytes)
    }

    func streamDidDrain() { handler?.streamDidDrain() }

    func streamDidClose(_ error: IOError?) {
        whenHandshakeIsDue = nil
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }
}
